import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension SessionRouter {
    /// `GET M/sessions/{id}/events` (protocol §3).
    func openStream(
        _ request: SessionRequest, on session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) {
        let exchange = request.exchange
        let query = Query(request.head.query, in: bytes)
        let projection: Projection
        switch selection(query, of: session) {
        case .failure(let problem): return exchange.respond(problem, on: loop)
        case .success(let selected): projection = selected
        }
        guard
            request.head.value(.ifMatch) == nil
                || !refuses(request, with: session.tag(projection), in: bytes, on: loop)
        else { return }
        if let until = query["until"], until != "out-of-scope" {
            return exchange.respond(.badParameter("until", "out-of-scope is expected."), on: loop)
        }
        let compression = query["compression"]
        guard compression == nil || compression == "gzip" else {
            return exchange.respond(.badParameter("compression", "gzip is expected."), on: loop)
        }
        let format = format(request.head, in: bytes)
        let watcher = Watcher(
            session: session, projection: projection, format: format,
            endsOutOfScope: query["until"] != nil)
        let isFull =
            session.watcherCount >= context.limits.watcherCount
            || !session.projections.hasRoom(for: projection, context.limits)
        let json: SharedBytes?
        do throws(ProblemDetails) {
            json = try session.content(of: projection, context, on: loop)
        } catch {
            return exchange.respond(error, on: loop)
        }
        let stream = exchange.startStream(
            source: watcher, age: context.limits.streamAge,
            compressed: compression != nil && !isFull
                && AcceptField.prefers(coding: "gzip", request.head, in: bytes),
            on: loop
        ) {
            Self.writeFields(format, &$0)
            if compression != nil { $0.field("Vary", "Accept-Encoding") }
        }
        guard stream.isOpen else { return }
        watcher.stream = stream
        if format == .events {
            // Those who lose a server at one moment come back at many.
            let retry = Int.random(in: 2_000...(isFull ? 10_000 : 4_000))
            stream.send(EventFrames.retry(milliseconds: retry), on: loop)
        }
        if isFull {
            session.sendControl("busy", to: watcher, on: loop)
            return stream.finish(on: loop)
        }
        session.add(watcher)
        projection.lastSent = loop.now
        if json != nil, isCurrent(request.head, query, projection, of: session, in: bytes) {
            session.sendID(to: watcher, on: loop)
        } else {
            session.sendState(to: watcher, on: loop)
        }
    }

    private func format(_ head: RequestHead, in bytes: Span<UInt8>) -> Watcher.Format {
        guard head.value(.accept) != nil else { return .events }
        let lines = AcceptField.weight(ofType: "application/x-ndjson", head, in: bytes)
        let events = AcceptField.weight(ofType: "text/event-stream", head, in: bytes)
        return lines > events ? .lines : .events
    }

    private static func writeFields(_ format: Watcher.Format, _ writer: inout ResponseWriter) {
        writer.field(
            "Content-Type", format == .events ? "text/event-stream" : "application/x-ndjson")
        writer.field("Cache-Control", "no-store, no-transform")
        writer.field("X-Accel-Buffering", "no")
    }

    /// The client has named the state that is there: it then waits for the next one.
    private func isCurrent(
        _ head: RequestHead, _ query: Query, _ projection: Projection, of session: Session,
        in bytes: Span<UInt8>
    ) -> Bool {
        let text =
            head.value(.lastEventID)?.string(in: bytes) ?? query["last_event_id"]
            ?? query["lastEventId"]
        guard let text, let tag = ProjectionTag(text) else { return false }
        return session.isPresent(tag, in: projection)
    }
}
