import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets

/// Finds the resource that a request is about, on one loop, and answers where that refuses.
final class Router: RequestHandler {
    let shared: ServerParts
    let registry: SessionRegistry
    /// Nil where streams are never checked.
    let checks: AccessChecks?
    private let prefixes: [[UInt8]]
    /// The schemas of applications that clients have asked for, by the places of these.
    var schemas: [Int: NegotiatedBody] = [:]
    /// The requests of each client that wait for the answer that they come too often.
    var refused: [Accounts.Client: Int] = [:]
    /// What the journal is being asked of sessions' past for each client; see `read`.
    var readings: [Accounts.Client: Int] = [:]
    let costly = CostlyRequests()

    /// Nil where no other server is asked.
    var peers: Peers? { registry.peers }
    let gate: RequestGate
    private let table: RouteTable
    let context: SessionContext

    init(_ shared: ServerParts, on loop: isolated EventLoop) {
        self.shared = shared
        (gate, table) = (shared.gate, shared.table)
        registry = SessionRegistry(shared, on: loop)
        context = registry.context.sessions
        prefixes = registry.mounts.map { Array(SessionName.innerPath(ofMount: $0.name).utf8) }
        checks = AccessChecks(registry.context.sessions, registry.facts)
    }

    // MARK: Before the body

