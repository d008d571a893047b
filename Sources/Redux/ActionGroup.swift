/// A value that a state or an action consists of: it is encoded, compared and sent between threads.
public typealias StateValue = Codable & Equatable & Sendable

/// Marks an enum whose cases are a level of action type paths: `home/searchEdited` is the case
/// `searchEdited` of the group inside the case `home`.
///
/// A group stands as the last value of a case, unlabelled; labelled values may stand before it. An
/// enum without this mark is payload.
public protocol ActionGroup: Codable, Equatable, Sendable {}

/// Marks a group of actions that only the server says: work, alarms, handles and routes. A client
/// that posts one of them is refused.
public protocol FactGroup: ActionGroup {}

/// Marks a value that only the server says, wherever it stands in an action: an answer of work, or a
/// problem.
package protocol ServerSaid {}
