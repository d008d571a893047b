import Sockets

/// The projections of one session: the whole state, and the parts and views that are watched.
struct Projections {
    /// The whole state.
    let whole: Projection
    private var others: [ProjectionKey: Projection] = [:]
    /// The parts among the others and their pointers, for one search in all; nil when they have
    /// changed.
    private var parts: (projections: [Projection], tree: PointerTree)?

    init(lastChange: UInt64) {
        whole = Projection(kind: .whole, key: .whole)
        whole.lastChange = lastChange
    }

    /// How many parts and views are kept.
    var count: Int { others.count }

    /// All projections, the whole state first.
    var all: [Projection] { [whole] + others.values }

    /// The parts and views that are kept.
    var kept: some Collection<Projection> { others.values }

    /// Parts of the state are watched.
    var hasParts: Bool { others.values.contains { $0.isPart } }

    /// The projection of a kind: the one that is kept, or one that nobody watches yet.
    ///
    /// - Parameter lastChange: the last change of the state, which may have changed a new one.
    func find(_ kind: Projection.Kind, lastChange: UInt64) -> Projection {
        let key = kind.key
        guard key != .whole else { return whole }
        if let known = others[key] { return known }
        let made = Projection(kind: kind, key: key)
        made.lastChange = lastChange
        return made
    }

    /// One more projection may be kept, or this one is.
    func hasRoom(for projection: Projection, _ limits: SessionLimits) -> Bool {
        projection === whole || others[projection.key] != nil
            || others.count < limits.projectionCount
    }

    /// Keeps a projection that is watched.
    mutating func keep(_ projection: Projection) {
        guard projection !== whole, others[projection.key] == nil else { return }
        others[projection.key] = projection
        if projection.isPart { parts = nil }
    }

    /// Forgets a projection, or its frames, once nobody watches it.
    mutating func forgetIfUnused(_ projection: Projection) {
        guard projection.isUnused else { return }
        guard projection !== whole else { return whole.frames = .init() }
        guard others.removeValue(forKey: projection.key) != nil else { return }
        if projection.isPart { parts = nil }
    }

    /// Finds all parts that are watched in the whole state's JSON at once, gives those that differ
    /// their new bytes, and returns them.
    mutating func updateParts(in json: SharedBytes, at version: UInt64) -> [Projection] {
        let (projections, tree) = watchedParts()
        guard !projections.isEmpty else { return [] }
        let bytes = json.bytes
        var changed: [Projection] = []
        for (projection, range) in zip(projections, tree.ranges(in: bytes.span)) {
            projection.encodedAt = version
            let old = projection.json
            if let range, let old, isEqual(old.bytes, bytes, range) { continue }
            if range == nil, old == nil { continue }
            projection.json = range.map { SharedBytes(copying: bytes.span.extracting($0)) }
            changed.append(projection)
        }
        return changed
    }

    private func isEqual(_ part: [UInt8], _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        part.count == range.count && part[...] == bytes[range]
    }

    private mutating func watchedParts() -> (projections: [Projection], tree: PointerTree) {
        if let parts { return parts }
        var projections: [Projection] = []
        var pointers: [JSONPointer] = []
        for projection in others.values {
            guard case .part(let pointer) = projection.kind else { continue }
            projections.append(projection)
            pointers.append(pointer)
        }
        let made = (projections, PointerTree(pointers))
        parts = made
        return made
    }
}
