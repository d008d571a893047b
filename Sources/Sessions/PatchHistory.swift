import Bytes
import StateCoding

/// The patches of one projection that are kept in memory: each leads from one value that clients were
/// shown to the next, and all of them, one after the other, to the present one.
struct PatchHistory {
    /// One patch, and the versions whose value it leads on from.
    private struct Change {
        let versions: ClosedRange<UInt64>
        let patch: JSONPatch
    }

    /// What each change takes besides its operations, about.
    private static let changeByteCount = 64

    /// The most bytes that are kept; the oldest patches go first.
    var byteLimit: Int
    private(set) var byteCount = 0
    private var changes: [Change] = []
    /// The version since which the present value is shown.
    private var since: UInt64

    /// A history that begins with a value that is shown since a version.
    init(since version: UInt64, byteLimit: Int) {
        since = version
        self.byteLimit = byteLimit
    }

    /// A patch leads to a new value.
    ///
    /// - Parameters:
    ///   - last: the last version at which the value before it is known to have been shown.
    ///   - version: the version of the new value.
    mutating func append(_ patch: JSONPatch, until last: UInt64, at version: UInt64) {
        precondition(last < version, "A value is shown before the one that replaces it.")
        changes.append(Change(versions: since...max(since, last), patch: patch))
        byteCount += patch.operations.count + Self.changeByteCount
        since = version
        if byteCount > byteLimit { trim() }
    }

    /// Drops the oldest patches, a quarter more than must be, so that most changes drop none. The newest
    /// stays: those who watch are about to be sent it.
    private mutating func trim() {
        var count = 0
        while count < changes.count - 1, byteCount > byteLimit / 4 * 3 {
            byteCount -= changes[count].patch.operations.count + Self.changeByteCount
            count += 1
        }
        changes.removeFirst(count)
    }

    /// The way to the present value from the one at a version.
    ///
    /// - Parameter limit: the size of the present value. What several changes did is no way where it
    ///   is larger; what one did always is, as it is hardly larger.
    func catchUp(from version: UInt64, limit: Int) -> CatchUp {
        guard version < since else { return .upToDate }
        guard let first = index(of: version) else { return .snapshot }
        let from = changes[first].versions.lowerBound
        if first == changes.count - 1 {
            return .patch(from: from, operations: changes[first].patch.operations)
        }
        var join = PatchJoin()
        var joinedByteCount = 0
        do throws(PatchFailure) {
            for change in changes[first...] {
                joinedByteCount += change.patch.operations.count
                guard joinedByteCount <= max(limit, 4096) * 16 else { return .snapshot }
                try join.append(change.patch.operations.span)
            }
        } catch {
            // More operations than a patch may have.
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
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].versions.upperBound < version {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < changes.count, changes[low].versions.contains(version) else { return nil }
        return low
    }
}
