import Bytes
import Redux
import StateCoding

/// Encodes the projections of one session, and finds those that a commit has changed.
struct ProjectionPublisher {
    var table: ProjectionTable
    /// The change of the state by which the classes were last told.
    private var grouped: UInt64
    private var encoding = WholeEncoding()

    /// Tells operators what a view has come to.
    private let report: (SessionContext.Report) -> Void
    private let budget: PatchBudget

    init(
        lastChange: UInt64, _ budget: PatchBudget,
        report: @escaping (SessionContext.Report) -> Void = { _ in }
    ) {
        self.report = report
        self.budget = budget
        table = ProjectionTable(lastChange: lastChange)
        grouped = lastChange
    }

    private var whole: Projection { table.whole }

    /// Clients ask for the patches of a projection.
    mutating func keepPatches(of projection: Projection, from store: any SessionStore) {
        projection.keepPatches(byteLimit: patchShare)
        table.linger(projection)
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
    private var patchShare: Int { budget.share(among: table.patchedCount) }

    /// One client less watches a projection.
    mutating func removeWatcher(of projection: Projection) {
        table.removeWatcher(of: projection)
        if table.watcherCount == 0 { encoding.forget() }
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
                store, isWatched: table.watcherCount > 0, expected: whole.byteCount)
            projection.encoded(json, at: store.version)
        case .view(let view):
            encode(view, as: projection, store)
        case .part(let pointer, let base):
            try update(base, from: store)
            let all = base.json?.bytes ?? []
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
        table.linger(projection)
    }

    /// Lets go of the bytes that can be made again.
    mutating func dropCaches(isTight: Bool, isOld: Bool) {
        table.age(isTight: isTight, isOld: isOld, byteLimit: patchShare)
        if isTight { encoding.forget() }
    }

    /// Begins anew, with a state of which nothing is known yet.
    mutating func begin(at version: UInt64) {
        // The state may be of a lower version than the one before it.
        grouped = version
        table.begin(at: version)
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
            publication.others += whole.updateParts(at: version)
        }
        for view in table.views {
            let old = view.json
            try update(view, from: store)
            guard old?.bytes != view.json?.bytes else { continue }
            view.changed(at: version)
            if view.hasClients { publication.others.append(view) }
            publication.others += view.updateParts(at: version)
        }
    }
}
