/// A pure function from state, action and step to the next state, or to a rejection.
///
/// Pure: the same state, action and step always give the same result, and nothing else happens;
/// time, ids and chance come with the step. Total: it rejects, it never traps. Where it throws, what
/// it changed is thrown away.
///
/// A feature's reducer is called by its parent's, on its part of the state and with the same step.
public typealias Reducer<State, Action> =
    @Sendable (_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) -> Void
