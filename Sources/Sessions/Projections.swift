import Bytes
import Redux
import StateCoding

/// The projections of one session: the whole state, and the parts and views that are watched.
package struct Projections {
    package let whole: Projection
    private var others: [ProjectionKey: Projection] = [:]
    /// The parts among the others and their pointers, for one search in all; nil when they have
    /// changed.
    private var parts: (projections: [Projection], tree: PointerTree)?
    /// The state as it was last encoded, as long as it is watched.
    private var encodingMemory: EncodingMemory?
    package private(set) var watcherCount = 0
    package private(set) var waiterCount = 0

    init(lastChange: UInt64) {
        whole = Projection(kind: .whole, key: .whole)
        whole.changed(at: lastChange)
    }

    /// The number of parts and views that are kept.
    var count: Int { others.count }

    /// All projections, the whole state first.
    package var all: [Projection] { [whole] + others.values }

    /// Parts of the state are watched.
    private var hasParts: Bool { others.values.contains { $0.isPart } }

    /// The projections have clients.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// The memory that JSON takes which is not counted by itself.
    var byteCount: Int {
        others.values.reduce(whole.json?.uncountedByteCount ?? 0) { sum, projection in
            sum + (projection.json?.uncountedByteCount ?? 0)
        }
    }

    // MARK: Clients

    /// The projection of a kind: the one that is kept, or a new one.
    ///
    /// - Parameter lastChange: the last change of the state, which may have changed a new one.
    package func find(_ kind: Projection.Kind, lastChange: UInt64) -> Projection {
        let key = kind.key
        guard key != .whole else { return whole }
        if let known = others[key] { return known }
        let made = Projection(kind: kind, key: key)
        made.changed(at: lastChange)
        return made
    }

    /// One more projection may be kept, or this one is.
    package func hasRoom(for projection: Projection, _ limits: SessionLimits) -> Bool {
        projection === whole || others[projection.key] != nil
            || others.count < limits.projectionCount
    }

    /// One client more watches a projection.
    mutating func addWatcher(of projection: Projection) {
        keep(projection)
        projection.addWatchers(1)
        watcherCount += 1
    }

    /// One client less watches a projection.
    mutating func removeWatcher(of projection: Projection) {
        precondition(projection.watcherCount > 0, "Each watcher goes once.")
        projection.addWatchers(-1)
        watcherCount -= 1
        if watcherCount == 0 { encodingMemory = nil }
        forgetIfUnused(projection)
    }

    /// One client more waits for a change of a projection.
    mutating func addWaiter(for projection: Projection) {
        keep(projection)
        projection.addWaiters(1)
        waiterCount += 1
    }

    /// Some clients less wait for a change of a projection.
    mutating func removeWaiters(_ count: Int, for projection: Projection) {
        precondition(projection.waiterCount >= count, "Each waiter goes once.")
        projection.addWaiters(-count)
        waiterCount -= count
        forgetIfUnused(projection)
    }

    private mutating func keep(_ projection: Projection) {
        guard projection !== whole, others[projection.key] == nil else { return }
        others[projection.key] = projection
        if projection.isPart { parts = nil }
    }

    private mutating func forgetIfUnused(_ projection: Projection) {
        guard projection.isUnused, projection !== whole,
            others[projection.key] === projection
        else { return }
        others[projection.key] = nil
        if projection.isPart { parts = nil }
    }

    // MARK: JSON

    /// A client that has this tag, of the session's epoch, has the projection as it is now.
    func isPresent(
        _ tag: ProjectionTag, in projection: Projection, _ store: any SessionStore
    ) -> Bool {
        let lastChange = projection === whole ? store.lastChange : projection.lastChange
        return tag.suffix == projection.suffix
            && (lastChange...store.version).contains(tag.token.version)
    }

    /// The JSON of a projection as of the committed state; nil where it is out of scope.
    mutating func json(
        of projection: Projection, from store: any SessionStore
    ) throws(EncodingFailure) -> SharedBytes? {
        if let at = projection.encodedAt, at >= store.lastChange { return projection.json }
        let json = try encode(projection, store)
        projection.encoded(json, at: store.version)
        return json
    }

    private mutating func encode(
        _ projection: Projection, _ store: any SessionStore
    ) throws(EncodingFailure) -> SharedBytes? {
        var output: [UInt8] = []
        switch projection.kind {
        case .whole:
            output.reserveCapacity((projection.json?.count ?? 512) + 64)
            if watcherCount > 0, encodingMemory == nil { encodingMemory = EncodingMemory() }
            try store.encodeState(into: &output, reusing: encodingMemory)
            return SharedBytes(output)
        case .part(let pointer):
            guard let all = try json(of: whole, from: store) else { return nil }
            let bytes = all.bytes
            guard let range = pointer.range(in: bytes.span) else { return nil }
            return SharedBytes(Array(bytes[range]))
        case .view(let name, let arguments):
            let isInScope = try store.encodeView(name, arguments, into: &output)
            return isInScope ? SharedBytes(output) : nil
        }
    }

    /// Lets go of the bytes that can be made again.
    mutating func dropCaches(isTight: Bool, isOld: Bool) {
        if watcherCount == 0, isTight || isOld { whole.dropContent() }
        if isTight { encodingMemory = nil }
    }

    /// Begins anew, with a state of which nothing is known yet.
    mutating func begin(at version: UInt64) {
        for projection in all { projection.begin(at: version) }
    }

    // MARK: Changes

    /// Makes the projections that are watched anew from a state that has changed, and finds those
    /// that differ.
    mutating func publish(
        _ store: any SessionStore, _ publication: inout Publication
    ) throws(EncodingFailure) {
        let version = store.version
        if !whole.isUnused || hasParts {
            let json = try json(of: whole, from: store)
            if !whole.isUnused {
                whole.changed(at: version)
                publication.whole = whole
            }
            guard let json else { return }
            for part in updateParts(in: json, at: version) {
                part.changed(at: version)
                publication.others.append(part)
            }
        }
        for view in others.values where view.isView {
            let old = view.json
            let new = try self.json(of: view, from: store)
            guard old?.bytes != new?.bytes else { continue }
            view.changed(at: version)
            publication.others.append(view)
        }
    }

    /// Finds all parts that are watched in the whole state's JSON at once, gives those that differ
    /// their new bytes, and returns them.
    mutating func updateParts(in json: SharedBytes, at version: UInt64) -> [Projection] {
        let (projections, tree) = watchedParts()
        guard !projections.isEmpty else { return [] }
        let bytes = json.bytes
        var changed: [Projection] = []
        for (projection, range) in zip(projections, tree.ranges(in: bytes.span)) {
            let old = projection.json
            let isSame =
                if let range, let old { isEqual(old.bytes, bytes, range) } else {
                    range == nil && old == nil
                }
            if isSame {
                projection.stayed(at: version)
            } else {
                projection.encoded(range.map { SharedBytes(Array(bytes[$0])) }, at: version)
                changed.append(projection)
            }
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
