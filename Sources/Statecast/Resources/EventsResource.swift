import HTTPMessages
import HTTPServer
import HTTPTypes
import Sessions
import Sockets

/// `GET M/sessions/{id}/events` (protocol §3).
struct EventsResource {
    /// The stream that a request asks for.
    private struct Wishes {
        var selection: Selection
        var format: StreamWatcher.Format
        var mode: StreamWatcher.Mode
        var endsOutOfScope: Bool
        /// The client has named a coding; it prefers gzip.
        var hasCompression: Bool
        var isCompressed: Bool
        /// The state that the client has.
        var tag: ProjectionTag?

        var projection: Projection { selection.projection }
    }

    let context: ServingContext
    let facts: SessionFacts
    /// Nil where streams are never checked.
    let checks: AccessChecks?
    let access: AccessPlan

    /// Answers with a stream of the selected projection.
    func open(
        _ request: SessionRequest, on session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let wishes = try select(request, of: session, in: bytes)
        let isInScope = try StateAnswer.isInScope(wishes.projection, of: session)
        let hasRoom =
            session.watcherCount < context.sessions.limits.watcherCount
            && session.projections.hasRoom(for: wishes.projection, context.sessions.limits)
        guard
            let watcher = admit(
                request.exchange, wishes, to: session, hasRoom: hasRoom, on: loop)
        else { return }
        guard hasRoom else {
            return watcher.end("busy", on: loop)
        }
        let standing = wishes.selection.standing(wishes.tag, in: session)
        watcher.goOn(from: standing.shown)
        let isPresent =
            isInScope
            && standing.shown.map {
                session.projections.isPresent($0, in: wishes.projection, session.store)
            } ?? false
        begin(
            watcher, of: wishes.selection.viewer, since: standing.since, isPresent: isPresent,
            on: loop)
        guard let checks, let control = access.control(ofMount: request.mount),
            let asked = access.request(
                request.head, in: bytes, ofMount: request.mount, about: request.id,
                from: request.exchange.remoteAddress)
        else { return }
        checks.add(watcher, asked, asking: control, on: loop)
    }

    // MARK: Steps

    private func select(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> Wishes {
        let head = request.head
        let query = Query(head.query, in: bytes)
        let selection = try Selection(query, of: session, for: request.principal)
        try Preconditions.check(head, in: bytes, tag: session.tag(selection.projection))
        let endsOutOfScope = try asks("until", "out-of-scope", query)
        let hasCompression = try asks("compression", "gzip", query)
        let hasPatches = try asks("patch", "json-patch", query)
        let known =
            head.value(.lastEventID)?.string(in: bytes) ?? query["last_event_id"]
            ?? query["lastEventId"]
        return Wishes(
            selection: selection, format: format(head, in: bytes),
            mode: hasPatches ? .patches : .states, endsOutOfScope: endsOutOfScope,
            hasCompression: hasCompression,
            isCompressed: hasCompression && AcceptField.prefers(coding: "gzip", head, in: bytes),
            tag: known.flatMap { ProjectionTag($0) })
    }

    /// A parameter is there, which has one value alone.
    private func asks(
        _ name: String, _ value: String, _ query: Query
    ) throws(ProblemDetails) -> Bool {
        guard let text = query[name] else { return false }
        guard text == value else {
            throw .badParameter(name, "\(value) is expected.")
        }
        return true
    }

    /// Starts the stream; nil where the client cannot have one.
    private func admit(
        _ exchange: Exchange, _ wishes: Wishes, to session: Session, hasRoom: Bool,
        on loop: isolated EventLoop
    ) -> StreamWatcher? {
        let watcher = StreamWatcher(
            session: session, projection: wishes.projection,
            by: wishes.selection.viewer.principal, format: wishes.format,
            mode: wishes.mode, endsOutOfScope: wishes.endsOutOfScope)
        let stream = exchange.startStream(
            source: watcher, age: context.sessions.limits.streamAge,
            compressed: wishes.isCompressed && hasRoom,
            on: loop
        ) { writer in
            writer.field(
                "Content-Type",
                wishes.format == .events ? "text/event-stream" : "application/x-ndjson")
            writer.field("Cache-Control", "no-store, no-transform")
            writer.field("X-Accel-Buffering", "no")
            if wishes.hasCompression { writer.vary(by: "Accept-Encoding") }
        }
        guard stream.isOpen else { return nil }
        watcher.stream = stream
        if wishes.format == .events {
            // The clients that lose a server at one moment come back at many.
            let retry = Int.random(in: 2_000...(hasRoom ? 4_000 : 10_000))
            stream.send(StreamEvent.retry(milliseconds: retry), on: loop)
        }
        return watcher
    }

    /// Sends the state, or where the client has it the id alone, and every change from now on.
    private func begin(
        _ watcher: StreamWatcher, of viewer: Viewer, since: UInt64, isPresent: Bool,
        on loop: isolated EventLoop
    ) {
        watcher.session.watch(watcher.projection)
        Audience.of(watcher.projection).add(
            watcher, of: viewer, since: since, at: loop.now)
        context.deadlines.expect(
            watcher.session, by: loop.now.advanced(by: context.sessions.limits.pingDuration))
        if isPresent {
            watcher.sendID(on: loop)
        } else {
            watcher.sendState(on: loop)
        }
        facts.came(watcher, on: loop)
    }

    private func format(_ head: RequestHead, in bytes: Span<UInt8>) -> StreamWatcher.Format {
        guard head.value(.accept) != nil else { return .events }
        let lines = AcceptField.weight(ofType: "application/x-ndjson", head, in: bytes)
        let events = AcceptField.weight(ofType: "text/event-stream", head, in: bytes)
        return lines > events ? .lines : .events
    }
}
