import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets

/// Finds the resource that a request is about, on one loop, and answers where that refuses.
final class Router: RequestHandler {
    private let registry: SessionRegistry
    private let gate: RequestGate
    private let configuration: ServerConfiguration
    private let sessions: SessionsResource
    private let operations: OperationsResource
    private let pages: PagesResource
    private let prefixes: [[UInt8]]
    private let loopIndex: Int

    init(
        registry: SessionRegistry, configuration: ServerConfiguration, gate: RequestGate,
        lifecycle: ServerLifecycle, files: StaticFiles?, loopIndex: Int
    ) {
        self.registry = registry
        self.gate = gate
        self.configuration = configuration
        self.loopIndex = loopIndex
        prefixes = registry.mounts.map { Array($0.name.utf8) }
        let context = registry.context.sessions
        sessions = SessionsResource(
            registry: registry,
            makers: SessionMakers(addressField: configuration.clientAddressField),
            actions: ActionsResource(performer: registry.context.performer, context: context),
            state: StateResource(context: context), events: EventsResource(context: context),
            description: DescriptionResource(
                registry: registry, journalMode: configuration.journal.mode.rawValue))
        operations = OperationsResource(registry: registry, lifecycle: lifecycle)
        pages = PagesResource(configuration: configuration, files: files)
    }

    // MARK: Before the body

    func destination(of head: RequestHead, in bytes: Span<UInt8>) -> LoopDestination? {
        plan(head, in: bytes).destination(loopCount: configuration.loopCount)
    }

    func refuses(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        do throws(ProblemAnswer) {
            try admit(head, in: bytes, from: address)
            let plan = plan(head, in: bytes)
            guard try plan.options(head, in: bytes) == nil,
                case .session(let mount, let id, .actions) = plan.route
            else { return false }
            return sessions.isAbsent(id, plan.hash, mount: mount, in: bytes, on: loop)
        } catch {
            return true
        }
    }

    private func plan(_ head: RequestHead, in bytes: Span<UInt8>) -> RoutingPlan {
        RoutingPlan(head, in: bytes, mounts: prefixes)
    }

    /// The principal that sends a request, anonymous where nothing asks for it; throws where Host,
    /// Origin or access control refuse the request.
    @discardableResult
    private func admit(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: @autoclosure () -> IPAddress
    ) throws(ProblemAnswer) -> Principal {
        if let refusal = gate.refusal(head, in: bytes) { throw ProblemAnswer(refusal) }
        do throws(ProblemDetails) {
            return try configuration.principal(of: head, in: bytes, from: address())
        } catch {
            guard error.status == .unauthorized else { throw ProblemAnswer(error) }
            throw ProblemAnswer(error, "WWW-Authenticate", "Bearer")
        }
    }

    // MARK: Handling

    func handle(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        registry.context.metrics.requests += 1
        ProblemAnswer.catching(exchange, on: loop) { () throws(ProblemAnswer) in
            let principal = try admit(head, in: bytes, from: exchange.remoteAddress)
            let plan = plan(head, in: bytes)
            if let allow = try plan.options(head, in: bytes) {
                return exchange.respondOptions(allow: allow, on: loop)
            }
            switch plan.route {
            case .session(let mount, let id, let resource):
                let request = SessionRequest(
                    head: head, body: body, exchange: exchange, principal: principal,
                    mount: mount, id: id, hash: plan.hash)
                try sessions.handle(request, resource, in: bytes, on: loop)
            case .sessions(let mount):
                try sessions.make(
                    localID(), for: head, by: principal, mount: mount, exchange, in: bytes,
                    on: loop)
            case .operation(let operation): try operations.get(operation, exchange, on: loop)
            case .problem(let code):
                try pages.getProblem(code, exchange, in: bytes, on: loop)
            case .other: try pages.get(head, exchange, in: bytes, on: loop)
            }
        }
    }

    /// An id whose loop is this one: ids are made until one is.
    private func localID() -> SessionID {
        while true {
            let id = SessionID.random()
            if Int(IDHash.of(id) % UInt64(configuration.loopCount)) == loopIndex { return id }
        }
    }

    // MARK: Turns

    func takeMessages(on loop: isolated EventLoop) { registry.takeMessages(on: loop) }
    func giveDueAnswers(on loop: isolated EventLoop) { registry.answerSettled(on: loop) }
    func turnWasSlow(on loop: isolated EventLoop) { registry.context.metrics.slowTurns += 1 }

    func route(of head: RequestHead, in bytes: Span<UInt8>) -> String {
        let template = plan(head, in: bytes).route.template(mounts: prefixes)
        return "\(head.methodName.string(in: bytes).prefix(16)) \(template)"
    }
}