    func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress, nonce: UInt64,
        serial: UInt64
    ) -> RequestPlan {
        var plan = RequestedResource.plan(head, in: bytes, mounts: prefixes, table)
        if plan.resource.isOfSession {
            plan.destination = LoopDestination(
                loopIndex: loop(of: plan.hash), isStream: plan.resource == .events)
        }
        if let peers, nonce != 0 {
            // A body has met the limits where it came in.
            plan.bodyLimit = PeerConnections.byteCount
            let place = PeerPlace(receiver: peers.address, nonce: nonce, serial: serial)
            plan.refusesBody = head.hasBody && peers.keys.admit(head, in: bytes, at: place) == nil
            return plan
        }
        switch plan.resource {
        case .own: plan.bodyLimit = route(of: plan, head.method)?.bodyLimit
        case .replays:
            // Recordings may be large, of those who may have them played.
            do throws(ProblemDetails) {
                _ = try check(head, plan, nil, in: bytes, from: address)
                plan.bodyLimit = shared.configuration.sessionLimits.recordingByteCount
            } catch {
                plan.bodyLimit = nil
            }
        default: break
        }
        return plan
    }

    func refuses(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        do throws(ProblemDetails) {
            let route = route(of: plan, head.method)
            guard try check(head, plan, route, in: bytes, from: address) != nil,
                head.method != .options, plan.resource == .actions
            else { return false }
            return isAbsent(
                plan.name, plan.hash, mount: Int(plan.place), in: bytes, on: loop)
        } catch {
            return true
        }
    }

    func client(at address: IPAddress) -> Accounts.Client { gate.client(at: address) }

    func route(of request: InboundRequest, in bytes: Span<UInt8>) -> String {
        route(request.head, request.plan, in: bytes)
    }

    func route(_ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>) -> String {
        let template = plan.template(mounts: prefixes, table)
        return "\(head.methodName.string(in: bytes).prefix(16)) \(template)"
    }

    private func loop(of hash: UInt64) -> Int { Int(hash % UInt64(shared.configuration.loopCount)) }

    /// The own route that a request is for; nil where it is for something else.
    private func route(of plan: RequestPlan, _ method: RequestMethod) -> Route? {
        guard plan.resource == .own else { return nil }
        return table.places[Int(plan.place)].entry(for: method)?.route
    }

    /// The one who sends a request; nil for a browser that asks whether its page may send one, which
    /// is answered before access control. Throws where the request is refused whatever its body holds.
    private func check(
        _ head: RequestHead, _ plan: RequestPlan, _ route: Route?, in bytes: Span<UInt8>,
        from address: IPAddress
    ) throws(ProblemDetails) -> Caller? {
        // Servers alone reach what has no path for clients.
        if plan.isOfApplication, !gate.served[Int(plan.place)].isReachable { throw .notFound }
        let callers = route?.callers ?? .ownOrigin
        let refusal = gate.refusal(head, in: bytes, callers: callers, isOwn: route != nil)
        if let refusal { throw refusal }
        if gate.isPreflight(head, in: bytes) { return nil }
        let caller = try gate.caller(of: head, in: bytes, plan, route, from: address)
        try plan.check(head, in: bytes, table)
        return caller
    }

    // MARK: Handling

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        registry.context.requestCount += 1
        let route = route(of: request.plan, request.head.method)
        if request.exchange.isInner {
            guard admits(request, in: bytes) else { return greet(request, in: bytes, on: loop) }
        } else if gate.isSpecial(request.plan, route) {
            request.exchange.varyByCaller()
        }
        do throws(ProblemDetails) {
            try answer(request, route, in: bytes, on: loop)
        } catch {
            request.exchange.respond(error, on: loop)
        }
    }

    private func answer(
        _ request: InboundRequest, _ route: Route?, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let exchange = request.exchange
        let caller =
            exchange.isOfServer
            ? Caller(known: nil, roles: [])
            : try check(
                request.head, request.plan, route, in: bytes, from: exchange.remoteAddress)
        guard let caller else { return gate.answerPreflight(exchange, on: loop) }
        if case .options = request.head.method {
            let allowed = request.plan.allowedMethods(request.head, table)
            return exchange.respondOptions(allow: allowed, on: loop)
        }
        let request = SessionRequest(request, by: caller)
        switch request.resource {
        case .sessions where request.head.method != .post:
            try listSessions(request, in: bytes, on: loop)
        case .sessions: try open(localID(), for: request, in: bytes, on: loop)
        case .replays:
            try makeReplay(localID(ofReplayAt: request.mount), for: request, in: bytes, on: loop)
        case .alive where exchange.isOfServer && request.head.method == .post:
            try takeNews(request, in: bytes, on: loop)
        case .alive, .ready, .metrics: try getOperation(request, on: loop)
        case .drain: try drain(request, on: loop)
        case .problem: try getProblem(request, in: bytes, on: loop)
        case .schema: try getSchema(request, in: bytes, on: loop)
        case .own: try registry.routes.handle(request, in: bytes, on: loop)
        case .file:
            registry.files.respond(
                to: request.head, in: bytes, exchange: request.exchange, on: loop)
        default: try handle(request, in: bytes, on: loop)
        }
    }

    /// An id whose loop is this one: ids are made until one is. A replay, which no journal has, gets one for
    /// which other servers ask here, too.
    private func localID(ofReplayAt mount: Int? = nil) -> SessionID {
        // Few are chosen for who has a small share, and none for who goes.
        var triesLeft = shared.isDraining ? 1 : 1_000
        while true {
            let id = SessionID.random()
            guard self.loop(of: id.hash) == context.loopIndex else { continue }
            triesLeft -= 1
            guard let mount, triesLeft > 0 else { return id }
            if registry.chosen(for: registry.name(id, mount: mount)) == nil { return id }
        }
    }

    // MARK: Turns

    func takeMessages(on loop: isolated EventLoop) {
        for job in registry.context.inbox.jobs.takeAll() { job(registry, loop) }
    }

    func giveDueAnswers(on loop: isolated EventLoop) {
        if registry.performer.hasDueAnswers { registry.giveDueAnswers(on: loop) }
    }

    func goOnWithCostly(on loop: isolated EventLoop) -> String? {
        costly.clients.isEmpty ? nil : costly.goOn(on: loop)
    }

    func turnWasSlow(on loop: isolated EventLoop) { registry.context.metrics.slowTurns += 1 }
}

/// The thing that a path names.
enum RequestedResource: UInt8, CaseIterable {
    // `M/sessions/{id}` and the resources below it, those first that are asked for all the time.
    case actions, events, state, description, log, recording, replay, forget, revert, move
    /// Nothing that exists, below a session.
    case unknown
    /// `M/sessions`; and `POST M/sessions?replay=4x`, which makes a session that plays a recording.
    case sessions, replays
    /// `M/schema`
    case schema
    /// The resources for operators.
    case alive, ready, metrics, drain
    /// `/problems/{code}`
    case problem
    /// A route of the application's own.
    case own
    /// Anything else: a file, perhaps.
    case file

    var isOfSession: Bool { rawValue <= Self.unknown.rawValue }

