import Accounting
import Bytes
import Redux
import StateCoding

/// Encodes the projections of one session, and finds those that a commit has changed.
struct ProjectionPublisher {
    private var encoding = WholeEncoding()
    var table: ProjectionTable
    /// The change of the state by which the classes were last told.
    private var grouped: UInt64

    private let id: SessionID
    private let context: SessionContext

    init(at lastChange: UInt64, _ id: SessionID, _ context: SessionContext) {
        self.id = id
        self.context = context
        table = ProjectionTable(lastChange: lastChange)
        grouped = lastChange
    }

    private var whole: Projection { table.whole }

    /// Clients ask for the patches of a projection.
    mutating func keepPatches(of projection: Projection, from store: any SessionStore) {
        projection.keepPatches(byteLimit: patchShare)
        table.linger(projection)
        switch projection.kind {
        case .whole: keepFormOfWhole(store)
        case .view: projection.change { $0.keepTextAsForm() }
        case .part: break
        }
    }

    private func keepFormOfWhole(_ store: any SessionStore) {
        guard whole.value.form == nil, let at = whole.encodedAt, at >= store.lastChange else {
            return
        }
        do throws(EncodingFailure) {
            let form = try store.encodeState(after: nil).form
            whole.change { $0.keepForm(form) }
        } catch {
            // A type that cannot be written a second time has no form: the next change is a snapshot.
        }
    }

    /// The least memory for the patches of one projection, in bytes.
    private static let leastPatchShare = 4096

    /// The memory for the patches of one projection, in bytes; the whole state is one at least.
    private var patchShare: Int {
        max(Self.leastPatchShare, context.limits.patchByteCount / table.patchedCount)
    }

    /// One client less watches a projection; answers with the number of all.
    mutating func removeWatcher(of projection: Projection) -> Int {
        let count = table.removeWatcher(of: projection)
        if count == 0 { encoding.forget() }
        return count
    }

    /// Encodes a projection as of the committed state, where it is not that already.
    ///
    /// - Parameter form: the committed state's, where the session's log has it.
    mutating func update(
        _ projection: Projection, from store: any SessionStore, _ form: EncodedForm? = nil
    ) throws(EncodingFailure) {
        if let at = projection.encodedAt, at >= store.lastChange {
            return projection.stayed(at: store.version)
        }
        switch projection.kind {
        case .whole where whole.value.hasPatches:
            encoding.forget()
            let change = try encoding.change(of: store, after: whole.value.form, known: form)
            let isShown = whole.hasClients
            whole.change { $0.encoded(change, at: store.version, isShown: isShown) }
        case .whole:
            let json = try encoding.encode(
                store, isWatched: table.watcherCount > 0, expected: whole.byteCount)
            projection.encoded(json, at: store.version)
        case .view(let view):
            encode(view, as: projection, store)
            table.linger(projection)
        case .part(let pointer, let base):
            try update(base, from: store, form)
            let all = base.json?.bytes ?? []
            let range = pointer.range(in: all.span)
            projection.encoded(range.map { SharedBytes(Array(all[$0])) }, at: store.version)
        }
    }

    /// A view that cannot be written shows nothing: it may be one client's arguments that are to
    /// blame, and the others go on.
    private func encode(
        _ view: ShownView, as projection: Projection, _ store: any SessionStore
    ) {
        let (version, isShown) = (store.version, projection.hasClients)
        var output = projection.value.output
        do throws(EncodingFailure) {
            let content = try store.encodeView(view, to: &output)
            projection.change { $0.encoded(content, output, at: version, isShown: isShown) }
        } catch {
            projection.change { $0.failed(at: version, isShown: isShown) }
            context.report(id, .viewNotEncodable(name: view.name, error))
        }
    }

    /// Lets go of the bytes that can be made again.
    ///
    /// - Returns: the instant at which patches go next; nil where none do.
    mutating func dropCaches(isTight: Bool, isOld: Bool, at now: Instant) -> Instant? {
        if isTight { encoding.forget() }
        return table.age(isTight: isTight, isOld: isOld, byteLimit: patchShare, at: now)
    }

    /// Begins anew, with a state of which nothing is known yet.
    mutating func begin(at version: UInt64) {
        // The state may be of a lower version than the one before it.
        grouped = version
        table.begin(at: version)
    }

    /// The step in which clients go to the projections of the classes that they are of now; nil where
    /// there are none, or this change has led to one already.
    mutating func regroup(by store: any SessionStore) -> SessionStep? {
        guard grouped < store.lastChange else { return nil }
        grouped = store.lastChange
        if !table.viewers.isEmpty { table.viewers.removeLeavers(by: store) }
        return table.isClassed ? .regroup : nil
    }

    /// Makes the projections that are watched anew from a state that has changed, and finds those
    /// that differ.
    ///
    /// - Parameter form: the committed state's, where the session's log has it.
    mutating func publish(
        _ store: any SessionStore, _ form: EncodedForm?, _ publication: inout Publication
    ) throws(EncodingFailure) {
        let (version, whole) = (store.version, table.whole)
        if !whole.isUnused {
            try update(whole, from: store, form)
            if whole.hasClients {
                whole.changed(at: version)
                publication.whole = whole
            }
            whole.updateParts(at: version, addingTo: &publication.others)
        }
        guard !table.views.isEmpty else { return }
        for (name, views) in table.views {
            for view in refresh(views, named: name, from: store) {
                view.changed(at: version)
                if view.hasClients { publication.others.append(view) }
                view.updateParts(at: version, addingTo: &publication.others)
            }
        }
    }

    /// Makes those projections of one view anew whose input is another than before, and returns
    /// those that differ.
    private func refresh(
        _ views: [Projection], named name: String?, from store: any SessionStore
    ) -> [Projection] {
        let version = store.version
        let inputs = views.map { $0.value.input }
        let changes = store.changes(ofView: name, among: inputs.span) ?? Array(views.indices)
        var renewed: [Projection] = []
        var next = 0
        for place in changes {
            precondition(next <= place, "The places of changed inputs are in order.")
            for unchanged in next..<place { views[unchanged].stayed(at: version) }
            next = place + 1
            let projection = views[place]
            guard case .view(let view) = projection.kind else { continue }
            encode(view, as: projection, store)
            if projection.value.renewedAt == version { renewed.append(projection) }
        }
        for unchanged in next..<views.count { views[unchanged].stayed(at: version) }
        return renewed
    }
}
