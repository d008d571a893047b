import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension SessionRouter {
    /// `M/sessions`: POST makes a session with an id that nobody guesses.
    func handleCollection(
        _ head: RequestHead, by principal: String, mount: Int, _ exchange: Exchange,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        switch head.method {
        case .post:
            let (id, hash) = randomID()
            let request = SessionMaking(exchange: exchange, method: head.method)
            let maker = maker(head, principal, exchange, in: bytes)
            switch registry.open(id, hash: hash, mount: mount, by: maker, on: loop) {
            case let opening?: answer(request, opening, on: loop)
            case nil:
                let waits = registry.wait(for: id, mount: mount, 0, on: loop) { opening in
                    self.answer(request, opening, on: loop)
                }
                if !waits { exchange.respond(.busy, on: loop) }
            }
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
        case (.description, .put):
            guard !hasContentRange(request.head, in: bytes) else {
                return exchange.respond(.partialPut, on: loop)
            }
        case (.actions, .post) where !MediaType.isJSON(request.head, in: bytes):
            return exchange.respond(.jsonExpected, on: loop) {
                $0.field("Accept", "application/json")
            }
        case (.description, .get), (.description, .head), (.description, .delete),
            (.state, .get), (.state, .head), (.events, .get), (.events, .head), (.actions, .post):
            break
        default: return exchange.refuseMethod(allow: allowed, on: loop)
        }
        let hash = RouteHash.of(request.id, in: bytes)
        if let session = registry.find(request.id, hash, mount: request.mount, in: bytes) {
            return handle(request, resource, of: session, in: bytes, on: loop)
        }
        guard let id = SessionID(request.id.string(in: bytes)) else {
            return exchange.respond(.badSessionID, on: loop)
        }
        guard !registry.hasEnded(id, mount: request.mount) else {
            return exchange.respond(.sessionEnded, on: loop)
        }
        open(id, hash, for: request, resource, in: bytes, on: loop)
    }

    /// Opens the session that a request is about, and goes on with the request: at once, or when
    /// the journal has answered.
    private func open(
        _ id: SessionID, _ hash: UInt64, for request: SessionRequest,
        _ resource: Route.SessionResource, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        let makes = request.head.method == .put && request.head.value(.ifMatch) == nil
        let mount = request.mount
        let maker =
            makes ? maker(request.head, request.principal, request.exchange, in: bytes) : nil
        if let opening = registry.open(id, hash: hash, mount: mount, by: maker, on: loop) {
            return handle(request, resource, opening, in: bytes, on: loop)
        }
        let message = SharedBytes(copying: bytes.extracting(..<request.body.upperBound)).bytes
        let waits = registry.wait(for: id, mount: mount, message.count, on: loop) { opening in
            self.handle(request, resource, opening, in: message.span, on: loop)
        }
        if !waits { request.exchange.respond(.busy, on: loop) }
    }

    private func handle(
        _ request: SessionRequest, _ resource: Route.SessionResource, _ opening: SessionOpening,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        let isPut = request.head.method == .put
        switch opening {
        case .here(let session, _) where session.isEnded:
            request.exchange.respond(.sessionEnded, on: loop)
        case .here(let session, let isNew):
            if isNew, isPut {
                return describe(session, .created, to: .put, request.exchange, on: loop)
            }
            handle(request, resource, of: session, in: bytes, on: loop)
        case .absent where isPut && request.head.value(.ifMatch) == nil:
            // Another request has asked for the session, and that did not make it.
            guard let id = SessionID(request.id.string(in: bytes)) else {
                return request.exchange.respond(.badSessionID, on: loop)
            }
            let hash = RouteHash.of(request.id, in: bytes)
            open(id, hash, for: request, resource, in: bytes, on: loop)
        case .absent where isPut: request.exchange.respond(.nothingToMatch, on: loop)
        case .absent: answerAbsent(request, resource, in: bytes, on: loop)
        case .failed(let problem): request.exchange.respond(problem, on: loop)
        }
    }

    /// Answers a request about a session that is not there. DELETE has the application forget the
    /// id all the same: a session that was may have left something.
    private func answerAbsent(
        _ request: SessionRequest, _ resource: Route.SessionResource, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) {
        guard resource == .description, request.head.method == .delete,
            let id = SessionID(request.id.string(in: bytes))
        else { return request.exchange.respond(.sessionNotFound, on: loop) }
        registry.forget(id, mount: request.mount, answering: request.exchange, on: loop)
    }

    /// Answers a request about a session that is here.
    private func handle(
        _ request: SessionRequest, _ resource: Route.SessionResource, of session: Session,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        session.lastUse = loop.now
        if resource == .description,
            refuses(request, with: session.tokenBytes, in: bytes, on: loop)
        {
            return
        }
        switch (resource, request.head.method) {
        case (.actions, _): post(request, to: session, in: bytes, on: loop)
        case (.state, _): getState(request, of: session, in: bytes, on: loop)
        case (.events, _): openStream(request, on: session, in: bytes, on: loop)
        case (.description, .delete):
            registry.end(
                session, mount: request.mount, answering: request.exchange, on: loop)
        default: describe(session, .ok, to: request.head.method, request.exchange, on: loop)
        }
    }

    /// The client into whose share a new session counts.
    private func maker(
        _ head: RequestHead, _ principal: String, _ exchange: Exchange, in bytes: Span<UInt8>
    ) -> SessionMaker {
        guard principal.isEmpty else { return .principal(principal) }
        let address = clientAddress(head, in: bytes) ?? exchange.remoteAddress
        return .network(address.network)
    }

    /// The client's address as the proxy in front tells it: the last one of the field, which the
    /// proxy itself has added.
    private func clientAddress(_ head: RequestHead, in bytes: Span<UInt8>) -> IPAddress? {
        guard let name = configuration.clientAddressField else { return nil }
        var last: String?
        head.forEachField(in: bytes) { field, value in
            guard field.isEqual(to: name, in: bytes) else { return }
            last = value.string(in: bytes).split(separator: ",").last.map {
                String($0.drop { $0 == " " }.prefix { $0 != " " })
            }
        }
        return last.flatMap { IPAddress(parsing: $0) }
    }

    private func answer(
        _ making: SessionMaking, _ opening: SessionOpening, on loop: isolated EventLoop
    ) {
        switch opening {
        case .here(let session, _):
            describe(session, .created, to: making.method, making.exchange, on: loop)
        case .absent: making.exchange.respond(.sessionNotFound, on: loop)
        case .failed(let problem): making.exchange.respond(problem, on: loop)
        }
    }

    /// Answers a request whose preconditions do not hold (RFC 9110 §13.2.2), with the tag that
    /// is there: If-Match for all, If-None-Match for what would change something. The state's own
    /// If-None-Match asks for 304.
    func refuses(
        _ request: SessionRequest, with tag: [UInt8], in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) -> Bool {
        let head = request.head
        let ifMatch = EntityTag.condition(.ifMatch, of: head, in: bytes, current: tag)
        var problem: ProblemDetails?
        if let ifMatch, ifMatch != .matches {
            problem = .preconditionFailed
        } else if !head.method.isSafe,
            EntityTag.condition(.ifNoneMatch, of: head, in: bytes, current: tag) == .matches
        {
            problem = head.method == .put ? .sessionExists : .preconditionFailed
        }
        guard let problem else { return false }
        request.exchange.respond(problem, on: loop) { writer in
            writer.field("ETag") { Session.quote(tag, to: &$0) }
        }
        return true
    }

    /// A PUT of a part, which no session takes (RFC 9110 §14.5).
    private func hasContentRange(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        var isThere = false
        head.forEachField(in: bytes) { name, _ in
            isThere = isThere || name.isEqual(to: "content-range", in: bytes)
        }
        return isThere
    }

    private func describe(
        _ session: Session, _ status: HTTPResponse.Status, to method: RequestMethod,
        _ exchange: Exchange, on loop: isolated EventLoop
    ) {
        var body: [UInt8] = []
        session.describe(context, to: &body)
        let token = session.tokenBytes
        let hasTag = method != .get && method != .head
        exchange.respond(status, on: loop) { writer in
            if status == .created {
                writer.field("Location", "\(session.mountName)/sessions/\(session.id)")
            }
            writer.field("Content-Type", "application/json")
            writer.field("Cache-Control", "no-store")
            // The description shows watchers and effects, too, which no token counts.
            if hasTag { writer.field("ETag") { Session.quote(token, to: &$0) } }
            writer.body(body)
        }
    }
}

/// A request for a session with an id that nobody guesses.
private struct SessionMaking {
    var exchange: Exchange
    var method: RequestMethod
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
    static let nothingToMatch = failedPrecondition(
        "If-Match asks for a session, and there is none.")
    static let partialPut = ProblemDetails(
        .badRequest, code: "content-range", detail: "A session is not made in parts.")
    static let badSessionID = ProblemDetails(
        .badRequest, code: "bad-session-id",
        detail: "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ -")
}
