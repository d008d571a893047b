import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension SessionRouter {
    /// `M/sessions`: POST makes a session with an id that nobody guesses.
    func handleCollection(
        _ head: RequestHead, mount: Int, _ exchange: Exchange, on loop: isolated EventLoop
    ) {
        switch head.method {
        case .post:
            let (id, hash) = randomID()
            guard let session = registry.create(id, hash: hash, mount: mount, on: loop) else {
                return refuseSession(exchange, on: loop)
            }
            describe(session, .created, exchange, on: loop)
        case .options: exchange.respondOptions(allow: "POST, OPTIONS", on: loop)
        default: exchange.refuseMethod(allow: "POST, OPTIONS", on: loop)
        }
    }

    /// `M/sessions/{id}` and what is below.
    func handle(
        _ request: SessionRequest, _ resource: Route.SessionResource, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) {
        let exchange = request.exchange
        let allowed = resource.allowedMethods
        switch (resource, request.head.method) {
        case (.unknown, _): return exchange.respond(.notFound, on: loop)
        case (_, .options): return exchange.respondOptions(allow: allowed, on: loop)
        case (.description, .put): return put(request, in: bytes, on: loop)
        case (.description, .get), (.description, .head), (.description, .delete),
            (.state, .get), (.state, .head), (.events, .get), (.events, .head), (.actions, .post):
            break
        default: return exchange.refuseMethod(allow: allowed, on: loop)
        }
        let hash = RouteHash.of(request.id, in: bytes)
        guard let session = registry.find(request.id, hash, mount: request.mount, in: bytes) else {
            return refuseUnknown(request, in: bytes, on: loop)
        }
        session.lastUse = loop.now
        switch (resource, request.head.method) {
        case (.actions, _): post(request, to: session, in: bytes, on: loop)
        case (.state, _): getState(request, of: session, in: bytes, on: loop)
        case (.events, _): openStream(request, on: session, in: bytes, on: loop)
        case (.description, .delete):
            registry.end(session, mount: request.mount, on: loop)
            exchange.respond(.noContent, on: loop) { _ in }
        default: describe(session, .ok, exchange, on: loop)
        }
    }

    private func put(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        let exchange = request.exchange
        guard let id = SessionID(request.id.string(in: bytes)) else {
            return exchange.respond(.badSessionID, on: loop)
        }
        let hash = RouteHash.of(request.id, in: bytes)
        if let session = registry.find(request.id, hash, mount: request.mount, in: bytes) {
            session.lastUse = loop.now
            let token = session.tokenBytes
            guard
                EntityTag.condition(.ifNoneMatch, of: request.head, in: bytes, current: token)
                    != .matches
            else {
                return exchange.respond(.sessionExists, on: loop) { writer in
                    writer.field("ETag") { Session.quote(token, to: &$0) }
                }
            }
            return describe(session, .ok, exchange, on: loop)
        }
        guard !registry.hasEnded(id, mount: request.mount) else {
            return exchange.respond(.sessionEnded, on: loop)
        }
        guard let session = registry.create(id, hash: hash, mount: request.mount, on: loop) else {
            return refuseSession(exchange, on: loop)
        }
        describe(session, .created, exchange, on: loop)
    }

    private func refuseUnknown(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        guard let id = SessionID(request.id.string(in: bytes)) else {
            return request.exchange.respond(.badSessionID, on: loop)
        }
        let hasEnded = registry.hasEnded(id, mount: request.mount)
        request.exchange.respond(hasEnded ? .sessionEnded : .sessionNotFound, on: loop)
    }

    private func refuseSession(_ exchange: Exchange, on loop: isolated EventLoop) {
        exchange.respond(.tooManySessions, on: loop) { $0.field("Retry-After", "10") }
    }

    private func describe(
        _ session: Session, _ status: HTTPResponse.Status, _ exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        var body: [UInt8] = []
        session.describe(context, to: &body)
        let token = session.tokenBytes
        exchange.respond(status, on: loop) { writer in
            if status == .created {
                writer.field("Location", "\(session.mountName)/sessions/\(session.id)")
            }
            writer.field("Content-Type", "application/json")
            writer.field("Cache-Control", "no-store")
            writer.field("ETag") { Session.quote(token, to: &$0) }
            writer.body(body)
        }
    }
}

extension Route.SessionResource {
    /// The methods of the resource, for Allow.
    var allowedMethods: String {
        switch self {
        case .description: "GET, HEAD, PUT, DELETE, OPTIONS"
        case .state, .events: "GET, HEAD, OPTIONS"
        case .actions: "POST, OPTIONS"
        case .unknown: ""
        }
    }
}

extension ProblemDetails {
    static let badSessionID = ProblemDetails(
        .badRequest, code: "bad-session-id",
        detail: "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ -")
}
