import Accounting
import Bytes
import StateCoding

/// The memory that one projection keeps for clients that ask for its patches.
///
/// An object, so that a projection without patches has a word for it.
final class KeptPatches {
    /// Patches go that no client has asked for since so long before the last look at them.
    private static let unaskedDuration = Duration.seconds(60)
    /// Larger texts of parts are not compared, which would take the loop too long: clients are sent
    /// snapshots of them.
    private static let comparedByteCount = 1 << 20

    /// The present value in pieces; nil for a part.
    private(set) var form: EncodedForm?
    private var history: PatchHistory
    /// The watchers that are sent patches.
    private var watcherCount = 0
    /// The first look at them since a client asked; nil: a client has asked since the last look.
    private var unaskedSince: Instant?

    /// A memory that begins with a value that is shown since a version.
    init(since version: UInt64, byteLimit: Int) {
        history = PatchHistory(since: version, byteLimit: byteLimit)
    }

    /// The memory that it takes, in bytes.
    var byteCount: Int { history.byteCount + (form?.heldByteCount ?? 0) }

    /// The way from the value that a client has seen at a version to the present one.
    ///
    /// - Parameter limit: the size of the present value.
    func catchUp(from version: UInt64, limit: Int) -> CatchUp {
        history.catchUp(from: version, limit: limit)
    }

    /// The version since which the value was shown that a client has seen at a version; nil where the
    /// patches from there are gone.
    func start(of version: UInt64) -> UInt64? { history.start(of: version) }

    // MARK: Clients

    /// A client asks for patches, which may take so many bytes.
    func noteUse(byteLimit: Int) {
        history.byteLimit = byteLimit
        unaskedSince = nil
    }

    /// Some watchers that are sent patches more, or less.
    func addWatchers(_ count: Int) {
        watcherCount += count
        precondition(watcherCount >= 0, "Each watcher goes once.")
        unaskedSince = nil
    }

    /// Looks whether a client has asked for patches.
    ///
    /// - Parameter byteLimit: the memory for them from now on.
    func age(byteLimit: Int, at now: Instant) {
        history.byteLimit = byteLimit
        unaskedSince = watcherCount > 0 ? nil : unaskedSince ?? now
    }

    /// The instant at which they go, unless a client asks before; nil while one watches.
    var end: Instant? { unaskedSince?.advanced(by: Self.unaskedDuration) }

    /// No client has asked for long, or none watches and memory is short.
    func isUnused(isTight: Bool, at now: Instant) -> Bool {
        watcherCount == 0 && (isTight || end.map { now >= $0 } ?? false)
    }

    // MARK: Values

    /// Begins with a value to which no patch leads.
    func begin(at version: UInt64) {
        history = PatchHistory(since: version, byteLimit: history.byteLimit)
        form = nil
    }

    /// The present value was made from the same state as this form.
    func keepForm(_ form: EncodedForm?) { self.form = form }

    /// One text replaces another.
    ///
    /// - Parameter last: the last version at which the old one is known to have been shown; nil where
    ///   there is none.
    func replace(
        _ old: SharedBytes?, by new: SharedBytes?, until last: UInt64?, at version: UInt64
    ) {
        guard let old, let new, let last, last < version,
            max(old.count, new.count) <= Self.comparedByteCount
        else { return begin(at: version) }
        form = nil
        guard old.bytes != new.bytes else { return }
        guard let patch = JSONPatch.difference(from: old.bytes.span, to: new.bytes.span) else {
            return begin(at: version)
        }
        history.append(patch, until: last, at: version)
    }

    /// The state or the view is encoded anew, after the present form.
    func replace(by change: EncodedChange, until last: UInt64?, at version: UInt64) {
        if let last, last < version, form != nil {
            if let patch = change.patch { history.append(patch, until: last, at: version) }
        } else {
            begin(at: version)
        }
        form = change.form
    }
}
