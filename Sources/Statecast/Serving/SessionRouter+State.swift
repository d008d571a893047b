import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension SessionRouter {
    /// `GET M/sessions/{id}/state`, at once or held until it changes.
    func getState(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) {
        let head = request.head
        let exchange = request.exchange
        let query = Query(head.query, in: bytes)
        var wait: Duration?
        if let text = query["wait"] {
            guard let seconds = waitSeconds(text) else {
                return exchange.respond(badWait("wait"), on: loop)
            }
            wait = seconds
        } else if head.value(.prefer) != nil, let seconds = Preferences(head, in: bytes).wait {
            wait = min(.seconds(seconds), context.limits.waitDuration)
        }
        switch selection(query, of: session) {
        case .failure(let problem): exchange.respond(problem, on: loop)
        case .success(let projection):
            guard
                head.value(.ifMatch) == nil
                    || !refuses(request, with: session.tag(projection), in: bytes, on: loop)
            else { return }
            answer(request, projection, of: session, wait: wait, in: bytes, on: loop)
        }
    }

    private func answer(
        _ request: SessionRequest, _ projection: Projection, of session: Session, wait: Duration?,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        let exchange = request.exchange
        guard let wait, wait > .zero, request.head.method == .get,
            request.head.value(.ifNoneMatch) != nil
        else {
            return answerNow(
                request, projection, of: session, isLive: wait != nil, in: bytes, on: loop)
        }
        guard knowsPresent(request.head, projection, of: session, in: bytes) else {
            return session.answerState(exchange, projection, context, on: loop)
        }
        guard session.waiterCount < context.limits.waiterCount,
            session.projections.hasRoom(for: projection, context.limits)
        else {
            return exchange.respond(.tooManyWaiting, on: loop) { $0.field("Retry-After", "1") }
        }
        do throws(ProblemDetails) {
            _ = try session.content(of: projection, context, on: loop)
            session.hold(exchange, projection, for: wait, on: loop)
        } catch {
            exchange.respond(error, on: loop)
        }
    }

    /// One of the client's tags stands for what is there now: it is the current one, or an earlier
    /// one since which this projection has not changed.
    private func knowsPresent(
        _ head: RequestHead, _ projection: Projection, of session: Session, in bytes: Span<UInt8>
    ) -> Bool {
        EntityTag.condition(.ifNoneMatch, of: head, in: bytes) { tag in
            ProjectionTag(tag.string(in: bytes)).map { session.isPresent($0, in: projection) }
                ?? false
        } == .matches
    }

    private func answerNow(
        _ request: SessionRequest, _ projection: Projection, of session: Session, isLive: Bool,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        let caching = isLive ? "no-store" : "private, no-cache"
        let etag = session.tag(projection)
        let condition = EntityTag.condition(
            .ifNoneMatch, of: request.head, in: bytes, current: etag)
        do throws(ProblemDetails) {
            _ = try session.content(of: projection, context, on: loop)
        } catch {
            return request.exchange.respond(error, on: loop)
        }
        guard let body = projection.body else {
            return request.exchange.respond(.outOfScope, on: loop)
        }
        if condition == .matches {
            return request.exchange.respond(.notModified, on: loop) { writer in
                writer.field("Cache-Control", caching)
                writer.field("Vary", "Accept-Encoding")
                writer.field("ETag") { Session.quote(etag, to: &$0) }
            }
        }
        request.exchange.respondNegotiated(
            to: request.head, in: bytes, contentType: "application/json",
            etag: String(decoding: etag, as: UTF8.self), body: body, on: loop
        ) { writer in
            writer.field("Cache-Control", caching)
        }
    }

    /// What a query selects: the whole state, a part, or a view.
    func selection(
        _ query: Query, of session: Session
    ) -> Result<Projection, ProblemDetails> {
        if query.isMalformed {
            return .failure(.badParameter("query", "percent-encoded UTF-8 is expected."))
        }
        if let text = query["select"], query["view"] == nil {
            guard let pointer = JSONPointer(parsing: text) else {
                return .failure(.badParameter("select", "a JSON Pointer (RFC 6901) is expected."))
            }
            let limit = Self.selectionTokenCount
            guard pointer.tokens.count <= limit else {
                return .failure(.badParameter("select", "at most \(limit) tokens are expected."))
            }
            return .success(projection(.part(pointer), of: session))
        }
        guard let name = query["view"] else { return .success(session.projections.whole) }
        guard query["select"] == nil else {
            return .failure(.badParameter("select", "not together with view."))
        }
        guard session.store.hasView(name) else {
            return .failure(.badParameter("view", "the application has no such view."))
        }
        let own: Set<String> = [
            "view", "wait", "until", "compression", "settle", "last_event_id", "lastEventId",
        ]
        let items = query.items.filter { !own.contains($0.name) }
        guard items.count <= Self.argumentCount else {
            return .failure(
                .badParameter("query", "at most \(Self.argumentCount) arguments of a view."))
        }
        let arguments = Dictionary(
            items.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        return .success(projection(.view(name: name, arguments: arguments), of: session))
    }

    /// A view has so many arguments at most.
    private static let argumentCount = 32

    /// A selection goes so deep: no JSON of the server nests deeper.
    private static let selectionTokenCount = 128

    private func projection(_ kind: Projection.Kind, of session: Session) -> Projection {
        session.projections.find(kind, lastChange: session.store.lastChange)
    }
}
