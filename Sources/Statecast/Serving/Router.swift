import HTTPMessages
import HTTPServer
import HTTPTypes
import Redux
import Sessions
import Sockets

/// Finds the resource that a request is about, on one loop, and answers where that refuses.
final class Router: RequestHandler {
    private let registry: SessionRegistry
    private let gate: RequestGate
    private let access: AccessPlan
    private let configuration: ServerConfiguration
    private let sessions: SessionsResource
    private let operations: OperationsResource
    private let pages: PagesResource
    private let table: RouteTable
    /// Nil where the application has no routes of its own.
    private let routes: RoutesResource?
    private let prefixes: [[UInt8]]
    private let loopIndex: Int

    init(_ shared: ServerParts, on loop: isolated EventLoop) {
        gate = shared.gate
        access = shared.access
        configuration = shared.configuration
        table = shared.table
        loopIndex = loop.index
        let files = shared.pages.map { StaticFiles($0, limits: shared.configuration.limits) }
        let context = ServingContext(
            configuration, inbox: shared.directory.inbox(of: loop),
            handles: Sessions(shared.directory), budget: shared.lifecycle.budget,
            lifecycle: shared.lifecycle, loopIndex: loop.index)
        registry = SessionRegistry(
            context: context, mounts: shared.mounts, quota: shared.quota,
            dropFiles: { files?.dropCache() }, on: loop)
        routes = table.isEmpty ? nil : RoutesResource(shared, on: loop)
        prefixes = registry.mounts.map { Array($0.name.utf8) }
        sessions = SessionsResource(registry, configuration, access)
        operations = OperationsResource(registry: registry, lifecycle: shared.lifecycle)
        pages = PagesResource(files: files)
    }

    // MARK: Before the body

    func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress
    ) -> RequestPlan {
        var plan = RequestedResource.plan(head.path, in: bytes, mounts: prefixes, table)
        if plan.resource.isOfSession {
            plan.destination = LoopDestination(
                loopIndex: loop(of: plan.hash), isStream: plan.resource == .events)
        }
        plan.bodyLimit = route(of: plan, head.method)?.bodyLimit
        // Recordings may be large, of those who may have them played.
        if plan.resource == .sessions, ReplayResource.mode(of: head, in: bytes) != nil {
            do throws(ProblemDetails) {
                _ = try check(head, plan, in: bytes, from: address)
                plan.bodyLimit = configuration.sessionLimits.recordingByteCount
            } catch {
                plan.bodyLimit = nil
            }
        }
        return plan
    }

    func refuses(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        do throws(ProblemDetails) {
            guard try check(head, plan, in: bytes, from: address) != nil,
                head.method != .options, plan.resource == .actions
            else { return false }
            return sessions.isAbsent(
                plan.name, plan.hash, mount: Int(plan.place), in: bytes, on: loop)
        } catch {
            return true
        }
    }

    func route(of request: InboundRequest, in bytes: Span<UInt8>) -> String {
        let template = request.plan.template(mounts: prefixes, table)
        return "\(request.head.methodName.string(in: bytes).prefix(16)) \(template)"
    }

    private func loop(of hash: UInt64) -> Int { Int(hash % UInt64(configuration.loopCount)) }

    /// The own route that a request is for; nil where it is for something else.
    private func route(of plan: RequestPlan, _ method: RequestMethod) -> Route? {
        guard plan.resource == .own else { return nil }
        return table[Int(plan.place)].entry(for: method)?.route
    }

    /// The one who sends a request; nil for a browser that asks whether its page may send one, which
    /// is answered before access control. Throws where the request is refused whatever its body holds.
    private func check(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>,
        from address: @autoclosure () -> IPAddress
    ) throws(ProblemDetails) -> Caller? {
        let route = route(of: plan, head.method)
        let callers = route?.callers ?? .ownOrigin
        let refusal = gate.refusal(head, in: bytes, callers: callers, isOwn: route != nil)
        if let refusal { throw refusal }
        if gate.isPreflight(head, in: bytes) { return nil }
        let caller = try access.caller(of: head, in: bytes, plan, route, from: address())
        try plan.check(head, in: bytes, table)
        return caller
    }

    // MARK: Handling

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        registry.context.metrics.requests += 1
        let (head, plan) = (request.head, request.plan)
        var exchange = request.exchange
        exchange.variesByCaller = access.isSpecial(plan, route(of: plan, head.method))
        exchange.refusing(on: loop) { () throws(ProblemDetails) in
            let caller = try check(head, plan, in: bytes, from: exchange.remoteAddress)
            guard let caller else { return gate.answerPreflight(exchange, on: loop) }
            if head.method == .options {
                let allowed = plan.allowedMethods(head, table)
                return exchange.respondOptions(allow: allowed, on: loop)
            }
            try answer(SessionRequest(request, exchange, by: caller), in: bytes, on: loop)
        }
    }

    private func answer(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        switch request.plan.resource {
        case .sessions: try sessions.make(localID(), for: request, in: bytes, on: loop)
        case .alive, .ready, .metrics:
            try operations.get(request.plan.resource, request.exchange, on: loop)
        case .problem:
            try pages.getProblem(request.plan.name, request.exchange, in: bytes, on: loop)
        case .own: try routes?.handle(request, in: bytes, on: loop)
        case .file: try pages.get(request.head, request.exchange, in: bytes, on: loop)
        default: try sessions.handle(request, in: bytes, on: loop)
        }
    }

    /// An id whose loop is this one: ids are made until one is.
    private func localID() -> SessionID {
        while true {
            let id = SessionID.random()
            if self.loop(of: IDHash.of(id)) == loopIndex { return id }
        }
    }

    // MARK: Turns

    func takeMessages(on loop: isolated EventLoop) {
        registry.takeMessages(on: loop)
        routes?.takeMessages(on: loop)
    }

    func giveDueAnswers(on loop: isolated EventLoop) { registry.attend(on: loop) }
    func turnWasSlow(on loop: isolated EventLoop) { registry.context.metrics.slowTurns += 1 }
}
