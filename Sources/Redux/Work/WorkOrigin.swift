/// The entry that a piece of work was wanted by first.
@usableFromInline
struct WorkOrigin: Sendable, Hashable {
    var cause: Cause
    /// The entry's token, which keys for the far side begin with.
    var token: String
    /// The principal that caused it; never an authority.
    var by: Principal?
}
