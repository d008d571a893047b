public import ClientWire
public import Redux

/// The part of an application that its clients have as well: what a session is, and the reducer of it,
/// which is the server's own.
///
///     enum ShoppingModel: Model {
///         static func reduce(
///             _ state: inout ShoppingState, _ action: ShoppingAction, _ step: Step
///         ) throws(Rejection) { try state.apply(action, step) }
///     }
public protocol Model<State, Action>: Sendable {
    /// What the server shows of a session.
    associatedtype State: StateValue
    /// All that can happen to a session.
    associatedtype Action: ActionGroup

    /// The version of the application's schema that this build has (`SessionOptions.schema`): 1 where
    /// it says nothing. With a server of another one nothing is shown before it has answered.
    static var schema: Int { get }

    /// What `reduce` is a reducer of: the state itself, where it says nothing. Of a view that stands
    /// for the state only a reducer that was written for what is seen may foretell anything.
    static var reduces: Sight { get }

    /// Changes the state as an action asks for: the one function that the server calls, too.
    static func reduce(
        _ state: inout State, _ action: Action, _ step: Step
    ) throws(Rejection)
}

extension Model {
    /// The schema of an application that has had no other.
    public static var schema: Int { 1 }
    /// The state itself.
    public static var reduces: Sight { .state }
}
