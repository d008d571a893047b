/// Runs a reducer, and compares what it makes of a state: the only caller of a store's reducer.
@usableFromInline
struct Reduction<State: Sendable & Equatable, Action: Sendable> {
    @usableFromInline let reducer: Reducer<State, Action>
    /// The step of the store, which stands for the action that is being reduced.
    @usableFromInline let step: Step

    @inlinable
    init(_ reducer: @escaping Reducer<State, Action>, _ step: Step) {
        self.reducer = reducer
        self.step = step
    }

    /// Changes a state, and tells whether it differs; where the action is rejected, the state is to
    /// be thrown away.
    @inlinable @inline(__always)
    func run(_ state: inout State, _ action: Action) throws(Rejection) -> Bool {
        let old = state
        try reducer(&state, action, step)
        return state != old
    }

    /// Makes the state behind an accepted entry once more.
    func rerun(_ entry: PendingEntry<State, Action>, on old: State) -> State {
        guard let action = entry.action else { return entry.state }
        var state = old
        step.resume(entry.record, version: entry.version, cause: entry.cause?.version)
        do throws(Rejection) {
            try reducer(&state, action, step)
            return state
        } catch {
            return old
        }
    }
}