    /// The path as a template, behind that of the application for resources of sessions; and the methods,
    /// for Allow.
    fileprivate var row: (template: String, methods: String) {
        switch self {
        case .actions: ("/actions", "POST, OPTIONS")
        case .events: ("/events", Self.reading)
        case .state: ("/state", "GET, HEAD, PUT, OPTIONS")
        case .description: ("", "GET, HEAD, PUT, DELETE, OPTIONS")
        case .log: ("/log", Self.reading)
        case .recording: ("/recording", Self.reading)
        case .replay: ("/replay", "GET, HEAD, POST, OPTIONS")
        case .forget: ("/forget", "POST, OPTIONS")
        case .revert: ("/revert", "POST, OPTIONS")
        case .move: ("/move", "POST, OPTIONS")
        case .unknown: ("/{unknown}", "")
        case .sessions: ("/sessions", "GET, HEAD, POST, OPTIONS")
        case .replays: ("/sessions", "POST, OPTIONS")
        case .schema: ("/schema", Self.reading)
        case .alive: ("/livez", Self.reading)
        case .ready: ("/readyz", Self.reading)
        case .metrics: ("/metrics", Self.reading)
        case .drain: ("/cluster/drain", "POST, OPTIONS")
        case .problem: ("/problems/{code}", Self.reading)
        case .own, .file: ("/{file}", Self.reading)
        }
    }

    private static let reading = "GET, HEAD, OPTIONS"

    private static func bytes(_ resources: RequestedResource...) -> [(RequestedResource, [UInt8])] {
        resources.map { ($0, Array($0.row.template.utf8)) }
    }

    private static let ofSession = bytes(
        .actions, .events, .state, .description, .log, .recording, .replay, .forget, .revert, .move)
    private static let ofServer = bytes(.alive, .ready, .metrics, .drain)

    /// The plan of a request, without a string: the resource that its path names, with the place of
    /// the application or route that has it, and the session's id or the problem's code.
    ///
    /// - Parameter mounts: the prefixes of the applications.
    static func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, mounts: [[UInt8]], _ table: RouteTable
    ) -> RequestPlan {
        let path = head.path
        for mount in mounts.indices {
            guard let rest = path.rest(behind: mounts[mount], in: bytes) else { continue }
            guard let inner = rest.rest(behind: sessionsPath, in: bytes) else {
                if rest.isEqual(to: "/schema", in: bytes) {
                    return RequestPlan(.schema, place: mount)
                }
                continue
            }
            if inner.isEmpty {
                let isReplay = Router.replayMode(of: head, in: bytes) != nil
                return RequestPlan(isReplay ? .replays : .sessions, place: mount)
            }
            guard bytes[inner.range.lowerBound] == slash else { continue }
            var end = inner.range.lowerBound + 1
            while end < inner.range.upperBound, bytes[end] != slash { end += 1 }
            let tail = Slice(end..<inner.range.upperBound)
            var plan = RequestPlan(
                find(tail, among: ofSession, in: bytes) ?? .unknown, place: mount,
                name: Slice(inner.range.lowerBound + 1..<end))
            plan.hash = SessionID.hash(of: bytes.extracting(plan.name.range))
            return plan
        }
        if let resource = find(path, among: ofServer, in: bytes) { return RequestPlan(resource) }
        if let code = path.rest(behind: problemsPath, in: bytes), !code.isEmpty {
            return RequestPlan(.problem, name: code)
        }
        return table.find(path, in: bytes).map { RequestPlan(.own, place: $0) }
            ?? RequestPlan(.file)
    }

    @inline(__always)
    private static func find(
        _ path: Slice, among resources: [(RequestedResource, [UInt8])], in bytes: Span<UInt8>
    ) -> RequestedResource? {
        for (resource, text) in resources where text.count == path.length {
            if path.rest(behind: text, in: bytes) != nil { return resource }
        }
        return nil
    }

    private static let slash = UInt8(ascii: "/")
    private static let sessionsPath = Array("/sessions".utf8)
    private static let problemsPath = Array("/problems/".utf8)
}

extension RequestPlan {
    init(_ resource: RequestedResource, place: Int = 0, name: Slice = .empty) {
        self.init(kind: resource.rawValue, place: place, name: name)
    }

