/// A pure function from state and action to the next state, or to a rejection.
///
/// Pure: the same state and action always give the same result, and nothing else happens; time,
/// ids and chance come in with the action. Total: it rejects, it never traps.
public struct Reducer<State, Action>: Sendable {
    /// Changes the state in place; when it throws, what it changed is thrown away.
    public let reduce: @Sendable (inout State, Action) throws(Rejection) -> Void

    /// A reducer made of a function.
    @inlinable
    public init(_ reduce: @escaping @Sendable (inout State, Action) throws(Rejection) -> Void) {
        self.reduce = reduce
    }
}
