/// A state whose parts can be read as sequences of values.
public protocol StateSequences<State> {
    associatedtype State

    /// A part of the state as a sequence: its present value, then each that differs. One who reads
    /// slowly misses values, never the newest: at most one waits.
    ///
    /// Ends when the store goes. Not to be read by two at once.
    func values<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value
    ) -> AsyncStream<Value>
}

extension StateSequences {
    /// A part of the state that can leave it, as a sequence that stays: in scope, out of scope,
    /// and in scope again when it comes back.
    ///
    ///     for await profile in store.scopedValues(of: { $0.signedIn?.profile }) {
    ///         switch profile {
    ///         case .inScope(let profile): show(profile)
    ///         case .outOfScope: hide()
    ///         }
    ///     }
    ///
    /// The present value first, then each that differs. One who reads slowly misses values, never
    /// the newest: a part that left and came back meanwhile was never gone.
    public func scopedValues<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value?
    ) -> AsyncStream<ScopedState<Value>> {
        values(of: { ScopedState(select($0)) })
    }

    /// A part of the state that can leave it, as a sequence that ends when it does: for work that
    /// is over with its screen. Empty where the part is not there to begin with.
    ///
    /// A part that leaves has left, also if it is back before a slow reader looks: its sequence
    /// ends, and a new one shows what came back.
    public func valuesInScope<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value?
    ) -> ValuesInScope<Value> {
        var hasLeft = false
        let values = values { state -> ScopedState<Value> in
            let value = hasLeft ? nil : select(state)
            hasLeft = value == nil
            return ScopedState(value)
        }
        return ValuesInScope(values: values)
    }
}
