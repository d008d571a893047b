/// One event of a stream: which value it leads to.
struct LoadEvent: Sendable, Hashable {
    enum Kind: Sendable {
        /// A whole state, or an id alone.
        case state
        /// A whole state, on a stream of patches.
        case snapshot
        case patch
    }

    var kind: Kind
    var version: Int
    /// The first version that a patch leads on from; nil where it names none.
    var from: Int?

    /// True where the event stands for itself, or leads on from what was shown at a version.
    func follows(_ shown: Int) -> Bool {
        guard kind == .patch else { return true }
        guard let from else { return false }
        return from <= shown && shown < version
    }
}
