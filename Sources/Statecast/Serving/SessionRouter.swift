import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

/// Finds the resource that a request is about, on one loop.
final class SessionRouter: RequestHandler {
    let registry: SessionRegistry
    let context: SessionContext
    let configuration: ServerConfiguration
    let lifecycle: ServerLifecycle
    private let gate: RequestGate
    private let prefixes: [[UInt8]]
    private let loopCount: Int
    private let loopIndex: Int
    private let files: StaticFiles?

    init(
        registry: SessionRegistry, configuration: ServerConfiguration, gate: RequestGate,
        lifecycle: ServerLifecycle, files: StaticFiles?, loopCount: Int, loopIndex: Int
    ) {
        self.registry = registry
        context = registry.context
        self.configuration = configuration
        self.gate = gate
        self.lifecycle = lifecycle
        self.files = files
        self.loopCount = loopCount
        self.loopIndex = loopIndex
        prefixes = registry.mounts.map { Array($0.name.utf8) }
    }

    func destination(of head: RequestHead, in bytes: Span<UInt8>) -> LoopDestination? {
        guard
            case .session(_, let id, let resource) = Route.find(
                head.path, in: bytes, mounts: prefixes)
        else { return nil }
        let index = Int(RouteHash.of(id, in: bytes) % UInt64(loopCount))
        return LoopDestination(loopIndex: index, isStream: resource == .events)
    }

    func refuses(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        guard (try? admit(head, in: bytes, from: address)) != nil else { return true }
        switch (Route.find(head.path, in: bytes, mounts: prefixes), head.method) {
        case (_, .other), (_, .connect), (_, .trace), (.session(_, _, .unknown), _): return true
        case (_, .options), (.sessions, .post): return false
        case (.session(let mount, let id, .actions), .post):
            return !MediaType.isJSON(head, in: bytes)
                || isAbsent(id, mount: mount, in: bytes, on: loop)
        case (.session(_, _, .description), .put), (.session(_, _, .description), .delete):
            return false
        case (.session(_, _, .actions), _), (.sessions, _): return true
        case (_, let method): return !method.isSafe
        }
    }

    /// There is no such session, as far as that is known without waiting.
    private func isAbsent(
        _ id: Slice, mount: Int, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) -> Bool {
        let hash = RouteHash.of(id, in: bytes)
        guard registry.find(id, hash, mount: mount, in: bytes) == nil else { return false }
        guard let id = SessionID(id.string(in: bytes)), !registry.hasEnded(id, mount: mount) else {
            return true
        }
        switch registry.open(id, hash: hash, mount: mount, by: nil, on: loop) {
        case .here, nil: return false
        case .absent, .failed: return true
        }
    }

    /// The principal that sends a request, empty where nothing asks who it is; throws where Host,
    /// Origin or access control refuse it.
    private func admit(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: @autoclosure () -> IPAddress
    ) throws(ProblemDetails) -> String {
        if let refusal = gate.refusal(head, in: bytes) { throw refusal }
        return try configuration.principal(of: head, in: bytes, from: address())
    }

    func handle(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        context.metrics.requests += 1
        let principal: String
        do throws(ProblemDetails) {
            principal = try admit(head, in: bytes, from: exchange.remoteAddress)
        } catch {
            return exchange.respond(error, on: loop) { writer in
                if error.status == .unauthorized { writer.field("WWW-Authenticate", "Bearer") }
            }
        }
        route(head, by: principal, in: bytes, body: body, exchange: exchange, on: loop)
    }

    func takeMessages(on loop: isolated EventLoop) { registry.takeMessages(on: loop) }
    func giveDueAnswers(on loop: isolated EventLoop) { registry.answerSettled(on: loop) }
    func turnWasSlow(on loop: isolated EventLoop) { context.metrics.slowTurns += 1 }

    func route(of head: RequestHead, in bytes: Span<UInt8>) -> String {
        let route = Route.find(head.path, in: bytes, mounts: prefixes).template(mounts: prefixes)
        return "\(head.methodName.string(in: bytes).prefix(16)) \(route)"
    }

    private func route(
        _ head: RequestHead, by principal: String, in bytes: Span<UInt8>, body: Range<Int>,
        exchange: Exchange, on loop: isolated EventLoop
    ) {
        switch head.method {
        case .other, .connect, .trace: return exchange.respond(.methodNotImplemented, on: loop)
        default: break
        }
        switch Route.find(head.path, in: bytes, mounts: prefixes) {
        case .session(let mount, let id, let resource):
            handle(
                SessionRequest(
                    head: head, body: body, exchange: exchange, principal: principal,
                    mount: mount, id: id),
                resource, in: bytes, on: loop)
        case .sessions(let mount):
            handleCollection(
                head, by: principal, mount: mount, exchange, in: bytes, on: loop)
        case .operation(let operation):
            handle(operation, head, exchange, on: loop)
        case .problem(let code):
            handleProblem(code, head, exchange, in: bytes, on: loop)
        case .other:
            handleOther(head, exchange, in: bytes, on: loop)
        }
    }

    private func handleOther(
        _ head: RequestHead, _ exchange: Exchange, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) {
        if head.isAsterisk {
            return exchange.respondOptions(allow: "GET, HEAD, POST, PUT, DELETE, OPTIONS", on: loop)
        }
        switch head.method {
        case .get, .head: break
        case .options: return exchange.respondOptions(allow: "GET, HEAD, OPTIONS", on: loop)
        default: return exchange.refuseMethod(allow: "GET, HEAD, OPTIONS", on: loop)
        }
        if let asset = configuration.asset(head.path.string(in: bytes)) {
            return exchange.respondNegotiated(
                to: head, in: bytes, contentType: asset.contentType,
                body: NegotiatedBody(SharedBytes(asset.bytes)), on: loop
            ) { writer in
                writer.field("Cache-Control", "public, max-age=3600")
                // Opened by itself, a picture runs nothing.
                writer.field("Content-Security-Policy", "default-src 'none'; sandbox")
            }
        }
        guard let files else { return exchange.respond(.notFound, on: loop) }
        files.respond(to: head, in: bytes, exchange: exchange, on: loop)
    }

    /// The loop of a new session's id is this one: ids are made until one is.
    func randomID() -> (SessionID, UInt64) {
        while true {
            let id = SessionID.random()
            let hash = RouteHash.of(Array(id.description.utf8))
            if Int(hash % UInt64(loopCount)) == loopIndex { return (id, hash) }
        }
    }
}

/// A request about one session.
struct SessionRequest {
    let head: RequestHead
    let body: Range<Int>
    let exchange: Exchange
    /// The id of the principal that sent it; empty for a client that is not known.
    let principal: String
    let mount: Int
    let id: Slice
}
