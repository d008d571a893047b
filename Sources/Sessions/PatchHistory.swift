import Bytes
import Journaling
import StateCoding

/// The way from the value of a projection that a client has to the present one.
package enum CatchUp: Equatable {
    /// The client has the present value.
    case upToDate
    /// Operations (RFC 6902, a JSON array) lead there, in hardly more bytes than the value has.
    ///
    /// - from: the version since which the client's value was shown.
    case patch(from: UInt64, operations: [UInt8])
    /// The client needs the value itself: the patches since then are gone, there never were any, or
    /// they are larger.
    case snapshot
}

/// The patches of one projection that are kept in memory for clients that ask for them: each leads from
/// one value that clients were shown to the next, and all of them, one after the other, to the present
/// one.
///
/// An object, so that a projection without patches has a word for it.
final class PatchHistory {
    /// One patch, and the versions whose value it leads on from.
    private struct Change {
        var versions: ClosedRange<UInt64>
        let operations: [UInt8]
    }

    /// What each change takes besides its operations, about.
    private static let changeByteCount = 64
    /// Patches go that no client has asked for since so long before the last look at them.
    private static let unaskedDuration = Duration.seconds(60)

    private(set) var byteCount = 0
    private var changes: [Change] = []
    /// The version since which the present value is shown.
    private var since: UInt64
    /// The most bytes that are kept; the oldest patches go first.
    private var byteLimit: Int
    /// The journal has no patches that lead on from this version and those before; nil where it was
    /// not asked in vain.
    private var outOfReach: UInt64?
    /// It could not tell, and is asked again once there is another value.
    private var isPastAway = false
    /// The watchers that are sent patches.
    private var watcherCount = 0
    /// The first look at them since a client asked; nil: a client has asked since the last look.
    private var unaskedSince: Instant?

    /// Clients may have been shown a value elsewhere that was between two of these.
    let skipsStates: Bool

    /// A history that begins with a value that is shown since a version.
    init(since version: UInt64, byteLimit: Int = 0, skipsStates: Bool = false) {
        (since, self.skipsStates) = (version, skipsStates)
        self.byteLimit = byteLimit
    }

    // MARK: Clients

    /// A client asks for patches, which may take so many bytes.
    func noteUse(byteLimit: Int) {
        self.byteLimit = byteLimit
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
    /// - Returns: the instant at which they go, unless a client asks before; nil while one watches.
    func age(byteLimit: Int, at now: Instant) -> Instant? {
        self.byteLimit = byteLimit
        unaskedSince = watcherCount > 0 ? nil : unaskedSince ?? now
        return unaskedSince?.advanced(by: Self.unaskedDuration)
    }

    // MARK: Values

    /// Begins with a value to which no patch leads.
    func begin(at version: UInt64) {
        (changes, byteCount, since) = ([], 0, version)
    }

    /// Nothing leads to the present value any more.
    func forget() { (changes, byteCount) = ([], 0) }

    /// A patch leads to a new value.
    ///
    /// - Parameters:
    ///   - last: the last version at which the value before it is known to have been shown.
    ///   - version: the version of the new value.
    func append(_ patch: JSONPatch, until last: UInt64, at version: UInt64) {
        precondition(last < version, "A value is shown before the one that replaces it.")
        changes.append(
            Change(versions: since...max(since, last), operations: patch.operations))
        byteCount += patch.operations.count + Self.changeByteCount
        since = version
        if isPastAway { (outOfReach, isPastAway) = (nil, false) }
        if byteCount > byteLimit { trim() }
    }

    /// The patches do not go back to a version, and the journal may have earlier ones.
    func lacks(since version: UInt64) -> Bool {
        start(of: version) == nil && outOfReach.map { version > $0 } ?? true
    }

    /// Takes in the patches of entries that stand behind a version, before the oldest that is there;
    /// none where they do not lead on to that. What is beyond the memory is out of reach, too.
    ///
    /// - Parameter entries: nil where the journal could not tell.
    func takeEarlier(_ entries: [EncodedEntry]?, behind version: UInt64) {
        defer { if start(of: version) == nil { outOfReach = max(version, outOfReach ?? 0) } }
        isPastAway = entries == nil
        let begin = changes.first?.versions.lowerBound ?? since
        let earlier = (entries ?? []).prefix { $0.version <= begin }
        guard earlier.first?.version == version + 1, earlier.last?.version == begin else { return }
        var start = version
        let led = earlier.compactMap { entry in
            entry.patch.map { patch in
                defer { start = entry.version }
                return Change(versions: start...entry.version - 1, operations: patch)
            }
        }
        if changes.isEmpty {
            since = start
        } else {
            changes[0].versions = start...changes[0].versions.upperBound
        }
        changes = led + changes
        byteCount += led.reduce(0) { $0 + $1.operations.count + Self.changeByteCount }
        if byteCount > byteLimit { trim() }
    }

    /// Drops the oldest patches, a quarter more than must be, so that most changes drop none. The newest
    /// stays: those who watch are about to be sent it.
    private func trim() {
        var count = 0
        while count < changes.count - 1, byteCount > byteLimit / 4 * 3 {
            byteCount -= changes[count].operations.count + Self.changeByteCount
            count += 1
        }
        changes.removeFirst(count)
    }

    // MARK: Ways

    /// The way to the present value from the one at a version.
    ///
    /// - Parameter limit: the size of the present value. What several changes did is no way where it
    ///   is larger; what one did always is, as it is hardly larger.
    func catchUp(from version: UInt64, limit: Int) -> CatchUp {
        guard version < since else { return .upToDate }
        guard let first = index(of: version) else { return .snapshot }
        let from = changes[first].versions.lowerBound
        if first == changes.count - 1 {
            return .patch(from: from, operations: changes[first].operations)
        }
        var join = PatchJoin()
        var joinedByteCount = 0
        do throws(PatchFailure) {
            for change in changes[first...] {
                joinedByteCount += change.operations.count
                guard joinedByteCount <= max(limit, 4096) * 16 else { return .snapshot }
                try join.append(change.operations.span)
            }
        } catch {
            // The encoder writes no such patch.
            return .snapshot
        }
        guard join.byteCount <= limit else { return .snapshot }
        return .patch(from: from, operations: join.bytes())
    }

    /// The version since which the value was shown that a client has seen at a version; nil where the
    /// patches from there are gone.
    func start(of version: UInt64) -> UInt64? {
        version >= since ? since : index(of: version).map { changes[$0].versions.lowerBound }
    }

    /// The place of the change that leads on from the value at a version.
    private func index(of version: UInt64) -> Int? {
        changes.lastIndex { $0.versions.contains(version) }
    }
}
