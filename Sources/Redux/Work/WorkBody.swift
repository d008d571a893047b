/// A piece of work as an object: its name, a value to compare, and what runs for it.
///
/// A body is made for each piece of work that an application lists, and is mostly only compared with
/// the one that was listed before: what it needs to run is made when it is asked for its kind. The
/// protocol does not know the type of the actions, because casts between types that do are slow.
@usableFromInline
protocol WorkBody: AnyObject, Sendable {
    var name: WorkName { get }
    var policy: WorkPolicy { get }
    /// A `WorkKind` of the actions that the work reports.
    var kind: any Sendable { get }

    /// Tells whether the other one has a value of the same type that is equal.
    func hasSameValue(as other: any WorkBody) -> Bool
    /// Tells whether the other one has this name and this value.
    func isSame(as other: any WorkBody) -> Bool
}
