import Accounting

/// Views and parts without clients that are kept a while: until the state changes, because others may
/// read them as well, or for their patches, because a client may come back.
struct RecentProjections {
    /// The most that are kept.
    private static let greatestCount = 16

    private var projections: [ProjectionKey: Projection] = [:]

    /// The memory that they take, in bytes.
    var byteCount: Int { projections.values.reduce(0) { $0 + $1.value.heldByteCount } }

    /// The one that is kept for a key, if it can be used after this change of the state.
    func find(_ key: ProjectionKey, lastChange: UInt64) -> Projection? {
        guard let known = projections[key] else { return nil }
        if known.lastChange != lastChange {
            guard known.value.hasPatches else { return nil }
            known.changed(at: lastChange)
        }
        return known
    }

    mutating func keep(_ projection: Projection) {
        if projections[projection.key] == nil, projections.count >= Self.greatestCount {
            let dispensable = projections.first { !$0.value.value.hasPatches } ?? projections.first
            if let dispensable { projections[dispensable.key] = nil }
        }
        projections[projection.key] = projection
    }

    mutating func remove(_ key: ProjectionKey) { projections[key] = nil }

    mutating func removeAll() { projections = [:] }

    /// The number of those whose patches are kept.
    var patchedCount: Int { projections.values.count { $0.value.hasPatches } }

    /// The instant at which patches of one of them go next; nil where none do.
    var endOfPatches: Instant? { projections.values.compactMap(\.value.endOfPatches).min() }

    /// Lets go of patches that no client asks for any more.
    func agePatches(isTight: Bool, byteLimit: Int, at now: Instant) {
        for projection in projections.values {
            projection.agePatches(isTight: isTight, byteLimit: byteLimit, at: now)
        }
    }
}
