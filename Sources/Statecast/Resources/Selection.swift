import HTTPMessages
import HTTPServer
import Redux
import Sessions
import StateCoding

/// The selection of a query: what stands for the state, a part of that, or a view.
struct Selection {
    /// The most arguments of a view.
    private static let argumentCount = 32
    /// The depth of a selection: no JSON of the server nests deeper.
    private static let tokenCount = 128
    /// The parameters that are no arguments of a view.
    private static let ownNames: Set<String> = [
        "view", "wait", "until", "compression", "throttle", "settle", "last_event_id",
        "lastEventId", "patch", "version",
    ]

    /// The name of a view; nil for what stands for the state.
    let view: String?
    /// The part of that; nil for all of it.
    let pointer: JSONPointer?
    let viewer: Viewer

    init(
        _ query: Query, for principal: Principal, in store: any ShowsState
    ) throws(ProblemDetails) {
        try query.check()
        view = query["view"]
        pointer = try query.value("select", "a JSON Pointer (RFC 6901)") {
            JSONPointer(parsing: $0)
        }
        guard pointer?.tokens.count ?? 0 <= Self.tokenCount else {
            throw .badParameter("select", "at most \(Self.tokenCount) tokens are expected.")
        }
        guard let view else {
            viewer = Viewer(principal)
            return
        }
        guard pointer == nil else {
            throw .badParameter("select", "not together with view.")
        }
        guard store.hasView(view) else {
            throw .badParameter("view", "the application has no such view.")
        }
        viewer = Viewer(principal, arguments: try Self.arguments(query))
    }

    /// The client has chosen one of many that there could be: it answers for the projection.
    var isChosen: Bool { pointer.map { !$0.tokens.isEmpty } ?? !viewer.arguments.isEmpty }

    func projection(in session: Session) -> Projection {
        session.projections.find(view, pointer, for: viewer)
    }

    /// What a viewer has seen of a projection: the version since which the viewer is known to be of the
    /// projection's class; and that at which the viewer was shown it, by the tag that the client names,
    /// nil where that is no tag of it, or is from before the viewer's time: others were shown it then.
    typealias Standing = (since: UInt64, shown: UInt64?)

    /// What the viewer has seen of the projection, by a tag that the client names.
    func standing(
        _ tag: ProjectionTag?, of projection: Projection, in session: Session
    ) -> Standing {
        let since = session.projections.since(viewer, of: projection)
        let version = tag?.version(
            in: session.epoch, projection.suffix, through: session.version)
        guard let version, version < since else { return (since, version) }
        // The connection that was lost may still seem open.
        let open = Audience.known(of: projection)?.since(viewer) ?? since
        return (min(since, open), version < open ? nil : version)
    }

    private static func arguments(_ query: Query) throws(ProblemDetails) -> [String: String] {
        let items = query.items.filter { !ownNames.contains($0.name) }
        guard items.count <= argumentCount else {
            throw .badParameter("query", "at most \(argumentCount) arguments of a view.")
        }
        return Dictionary(
            items.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
