import Bytes
package import Redux
package import StateCoding

/// The projections of one session: the whole state, and the parts and views that are watched.
package struct Projections {
    package let whole: Projection
    /// Those with clients, and those of which a part has some.
    private var others: [ProjectionKey: Projection] = [:]
    /// Views that were read lately, without clients.
    private var recent = RecentProjections()
    /// The number of the others whose viewers are of a class.
    private var classedCount = 0
    /// The change of the state by which the classes were last told.
    private var grouped: UInt64
    private var encoding = WholeEncoding()
    package private(set) var watcherCount = 0
    package private(set) var waiterCount = 0

    /// Tells operators what a view has come to.
    private let report: (SessionContext.Report) -> Void
    private let budget: PatchBudget

    init(
        lastChange: UInt64, _ budget: PatchBudget,
        report: @escaping (SessionContext.Report) -> Void = { _ in }
    ) {
        self.report = report
        self.budget = budget
        whole = Projection(kind: .whole)
        whole.changed(at: lastChange)
        grouped = lastChange
    }

    /// The number of parts and views that are kept.
    var count: Int { others.count }

    /// All projections, the whole state first.
    package var all: [Projection] { [whole] + others.values }

    /// Those whose viewers are of a class, which may change with the state.
    package var classed: [Projection] { others.values.filter(\.isClassed) }

    /// Some clients are of a class.
    var isClassed: Bool { classedCount > 0 }

    /// The projections have clients.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// The memory that JSON takes which is not counted by itself.
    var byteCount: Int {
        others.values.reduce(whole.heldByteCount + recent.byteCount) { $0 + $1.heldByteCount }
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
            name: view, arguments: viewer.arguments,
            viewerClass: store.viewerClass(of: viewer, for: view))
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

    // MARK: Clients

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
        if watcherCount == 0 { encoding.forget() }
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
        if case .part(let pointer, let base) = projection.kind {
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
        if case .part(_, let base) = projection.kind {
            base.parts.remove(projection)
            forgetIfUnused(base)
        }
        if projection.patches != nil, projection.kind.canLinger { recent.keep(projection) }
    }

    /// Clients ask for the patches of a projection.
    mutating func keepPatches(of projection: Projection, from store: any SessionStore) {
        projection.keepPatches(byteLimit: patchShare)
        if projection.kind.canLinger, others[projection.key] == nil { recent.keep(projection) }
        guard projection === whole, whole.patches?.form == nil, let at = whole.encodedAt,
            at >= store.lastChange
        else { return }
        do throws(EncodingFailure) {
            whole.keepForm(try store.encodeState(after: nil).form)
        } catch {
            // A type that cannot be written a second time has no form: the next change is a snapshot.
        }
    }

    /// The memory for the patches of one projection, in bytes.
    private var patchShare: Int {
        budget.share(among: 1 + others.values.count { $0.patches != nil } + recent.patchedCount)
    }

    /// Clients follow a projection by its patches, or did a short while ago.
    var keepsPatches: Bool {
        whole.patches != nil || others.values.contains { $0.patches != nil }
    }

    /// A client that has this tag has the projection as it is now.
    package func isPresent(
        _ tag: ProjectionTag, of epoch: String, in projection: Projection, _ store: any SessionStore
    ) -> Bool {
        let lastChange = projection === whole ? store.lastChange : projection.lastChange
        return tag.token.epoch == epoch && tag.suffix == projection.suffix
            && (lastChange...store.version).contains(tag.token.version)
    }

    /// The JSON of a projection as of the committed state; nil where it is out of scope.
    mutating func json(
        of projection: Projection, from store: any SessionStore
    ) throws(EncodingFailure) -> SharedBytes? {
        try update(projection, from: store)
        return projection.json
    }

    /// Encodes a projection as of the committed state, where it is not that already.
    mutating func update(
        _ projection: Projection, from store: any SessionStore
    ) throws(EncodingFailure) {
        if let at = projection.encodedAt, at >= store.lastChange {
            return projection.stayed(at: store.version)
        }
        switch projection.kind {
        case .whole where projection.patches != nil:
            encoding.forget()
            let change = try encoding.change(of: store, after: whole.patches?.form)
            projection.encoded(change, at: store.version)
        case .whole:
            let json = try encoding.encode(
                store, isWatched: watcherCount > 0, expected: whole.byteCount)
            projection.encoded(json, at: store.version)
        case .view(let view):
            encode(view, as: projection, store)
        case .part(let pointer, let base):
            let all = try json(of: base, from: store)?.bytes ?? []
            let range = pointer.range(in: all.span)
            projection.encoded(range.map { SharedBytes(Array(all[$0])) }, at: store.version)
        }
    }

    /// A view that cannot be written shows nothing: it may be one client's arguments that are to
    /// blame, and the others go on.
    private mutating func encode(
        _ view: ShownView, as projection: Projection, _ store: any SessionStore
    ) {
        var output: [UInt8] = []
        output.reserveCapacity(projection.json.map { $0.count + 64 } ?? 0)
        do throws(EncodingFailure) {
            switch try store.encodeView(view, reusing: &projection.input, into: &output) {
            case .encoded where projection.json?.bytes == output, .unchanged:
                projection.stayed(at: store.version)
            case .encoded: projection.encoded(SharedBytes(output), at: store.version)
            case .outOfScope: projection.encoded(nil, at: store.version)
            }
        } catch {
            projection.dropContent()
            projection.encoded(nil, at: store.version)
            report(.viewNotEncodable(name: view.name, error))
        }
        if others[projection.key] == nil { recent.keep(projection) }
    }

    /// Lets go of the bytes that can be made again.
    mutating func dropCaches(isTight: Bool, isOld: Bool) {
        let share = patchShare
        whole.agePatches(isTight: isTight, byteLimit: share)
        for projection in others.values {
            projection.agePatches(isTight: isTight, byteLimit: share)
        }
        recent.age(isTight: isTight, byteLimit: share)
        if isTight || isOld { recent.removeAll() }
        if watcherCount == 0, isTight || isOld { whole.dropContent() }
        if isTight { encoding.forget() }
    }

    /// Begins anew, with a state of which nothing is known yet.
    mutating func begin(at version: UInt64) {
        recent.removeAll()
        // The state may be of a lower version than the one before it.
        grouped = version
        for projection in all { projection.begin(at: version) }
    }

    /// The step in which clients go to the projections of the classes that they are of now; nil
    /// where this change has led to one already.
    mutating func regroup(at lastChange: UInt64) -> SessionStep? {
        guard grouped < lastChange else { return nil }
        grouped = lastChange
        return .regroup
    }

    /// Makes the projections that are watched anew from a state that has changed, and finds those
    /// that differ.
    ///
    /// - Parameter form: the committed state's, where the session's log has it.
    mutating func publish(
        _ store: any SessionStore, _ form: EncodedForm?, _ publication: inout Publication
    ) throws(EncodingFailure) {
        encoding.known = form
        defer { encoding.known = nil }
        let version = store.version
        if !whole.isUnused {
            try update(whole, from: store)
            if whole.hasClients {
                whole.changed(at: version)
                publication.whole = whole
            }
            publishParts(of: whole, at: version, &publication)
        }
        for view in others.values {
            guard case .view = view.kind else { continue }
            let old = view.json
            let new = try self.json(of: view, from: store)
            guard old?.bytes != new?.bytes else { continue }
            view.changed(at: version)
            if view.hasClients { publication.others.append(view) }
            publishParts(of: view, at: version, &publication)
        }
    }

    private func publishParts(
        of base: Projection, at version: UInt64, _ publication: inout Publication
    ) {
        guard !base.parts.isEmpty else { return }
        for part in base.parts.update(in: base.json, at: version) {
            part.changed(at: version)
            publication.others.append(part)
        }
    }
}
