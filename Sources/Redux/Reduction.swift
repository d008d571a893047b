/// Runs a reducer, and compares what it makes of a state: the only caller of a store's reducer.
@usableFromInline
struct Reduction<State: Sendable & Equatable, Action: Sendable>: Sendable {
    @usableFromInline let reducer: Reducer<State, Action>

    @inlinable
    init(_ reducer: Reducer<State, Action>) {
        self.reducer = reducer
    }

    /// Changes a state, and tells whether it differs; where the action is rejected, the state is to
    /// be thrown away.
    @inlinable @inline(__always)
    func run(_ state: inout State, _ action: Action) throws(Rejection) -> Bool {
        let old = state
        try reducer.reduce(&state, action)
        return state != old
    }

    /// Makes a state once more that an accepted action has made before.
    func rerun(_ action: Action, on old: State) -> State {
        var state = old
        do throws(Rejection) {
            try reducer.reduce(&state, action)
            return state
        } catch {
            return old
        }
    }
}
