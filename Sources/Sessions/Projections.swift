package import Bytes
package import Redux
package import StateCoding

/// The projections that one session keeps: the whole state, the parts and views that have clients,
/// and a few that were read lately. Encodes them, and finds those that a commit has changed.
package final class Projections {
    /// The most projections that are kept without clients.
    private static let recentCount = 16
    /// The least memory for the patches of one projection, in bytes.
    private static let leastPatchShare = 4096

    package let whole: Projection
    private(set) var watcherCount = 0
    private(set) var waiterCount = 0
    /// The selections of each client.
    private var accounts = Accounts()
    /// The views that have clients, or of which a part has some, by their names; nil for what stands
    /// for the state.
    private(set) var views: [String?: [Projection]] = [:]
    /// All but the whole state.
    private var kept: [ProjectionKey: Projection] = [:]
    /// Those without clients: they stay until the state changes, because others may read them as well,
    /// or for their patches, because a client may come back.
    private var recent: [Projection] = []
    /// The viewers who were shown views by keys lately.
    var viewers = RecentViewers()
    /// The last answers about the past, the oldest first, which count as shared bytes; none is kept of a
    /// version before `pastBegin`.
    var past: [KeptAnswer] = []
    package internal(set) var pastBegin: UInt64 = 0
    /// The most answers about the past that are kept.
    static let pastCount = 4
    /// A smaller state is encoded anew as fast, where nobody follows it by patches.
    private static let leastFormByteCount = 512
    /// A larger one keeps its form although nobody follows it: 1 MB is encoded anew in 8 to 12 ms.
    private static let dearByteCount = 64 * 1024
    /// The change of the state by which the classes were last told.
    private var grouped: UInt64
    /// The views of one change are made for so long in a turn: other sessions wait for no more.
    private static let turnDuration = Duration.milliseconds(20)
    /// The views of the last change, of which so many are looked at, by their names.
    private var late: [(name: String?, views: [Projection], count: Int, common: CommonViews?)] = []
    /// What was made before its turn, as a client has asked for it: all others are to be sent it.
    private var early: [Projection] = []
    private var store: any ShowsState
    private let id: SessionID
    let context: SessionContext

    /// Nothing but the whole state, as of its last change.
    init(of store: any ShowsState, _ id: SessionID, _ context: SessionContext) {
        self.store = store
        whole = Projection(.whole, changedAt: store.lastChange)
        grouped = store.lastChange
        self.id = id
        self.context = context
    }

    /// The number of parts and views that have clients.
    var count: Int { kept.count - recent.count }

    /// All projections that are kept, the whole state first.
    package var all: [Projection] { [whole] + kept.values }

    /// The views whose viewers are of classes, which may change with the state, by their names; the
    /// parts of each stand behind it.
    package var classed: [String?: [Projection]] {
        views.filter { $0.value.contains(where: \.isClassed) }
            .mapValues { $0 + $0.flatMap(\.parts) }
    }

    /// The projections have clients.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// The memory that JSON and patches take which is not counted by itself.
    var byteCount: Int {
        kept.values.reduce(whole.heldByteCount + viewers.byteCount) { $0 + $1.heldByteCount }
    }

    /// Nothing of them is kept that another request would miss.
    var isEmpty: Bool {
        kept.isEmpty && whole.isUnused && whole.patches == nil && whole.encodedAt == nil
            && viewers.isEmpty && past.allSatisfy { $0.answer == nil && $0.bytes == nil }
    }

    /// Clients follow a projection by its patches, or did a short while ago.
    var keepsPatches: Bool {
        whole.patches != nil || kept.values.contains { $0.patches != nil && !$0.isUnused }
    }

    // MARK: Finding

    /// The projection of a view for one who looks, or a part of it: the one that is kept for its class,
    /// or a new one.
    ///
    /// - Parameters:
    ///   - view: the name; nil for what stands for the state.
    ///   - pointer: the part; nil or without tokens for all of it.
    package func find(
        _ view: String?, _ pointer: JSONPointer? = nil, for viewer: Viewer
    ) -> Projection {
        var base = whole
        if view != nil || !store.showsState {
            let viewerClass = store.viewerClass(of: viewer, for: view)
            base = find(.view(ShownView(name: view, viewerClass: viewerClass)))
        }
        return pointer.map { find($0, of: base) } ?? base
    }

    /// A part of what stands for the state; all of it where the pointer has no tokens.
    package func find(_ pointer: JSONPointer, of base: Projection) -> Projection {
        pointer.tokens.isEmpty ? base : find(.part(pointer, of: base))
    }

    /// What shows that a part is not there, until it is; other projections themselves.
    package func absence(of projection: Projection) -> Projection {
        guard case .part(_, let base) = projection.kind else { return projection }
        return find(.absence(of: base))
    }

    /// The projection that shows a viewer, by the present state, what this one shows to its class.
    ///
    /// - Parameter absent: the part that was not there.
    package func find(
        like projection: Projection, _ absent: JSONPointer?, for viewer: Viewer
    ) -> Projection {
        switch projection.kind {
        case .whole: whole
        case .view(let view): find(view.name, for: viewer)
        case .part(let pointer, let base): find(pointer, of: find(like: base, nil, for: viewer))
        case .absence(let base):
            find(absent ?? JSONPointer(), of: find(like: base, nil, for: viewer))
        }
    }

    private func find(_ kind: ProjectionKind) -> Projection {
        guard let known = kept[ProjectionKey(kind)],
            !known.isUnused || known.patches != nil || known.lastChange == store.lastChange
        else { return Projection(kind, changedAt: store.lastChange, hash: context.hash) }
        if known.isUnused { known.noteChange(at: store.lastChange) }
        return known
    }

    /// The version since which a viewer is known to be of the class of a projection, which shows others
    /// what it showed before; 0 where no state changes who is shown it.
    package func since(_ viewer: Viewer, of projection: Projection) -> UInt64 {
        guard let view = projection.kind.changingView else { return 0 }
        return min(viewers.since(viewer, in: view) ?? .max, store.lastChange)
    }

    /// A client that was shown the projection at a version has it as it is now.
    package func isPresent(_ version: UInt64, in projection: Projection) -> Bool {
        version >= (projection === whole ? store.lastChange : projection.lastChange)
    }

    /// Some views of a change are still to be made.
    var isBehind: Bool { !late.isEmpty }

    /// Clients are still to be shown what the present state makes of the projection.
    func isLate(_ projection: Projection) -> Bool {
        isBehind && projection !== whole
            && (!isOfToday(projection) || early.contains { $0 === projection })
    }

    func isOfToday(_ projection: Projection) -> Bool {
        projection.encodedAt.map { $0 >= store.lastChange } ?? false
    }

    // MARK: Room

    /// The projection is kept, or may be: a class of viewers before any selection.
    ///
    /// - Parameter chooser: the client who has selected it; 0: it is shown to a class of viewers.
    package func hasRoom(
        for projection: Projection, of chooser: Accounts.Client, _ limits: SessionLimits
    ) -> Bool {
        let (new, limit) = (newCount(projection), limits.projectionCount)
        guard new > 0 else { return true }
        if chooser == 0 || projection.isAbsence {
            return count - accounts.total(.selections) + new <= limit
        }
        return count + new <= limit && isWithinShare(chooser, limits)
    }

    /// A client may have one more selection, whatever others have.
    package func isWithinShare(_ chooser: Accounts.Client, _ limits: SessionLimits) -> Bool {
        let share = Accounts.share(limits.sessionShare, of: limits.projectionCount)
        return chooser == 0 || accounts[.selections, chooser] < share
    }

    /// The number of projections that are kept for this one and have no clients yet.
    private func newCount(_ projection: Projection) -> Int {
        isNew(projection) ? 1 + (projection.kind.base.map(newCount) ?? 0) : 0
    }

    private func isNew(_ projection: Projection) -> Bool {
        projection !== whole && kept[projection.key]?.isUnused ?? true
    }

    // MARK: Clients

    /// Some watchers of a projection come or go, or some that wait for a change of it.
    ///
    /// - Parameter chooser: see `hasRoom`; the first one answers for it as long as it has clients.
    func add(
        watchers: Int = 0, waiters: Int = 0, to projection: Projection,
        of chooser: Accounts.Client = 0
    ) {
        if chooser > 0, isNew(projection), !projection.isAbsence {
            projection.chooser = chooser
            accounts.add(1, .selections, of: chooser)
        }
        keep(projection)
        projection.add(watchers: watchers, waiters: waiters)
        watcherCount += watchers
        waiterCount += waiters
        leaveIfUnused(projection)
        if watcherCount == 0, whole.patches == nil { whole.dropForm(below: Self.dearByteCount) }
    }

    private func keep(_ projection: Projection) {
        guard isNew(projection) else { return }
        kept[projection.key] = projection
        recent.removeAll { $0.key == projection.key }
        switch projection.kind {
        case .whole: break
        case .view(let view): views[view.name, default: []].append(projection)
        case .part(_, let base), .absence(let base):
            keep(base)
            base.add(projection)
        }
    }

    private func leaveIfUnused(_ projection: Projection) {
        guard projection !== whole, projection.isUnused else { return }
        if projection.chooser > 0 { accounts.add(-1, .selections, of: projection.chooser) }
        projection.chooser = 0
        switch projection.kind {
        case .whole: break
        case .view(let view):
            views[view.name]?.removeAll { $0 === projection }
            if views[view.name]?.isEmpty ?? false { views[view.name] = nil }
        case .part(_, let base), .absence(let base):
            base.remove(projection)
            leaveIfUnused(base)
        }
        kept[projection.key] = nil
        if projection.patches != nil { linger(projection) }
    }

    /// Keeps a projection for a while, where it has no clients and can have some again.
    private func linger(_ projection: Projection) {
        guard projection.kind.canLinger, isNew(projection) else { return }
        for known in recent where known.patches == nil && known.lastChange != store.lastChange {
            kept[known.key] = nil
        }
        recent.removeAll { $0.key == projection.key || kept[$0.key] == nil }
        if recent.count >= Self.recentCount {
            kept[recent.remove(at: recent.firstIndex { $0.patches == nil } ?? 0).key] = nil
        }
        kept[projection.key] = projection
        recent.append(projection)
    }

    // MARK: Patches

    /// Clients ask for the patches of a projection.
    func keepPatches(of projection: Projection) {
        projection.keepPatches(byteLimit: patchShare, skipsStates: store.isFollowing)
        linger(projection)
    }

    /// The memory for the patches of one projection, in bytes; the whole state is one at least.
    private var patchShare: Int {
        let count = 1 + kept.values.count { $0.patches != nil }
        return max(Self.leastPatchShare, context.limits.patchByteCount / count)
    }

    // MARK: Values

    /// Encodes a projection as of the committed state, where it is not that already.
    ///
    /// - Parameter form: the committed state's, where the session's log has it.
    func update(_ projection: Projection, _ form: EncodedForm? = nil) throws(EncodingFailure) {
        if !late.isEmpty {
            let view = projection.kind.base ?? projection
            if view !== whole, !view.isUnused { early += renew(view) }
        }
        if let at = projection.encodedAt, at >= store.lastChange {
            return projection.confirm(at: store.version)
        }
        switch projection.kind {
        case .whole: try encode(projection, form)
        case .view(let view):
            encode(view, as: projection)
            linger(projection)
        case .part(let pointer, let base):
            try update(base, form)
            projection.show(base.json(at: pointer), at: store.version)
            if projection.byteCount ?? 0 >= Self.dearByteCount { linger(projection) }
        case .absence: projection.show(nil as SharedBytes?, at: store.version)
        }
    }

    private func encode(_ whole: Projection, _ known: EncodedForm?) throws(EncodingFailure) {
        if let known { return whole.show(known, at: store.version) }
        let least = watcherCount > 0 ? Self.leastFormByteCount : Self.dearByteCount
        if whole.patches != nil || whole.byteCount ?? 0 >= least {
            return whole.show(try store.encodeState(after: whole.form), at: store.version)
        }
        var output: [UInt8] = []
        output.reserveCapacity((whole.byteCount ?? 512) + 64)
        try store.encodeState(into: &output)
        whole.show(SharedBytes(output), at: store.version)
    }

    /// A view that cannot be written shows nothing: it may be one client's arguments that are to
    /// blame, and the others go on. It is computed again at the next change.
    ///
    /// - Parameter common: what this change has shown to other classes of viewers.
    private func encode(
        _ view: ShownView, as projection: Projection, _ common: CommonViews? = nil
    ) {
        var output = projection.output(common)
        do throws(EncodingFailure) {
            try store.encodeView(view, to: &output)
        } catch {
            output = ViewOutput()
            output.leaveScope()
            let name = view.name.map { "The view \"\($0)\"" } ?? "The view of the state"
            context.report(id, "\(name) cannot be written as JSON, and shows nothing", error)
        }
        projection.show(output, at: store.version)
    }

    /// Makes the projections that are watched anew from a state that has changed, and finds those
    /// that differ: the views as far as there is time. `publishMore` goes on with the others, and until
    /// none is left the state stays as it is.
    ///
    /// - Parameter form: the committed state's, where the session's log has it.
    /// - Returns: the whole state, where it is watched, and the parts and views that have changed.
    func publish(
        _ form: EncodedForm?
    ) throws(EncodingFailure) -> (whole: Projection?, others: [Projection]) {
        var others: [Projection] = []
        if !whole.isUnused {
            try update(whole, form)
            others += whole.updateParts(at: store.version)
        }
        if !views.isEmpty {
            late = views.map { ($0, $1, 0, nil) }
            others += publishMore()
        }
        guard whole.hasClients else { return (nil, others) }
        // All are told the version, that of an entry which changed nothing, too.
        whole.noteChange(at: store.version)
        return (whole, others)
    }

    /// Asks more of the views whether their input is another than before, makes those anew, and finds those
    /// that differ.
    func publishMore() -> [Projection] {
        let end = late.isEmpty ? .never : context.readClock().advanced(by: Self.turnDuration)
        var changed = publishEarly()
        while var next = late.popLast() {
            while next.count < next.views.count {
                let inputs = next.views[next.count...].prefix(4).map(\.input)
                let places =
                    store.changes(ofView: next.name, among: inputs.span) ?? Array(inputs.indices)
                if places.count > 1, next.common == nil { next.common = (.init(), .init()) }
                for at in places { changed += renew(next.views[next.count + at], next.common) }
                next.count += inputs.count
                guard context.readClock() >= end else { continue }
                late.append(next)
                return changed
            }
            // What has lost its bytes meanwhile stays to be made.
            for view in next.views where view.encodedAt != nil {
                view.confirm(at: store.version)
                if view.renewedAt == store.version { changed += renew(view) }
            }
        }
        return changed
    }

    /// What was made before its turn since this was asked last.
    func publishEarly() -> [Projection] { exchange(&early, with: []) }

    /// Makes a view as of the present state, once: it has clients, or parts that have some.
    ///
    /// - Returns: what clients are to be sent: the view and the parts of it that have changed.
    private func renew(_ projection: Projection, _ common: CommonViews? = nil) -> [Projection] {
        let (version, isMade) = (store.version, isOfToday(projection))
        guard !isMade || projection.lastChange < version else { return [] }
        if !isMade, case .view(let view) = projection.kind { encode(view, as: projection, common) }
        guard projection.renewedAt == version else { return [] }
        projection.noteChange(at: version)
        return (projection.hasClients ? [projection] : []) + projection.updateParts(at: version)
    }

    /// The step in which clients go to the projections of the classes that they are of now; nil where
    /// there are none, or this change has led to one already.
    func regroup() -> SessionStep? {
        guard grouped < store.lastChange else { return nil }
        grouped = store.lastChange
        if !viewers.isEmpty { viewers.removeLeavers(by: store) }
        return views.values.contains { $0.contains(where: \.isClassed) } ? .regroup : nil
    }

    // MARK: Time

    /// Lets go of patches that no client asks for any more, and of bytes that can be made again where
    /// memory is short or the session was not used for long.
    ///
    /// - Returns: the instant at which patches go next; nil where none do.
    func age(isTight: Bool, isOld: Bool, at now: Instant) -> Instant? {
        if isTight, whole.patches == nil { whole.dropForm() }
        if isTight || isOld { forgetRecent() }
        let byteLimit = patchShare
        let ends = all.compactMap { $0.agePatches(isTight: isTight, byteLimit: byteLimit, at: now) }
        if isTight || isOld, watcherCount == 0 { whole.drop() }
        return ends.min()
    }

    /// Nothing leads to what is shown now, and what was before a version is forgotten.
    func forget(before version: UInt64) {
        for projection in all { projection.patches?.forget() }
        pastBegin = max(pastBegin, version)
        forgetPast { $0.version < version }
    }

    private func forgetRecent() {
        for projection in recent { kept[projection.key] = nil }
        recent = []
        forgetPast { _ in true }
        viewers.removeAll()
    }

    /// Begins anew, with a state of which nothing is known yet.
    func begin(with store: any ShowsState) {
        self.store = store
        (late, early) = ([], [])
        let version = store.lastChange
        // The state may be of a lower version than the one before it.
        grouped = version
        forgetRecent()
        for projection in all { projection.begin(at: version) }
    }
}
