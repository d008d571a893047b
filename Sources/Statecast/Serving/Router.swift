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

    init(
        registry: SessionRegistry, configuration: ServerConfiguration, gate: RequestGate,
        access: AccessPlan, lifecycle: ServerLifecycle, files: StaticFiles?, table: RouteTable,
        routes: RoutesResource?, loopIndex: Int
    ) {
        self.registry = registry
        self.gate = gate
        self.access = access
        self.configuration = configuration
        self.loopIndex = loopIndex
        self.table = table
        self.routes = routes
        prefixes = registry.mounts.map { Array($0.name.utf8) }
        let context = registry.context.sessions
        let actions = ActionsResource(performer: registry.context.performer, context: context)
        let makers = SessionMakers(addressField: configuration.clientAddressField)
        let description = DescriptionResource(
            registry: registry, journalMode: configuration.journal.mode.rawValue)
        sessions = SessionsResource(
            registry: registry, makers: makers,
            actions: actions,
            state: StateResource(context: context),
            events: EventsResource(
                context: registry.context, facts: registry.facts,
                checks: AccessChecks(context, registry.facts), access: access),
            description: description,
            replacement: StateReplacement(actions: actions),
            log: LogResource(),
            recording: RecordingResource(registry: registry),
            replay: ReplayResource(registry: registry, makers: makers, description: description))
        operations = OperationsResource(registry: registry, lifecycle: lifecycle)
        pages = PagesResource(files: files)
    }

    // MARK: Before the body

    func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress
    ) -> RequestPlan {
        let plan = plan(head, in: bytes)
        var result = RequestPlan()
        result.destination = plan.destination(loopCount: configuration.loopCount)
        result.bodyLimit = bodyLimit(of: head, in: bytes, plan, from: address)
        return result
    }

    func refuses(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        do throws(ProblemDetails) {
            let plan = self.plan(head, in: bytes)
            if gate.isPreflight(head, in: bytes) {
                try admit(head, in: bytes, to: route(of: plan, head.method))
                return false
            }
            guard try checkHead(head, in: bytes, plan, from: address) == nil,
                case .session(let mount, let id, .actions) = plan.resource
            else { return false }
            return sessions.isAbsent(id, plan.hash, mount: mount, in: bytes, on: loop)
        } catch {
            return true
        }
    }

    /// Throws where a request is refused whatever its body holds; the methods of the resource where
    /// it asks for these.
    @discardableResult
    private func checkHead(
        _ head: RequestHead, in bytes: Span<UInt8>, _ plan: RoutingPlan, from address: IPAddress
    ) throws(ProblemDetails) -> String? {
        let route = route(of: plan, head.method)
        try admit(head, in: bytes, to: route)
        _ = try access.caller(
            of: head, in: bytes, plan, route,
            asking: access.control(of: plan.resource, route), from: address)
        return try plan.options(head, in: bytes, table)
    }

    private func plan(_ head: RequestHead, in bytes: Span<UInt8>) -> RoutingPlan {
        RoutingPlan(head, in: bytes, mounts: prefixes, table)
    }

    /// The own route that a request is for; nil where it is for something else.
    private func route(of plan: RoutingPlan, _ method: RequestMethod) -> Route? {
        guard case .own(let place) = plan.resource else { return nil }
        return table[place].entry(for: method)?.route
    }

    /// Throws where Host or Origin refuse the request.
    private func admit(
        _ head: RequestHead, in bytes: Span<UInt8>, to route: Route?
    ) throws(ProblemDetails) {
        let callers = route?.callers ?? .ownOrigin
        let refusal = gate.refusal(head, in: bytes, callers: callers, isOwn: route != nil)
        if let refusal { throw refusal }
    }

    // MARK: Handling

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        registry.context.metrics.requests += 1
        let (head, body) = (request.head, request.body)
        let plan = plan(head, in: bytes)
        let route = route(of: plan, head.method)
        let control = access.control(of: plan.resource, route)
        var exchange = request.exchange
        exchange.variesByCaller = access.isSpecial(control)
        exchange.refusing(on: loop) { () throws(ProblemDetails) in
            try admit(head, in: bytes, to: route)
            if gate.isPreflight(head, in: bytes) {
                return gate.answerPreflight(exchange, on: loop)
            }
            let caller = try access.caller(
                of: head, in: bytes, plan, route, asking: control, from: exchange.remoteAddress)
            if let allow = try plan.options(head, in: bytes, table) {
                return exchange.respondOptions(allow: allow, on: loop)
            }
            try answer(
                head, in: bytes, body: body, plan, by: caller, exchange, on: loop)
        }
    }

    private func answer(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, _ plan: RoutingPlan,
        by caller: Caller, _ exchange: Exchange, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        switch plan.resource {
        case .session(let mount, let id, let resource):
            let request = SessionRequest(
                head: head, body: body, exchange: exchange, caller: caller,
                mount: mount, id: id, hash: plan.hash)
            try sessions.handle(request, resource, in: bytes, on: loop)
        case .sessions(let mount):
            let call = SessionsResource.Making(
                head: head, body: body, caller: caller, mount: mount,
                exchange: exchange)
            try sessions.make(localID(), for: call, in: bytes, on: loop)
        case .operation(let operation): try operations.get(operation, exchange, on: loop)
        case .problem(let code): try pages.getProblem(code, exchange, in: bytes, on: loop)
        case .own(let place):
            let call = RoutesResource.Call(
                head: head, body: body, exchange: exchange, principal: caller.known)
            try routes?.handle(call, at: place, in: bytes, on: loop)
        case .other: try pages.get(head, exchange, in: bytes, on: loop)
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

    func takeMessages(on loop: isolated EventLoop) {
        registry.takeMessages(on: loop)
        routes?.takeMessages(on: loop)
    }

    func giveDueAnswers(on loop: isolated EventLoop) { registry.answerSettled(on: loop) }
    func turnWasSlow(on loop: isolated EventLoop) { registry.context.metrics.slowTurns += 1 }

    /// Recordings may be large, of those who may have them played.
    private func bodyLimit(
        of head: RequestHead, in bytes: Span<UInt8>, _ plan: RoutingPlan, from address: IPAddress
    ) -> Int? {
        guard !table.isEmpty || !head.query.isEmpty else { return nil }
        guard case .sessions = plan.resource, ReplayResource.mode(of: head, in: bytes) != nil else {
            return route(of: plan, head.method)?.bodyLimit
        }
        do throws(ProblemDetails) {
            try checkHead(head, in: bytes, plan, from: address)
            return configuration.sessionLimits.recordingByteCount
        } catch {
            return nil
        }
    }

    func route(of request: InboundRequest, in bytes: Span<UInt8>) -> String {
        let head = request.head
        let template = plan(head, in: bytes).resource.template(mounts: prefixes, table)
        return "\(head.methodName.string(in: bytes).prefix(16)) \(template)"
    }
}
