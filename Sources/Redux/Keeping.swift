/// A journal's answer, at once, to entries that are handed over to it.
@usableFromInline
package enum Keeping: Sendable, Hashable {
    /// They are kept: the store commits them before it goes on.
    case kept
    /// The answer comes later: the entries stay pending until `commit(through:)` or `revert()`.
    case later
    /// They are not kept: the store forgets them, and nothing has changed.
    case refused
}
