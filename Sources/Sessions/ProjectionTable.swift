import Accounting
package import Redux
package import StateCoding

/// The projections that one session keeps: the whole state, the parts and views that have clients,
/// and a few that were read lately.
package struct ProjectionTable {
    package let whole: Projection
    private(set) var watcherCount = 0
    private(set) var waiterCount = 0
    /// The number of the others whose viewers are of a class.
    private var classedCount = 0
    /// The views among the others by their names; nil for what stands for the state.
    private(set) var views: [String?: [Projection]] = [:]
    /// Those with clients, and those of which a part has some.
    private var others: [ProjectionKey: Projection] = [:]
    /// Views and parts that were read lately, without clients.
    private var recent = RecentProjections()
    /// The viewers who were shown views by keys lately.
    var viewers = RecentViewers()

    /// A table with nothing but the whole state, as of its last change.
    init(lastChange: UInt64) {
        whole = Projection(kind: .whole)
        whole.changed(at: lastChange)
    }

    /// The number of parts and views that are kept.
    var count: Int { others.count }

    /// All projections that are kept, the whole state first.
    package var all: [Projection] { [whole] + others.values }

    /// The views whose viewers are of classes, which may change with the state, by their names; the
    /// parts of each stand behind it.
    package var classed: [String?: [Projection]] {
        let classed = views.filter { $0.value.contains(where: \.isClassed) }
        let hasParts = others.count > views.values.reduce(0) { $0 + $1.count }
        return hasParts ? classed.mapValues { $0 + $0.flatMap(\.parts.all) } : classed
    }

    /// Some clients are of a class.
    var isClassed: Bool { classedCount > 0 }

    /// The projections have clients.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// The memory that JSON and patches take which is not counted by itself.
    var byteCount: Int {
        others.values.reduce(
            whole.value.heldByteCount + recent.byteCount + viewers.byteCount
        ) {
            $0 + $1.value.heldByteCount
        }
    }

    /// The number of those that may have patches, the whole state among them.
    var patchedCount: Int {
        1 + others.values.count { $0.value.hasPatches } + recent.patchedCount
    }

    /// Clients follow a projection by its patches, or did a short while ago.
    var keepsPatches: Bool {
        whole.value.hasPatches || others.values.contains { $0.value.hasPatches }
    }

    // MARK: Finding

    /// The projection of a view for one who looks: the one that is kept for its class, or a new one.
    ///
    /// - Parameter view: the name; nil for what stands for the state.
    package func find(
        _ view: String?, for viewer: Viewer, in store: any SessionStore
    ) -> Projection {
        if view == nil, store.showsState { return whole }
        let shown = ShownView(
            name: view, viewerClass: store.viewerClass(of: viewer, for: view))
        return find(.view(shown), lastChange: store.lastChange)
    }

    /// A part of what stands for the state; all of it where the pointer has no tokens.
    package func find(
        _ pointer: JSONPointer, of base: Projection, in store: any SessionStore
    ) -> Projection {
        guard !pointer.tokens.isEmpty else { return base }
        return find(.part(pointer, of: base), lastChange: store.lastChange)
    }

    /// The projection that shows a viewer, by the present state, what this one shows to its class.
    package func find(
        like projection: Projection, for viewer: Viewer, in store: any SessionStore
    ) -> Projection {
        switch projection.kind {
        case .whole: whole
        case .view(let view): find(view.name, for: viewer, in: store)
        case .part(let pointer, let base):
            find(pointer, of: find(like: base, for: viewer, in: store), in: store)
        }
    }

    /// - Parameter lastChange: the last change of the state, which may have changed a new one.
    private func find(_ kind: ProjectionKind, lastChange: UInt64) -> Projection {
        let key = kind.key
        if let known = others[key] { return known }
        if let known = recent.find(key, lastChange: lastChange) { return known }
        let made = Projection(kind: kind)
        made.changed(at: lastChange)
        return made
    }

    /// The version since which a viewer is known to be of the class of a projection, which shows others
    /// what it showed before; 0 where no state changes who is shown it.
    package func since(
        _ viewer: Viewer, of projection: Projection, in store: any SessionStore
    ) -> UInt64 {
        guard let view = projection.kind.changingView else { return 0 }
        return min(viewers.since(viewer, in: view) ?? .max, store.lastChange)
    }

    /// A client that was shown the projection at a version has it as it is now.
    package func isPresent(
        _ version: UInt64, in projection: Projection, _ store: any SessionStore
    ) -> Bool {
        version >= (projection === whole ? store.lastChange : projection.lastChange)
    }

    // MARK: Room

    /// The projection is kept, or may be.
    package func hasRoom(for projection: Projection, _ limits: SessionLimits) -> Bool {
        count + newCount(projection) <= limits.projectionCount
    }

    /// No more projections are kept than may be.
    package func isWithin(_ limits: SessionLimits) -> Bool { count <= limits.projectionCount }

    /// The number of projections that are kept for this one and are not yet.
    private func newCount(_ projection: Projection) -> Int {
        guard projection !== whole, others[projection.key] == nil else { return 0 }
        guard case .part(_, let base) = projection.kind else { return 1 }
        return 1 + newCount(base)
    }

    // MARK: Clients

    /// One client more watches a projection; answers with the number of all.
    mutating func addWatcher(of projection: Projection) -> Int {
        keep(projection)
        projection.addWatchers(1)
        watcherCount += 1
        return watcherCount
    }

    /// One client less watches a projection; answers with the number of all.
    mutating func removeWatcher(of projection: Projection) -> Int {
        precondition(projection.watcherCount > 0, "Each watcher goes once.")
        projection.addWatchers(-1)
        watcherCount -= 1
        forgetIfUnused(projection)
        return watcherCount
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
        recent.remove(projection.key)
        if projection.isClassed { classedCount += 1 }
        switch projection.kind {
        case .whole: break
        case .view(let view): addView(projection, named: view.name)
        case .part(let pointer, let base):
            keep(base)
            base.parts.add(projection, pointer)
        }
    }

    private mutating func forgetIfUnused(_ projection: Projection) {
        guard projection.isUnused, projection !== whole,
            others[projection.key] === projection
        else { return }
        others[projection.key] = nil
        if projection.isClassed { classedCount -= 1 }
        switch projection.kind {
        case .whole: break
        case .view(let view): removeView(projection, named: view.name)
        case .part(_, let base):
            base.parts.remove(projection)
            forgetIfUnused(base)
        }
        if projection.value.hasPatches, projection.kind.canLinger { recent.keep(projection) }
    }

    private mutating func addView(_ projection: Projection, named name: String?) {
        projection.place = views[name, default: []].count
        views[name, default: []].append(projection)
    }

    /// The last view of the name takes the place of the one that goes, so that none is looked for.
    private mutating func removeView(_ projection: Projection, named name: String?) {
        let place = projection.place
        precondition(views[name]?[place] === projection, "A view that is kept knows its place.")
        guard let last = views[name]?.popLast() else { return }
        if last !== projection {
            views[name]?[place] = last
            last.place = place
        }
        if views[name]?.isEmpty ?? false { views[name] = nil }
    }

    // MARK: A while without clients

    /// Keeps a projection for a while, where it has no clients.
    mutating func linger(_ projection: Projection) {
        guard projection.kind.canLinger, others[projection.key] == nil else { return }
        recent.keep(projection)
    }

    /// Lets go of patches that no client asks for any more, and of projections without clients where
    /// memory is short or the session was not used for long.
    ///
    /// - Parameter byteLimit: the memory for the patches of each that stays.
    /// - Returns: the instant at which patches go next; nil where none do.
    mutating func age(isTight: Bool, isOld: Bool, byteLimit: Int, at now: Instant) -> Instant? {
        whole.agePatches(isTight: isTight, byteLimit: byteLimit, at: now)
        for projection in others.values {
            projection.agePatches(isTight: isTight, byteLimit: byteLimit, at: now)
        }
        recent.agePatches(isTight: isTight, byteLimit: byteLimit, at: now)
        if isTight || isOld {
            recent.removeAll()
            viewers.removeAll()
        }
        if watcherCount == 0, isTight || isOld { whole.change { $0.drop() } }
        let ends = others.values.map(\.value.endOfPatches)
        return ([whole.value.endOfPatches, recent.endOfPatches] + ends).compactMap { $0 }.min()
    }

    /// Begins anew, with a state of which nothing is known yet.
    mutating func begin(at version: UInt64) {
        recent.removeAll()
        viewers.removeAll()
        for projection in all { projection.begin(at: version) }
    }
}
