/// An application as its author writes it: a state, the actions that may happen to it, and the work
/// that the state wants to have going on.
///
///     struct CounterApplication: Application {
///         struct State: StateValue { var count = 0 }
///         enum Action: ActionGroup { case incremented(by: Int) }
///         let initialState = State(), views = Views<State>.all
///         func reduce(
///             _ state: inout State, _ action: Action, _ step: Step
///         ) throws(Rejection) {
///             switch action {
///             case .incremented(let by): state.count += by
///             }
///         }
///         func work(in state: State) -> [Work<Action>] {}
///     }
///
/// One value serves all sessions; each session has a store of its own. What stands around the reducer,
/// and what else a session may need, is given where the application is served: ``Served``.
public protocol Application: Sendable {
    /// The state of a session; its clients see what `views` show of it.
    associatedtype State: StateValue
    /// All that can happen: actions that clients send, and facts that only the server says.
    associatedtype Action: ActionGroup
    /// The body of the request that makes a session: `PUT M/sessions/{id}`, `POST M/sessions`. An
    /// application that declares none takes none.
    associatedtype Input: Codable & Sendable = Never

    /// The state of a new session, before `start` completes it.
    var initialState: State { get }

    /// Completes the state of a new session, or refuses it: no session is made then. Called once for
    /// each session, and not when it comes back from a journal, which keeps what this has made.
    ///
    ///     func start(_ state: inout State, with rules: Rules?, _ step: Step) throws(Rejection) {
    ///         state.seats = rules?.seats ?? 2
    ///         guard (2...4).contains(state.seats) else {
    ///             throw Rejection("seats", "Two to four.", field: "seats")
    ///         }
    ///     }
    ///
    /// Where no `Input` is declared it does nothing unless it is written. A field of the rejection
    /// is a place in the input.
    ///
    /// - Parameters:
    ///   - input: nil where the request has no body.
    ///   - step: tells who has the session made; its version is 0. The random numbers that are drawn
    ///     here are kept nowhere: the log begins at the state that this has made.
    func start(_ state: inout State, with input: Input?, _ step: Step) throws(Rejection)

    /// Changes the state as an action asks for. Pure and total: rejects, never traps.
    ///
    /// - Parameter step: tells who sent the action and when, and makes ids and random numbers.
    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection)

    /// The work that a state wants to have going on: answers that are awaited, subscriptions, alarms,
    /// values to keep. `if`, `switch` and `for` may stand in it; none is `{}`.
    ///
    /// The server asks for it after each publication that has changed the state, and starts and
    /// cancels the difference.
    @WorkBuilder<Action> func work(in state: State) -> [Work<Action>]

    /// The codes of all rejections that a client may be told of: the schema lists them, and
    /// `RandomActions` holds the reducer to them. Where none are declared, there may be any.
    var rejectionCodes: [String] { get }

    /// Who sees what: `.all`, or a view that stands for the state, and others that have names.
    var views: Views<State> { get }
}

extension Application {
    /// None are declared.
    public var rejectionCodes: [String] { [] }
}

extension Application where Input == Never {
    /// The session begins with the initial state.
    public func start(_ state: inout State, with input: Input?, _ step: Step) throws(Rejection) {}
}