    var resource: RequestedResource { RequestedResource(rawValue: kind) ?? .file }

    /// The path belongs to an application.
    var isOfApplication: Bool { kind <= RequestedResource.schema.rawValue }

    /// The request is one of those that a server gets all the time: an action, a state, a stream.
    func isFrequent(_ method: RequestMethod) -> Bool {
        if case .put = method { return false }
        return kind <= RequestedResource.state.rawValue
    }

    /// The resource as a template, `/counter/sessions/{id}/actions`.
    func template(mounts: [[UInt8]], _ table: RouteTable) -> String {
        switch resource {
        case .own: table.places[Int(place)].path.text
        case let resource where isOfApplication:
            String(decoding: mounts[Int(place)], as: UTF8.self)
                + (resource.isOfSession ? "/sessions/{id}" : "") + resource.row.template
        case let resource: resource.row.template
        }
    }

    /// The answer to OPTIONS.
    func allowedMethods(_ head: RequestHead, _ table: RouteTable) -> String {
        if head.isAsterisk { return "GET, HEAD, POST, PUT, DELETE, OPTIONS" }
        return resource == .own ? table.places[Int(place)].allowedMethods : resource.row.methods
    }

    /// Throws where the head alone shows that the request is refused: by its method, or by the media
    /// type of its body.
    func check(
        _ head: RequestHead, in bytes: Span<UInt8>, _ table: RouteTable
    ) throws(ProblemDetails) {
        switch (resource, head.method) {
        case (_, .other), (_, .connect), (_, .trace): throw .methodNotImplemented
        case (.unknown, _): throw .notFound
        case (_, .options): break
        case (.own, _): try table.places[Int(place)].check(head, in: bytes)
        case (.actions, .post), (.state, .put), (.replay, .post), (.sessions, .post),
            (.description, .put), (.forget, .post), (.revert, .post), (.move, .post):
            guard
                head.isJSON(in: bytes)
                    || (resource == .sessions || resource == .description) && !head.hasBody
            else { throw .jsonExpected }
        case (.replays, _):
            let type = "application/x-ndjson"
            guard let value = head.value(.contentType),
                value.isMediaType(type, in: bytes)
            else { throw .mediaTypeNotAccepted(type) }
        case (.drain, .post): break
        case (.actions, _), (.forget, _), (.revert, _), (.move, _), (.drain, _):
            throw .methodNotAllowed(allow: resource.row.methods)
        case (_, .get), (_, .head), (.description, .delete): break
        default: throw .methodNotAllowed(allow: resource.row.methods)
        }
        // No session takes a part of what is put (RFC 9110 §14.5).
        if case .put = head.method, resource != .own, head.last("content-range", in: bytes) != nil {
            throw .partialPut
        }
    }
}

extension Exchange {
    /// Does what answers the request; answers with the problem where that throws.
    func refusing(
        on loop: isolated EventLoop, _ body: () throws(ProblemDetails) -> Void
    ) {
        do throws(ProblemDetails) {
            try body()
        } catch {
            respond(error, on: loop)
        }
    }
}

extension Slice {
    /// The rest behind a prefix; nil where the slice has another beginning.
    @inline(__always)
    func rest(behind prefix: [UInt8], in bytes: Span<UInt8>) -> Slice? {
        guard length >= prefix.count else { return nil }
        let end = range.lowerBound + prefix.count
        guard bytes.extracting(range.lowerBound..<end).elementsEqual(prefix.span) else {
            return nil
        }
        return Slice(end..<range.upperBound)
    }
}

extension RequestHead {
    /// The last value of a field that the parser does not know.
    func last(_ name: String, in bytes: Span<UInt8>) -> Slice? {
        var last: Slice?
        forEachField(in: bytes) { field, value in
            if field.isEqual(to: name, in: bytes) { last = value }
        }
        return last
    }

    /// A body comes behind the head, if perhaps an empty one.
    var hasBody: Bool { body != .none && body != .length(0) }
}

extension IPAddress {
    /// Stands for no client: a server asks for itself.
    static let ofServers = IPAddress(v4: 0)
}

extension Exchange {
    /// Another server asks for itself.
    var isOfServer: Bool { isInner && remoteAddress == .ofServers }
}
