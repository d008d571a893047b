import HTTPMessages
import HTTPServer
import Redux
import Sockets

/// The roles by which the server itself decides (protocol §7); access control may give others.
enum Role {
    /// Sees states, events and descriptions.
    static let observe = "observe"
    /// Sends actions; makes sessions, unless the application names another role.
    static let act = "act"
    /// Sees what happens inside: what runs, and what others did.
    static let inspect = "inspect"
    /// Lists, ends and changes sessions.
    static let admin = "admin"

    /// Those of everybody where nothing asks who clients are.
    static let ofStrangers: Set<String> = [observe, act]
    /// Those of whoever reaches a server whose operators are not asked.
    static let ofOperators: Set<String> = [observe, act, inspect, admin]
}

/// The one who sends a request that access control has let in.
struct Caller {
    /// Nil where nothing asks who clients are.
    let known: Principal?
    /// Those of a stranger do not become their principal's: entries and views know no such roles.
    let roles: Set<String>

    var principal: Principal { known ?? .anonymous }
}

/// Asks who sends a request: the `authorize` of a server, or that of one application or route.
struct AccessControl: Sendable {
    private let authorize: @Sendable (AccessRequest) -> Access

    /// Nil where nothing asks.
    init?(_ authorize: (@Sendable (AccessRequest) -> Access)?) {
        guard let authorize else { return nil }
        self.authorize = authorize
    }

    /// The principal that sends a request; throws where access control refuses it.
    ///
    /// - Parameters:
    ///   - request: nil where its path is no text.
    ///   - callers: access control sees no cookie, and no password that a browser remembers, where any
    ///     page may have them sent.
    func principal(
        of request: AccessRequest?, _ callers: Route.Callers = .ownOrigin
    ) throws(ProblemDetails) -> Principal {
        guard var request else { throw .undecodablePath }
        if callers == .anywhere {
            request.cookie = nil
            if let known = request.authorization, BrowserCredentials.areRemembered(known) {
                request.authorization = nil
            }
        }
        switch authorize(request) {
        case .granted(let principal): return principal
        case .unauthenticated: throw .unauthenticated
        case .forbidden: throw .forbidden
        }
    }

    /// The principal that an open stream is for now; nil where access control has withdrawn it, or
    /// the role to observe.
    ///
    /// - Parameter request: the one that the stream has answered.
    func principal(ofStream request: AccessRequest) -> Principal? {
        var request = request
        request.purpose = .openStream
        guard case .granted(let principal) = authorize(request),
            principal.roles.contains(Role.observe)
        else { return nil }
        return principal
    }
}

/// The access control of one server: who is asked about which request, and the role that it takes.
struct AccessPlan: Sendable {
    /// One application's part.
    private struct Place {
        /// The path, `/` for the root.
        let name: String
        /// Its own access control; nil where the server's decides.
        let control: AccessControl?
        /// The role that makes its sessions.
        let maker: String
    }

    /// The server's own; nil where nothing asks.
    private let server: AccessControl?
    /// In the order of the registries.
    private let places: [Place]
    /// The configuration lets whoever reaches a loopback address be an operator.
    private let hasOperators: Bool
    /// Knows the address that the server listens on.
    private let lifecycle: ServerLifecycle

    init(
        _ configuration: ServerConfiguration, _ served: [Served], _ lifecycle: ServerLifecycle
    ) {
        server = AccessControl(configuration.authorize)
        places = served.map {
            Place(
                name: $0.name.isEmpty ? "/" : $0.name, control: AccessControl($0.access),
                maker: $0.maker)
        }
        // What tells of a proxy takes it away: all clients of a proxy on this machine come from it.
        hasOperators =
            configuration.operators == .loopback && configuration.publicOrigin == nil
            && configuration.allowedHosts.isEmpty && configuration.clientAddressField == nil
        self.lifecycle = lifecycle
    }

    // MARK: Who is asked

    /// The access control of an application; nil where nothing asks.
    func control(ofMount index: Int) -> AccessControl? { places[index].control ?? server }

    /// The access control of what a request is for; nil where nothing asks.
    private func control(of plan: RequestPlan, _ route: Route?) -> AccessControl? {
        if plan.isOfApplication { return control(ofMount: Int(plan.place)) }
        return switch route?.access ?? .authorized {
        case .open: nil
        case .asking(let authorize): AccessControl(authorize)
        case .authorized: server
        }
    }

    /// What access control sees of a request about an application, and perhaps one of its sessions.
    func request(
        _ head: RequestHead, in bytes: Span<UInt8>, ofMount index: Int, about session: Slice? = nil,
        from address: IPAddress
    ) -> AccessRequest? {
        AccessRequest(head, in: bytes, to: places[index].name, about: session, from: address)
    }

    /// Answers depend on who asks although most of the server's do not: Vary says so (RFC 9110
    /// §12.5.5).
    func isSpecial(_ plan: RequestPlan, _ route: Route?) -> Bool {
        server == nil && control(of: plan, route) != nil
    }

    // MARK: What they may

    /// Whoever reaches the server is its operator.
    var isOpenToOperators: Bool { hasOperators && lifecycle.isLoopback }

    /// The one who sends a request; throws where access control refuses it, or it takes a role that
    /// they do not have. The head alone decides, before anything is asked about a session.
    ///
    /// - Parameter route: the own route that it is for.
    func caller(
        of head: RequestHead, in bytes: Span<UInt8>, _ plan: RequestPlan, _ route: Route?,
        from address: @autoclosure () -> IPAddress
    ) throws(ProblemDetails) -> Caller {
        let control = control(of: plan, route)
        var known: Principal?
        if let control {
            let request = AccessRequest(
                head, in: bytes, to: plan.isOfApplication ? places[Int(plan.place)].name : nil,
                about: plan.resource.isOfSession ? plan.name : nil, from: address())
            known = try control.principal(of: request, route?.callers ?? .ownOrigin)
        }
        let roles = known?.roles ?? roles(ofStrangersTo: plan, head, in: bytes)
        let role = role(of: plan, head, in: bytes)
        guard let role, !roles.contains(role) else { return Caller(known: known, roles: roles) }
        // The pages of the timeline belong to no application: each may have its own inspectors.
        if control == nil, plan.resource == .file,
            places.indices.contains(where: {
                isGranted(role, at: $0, to: head, in: bytes, from: address())
            })
        {
            return Caller(known: known, roles: roles)
        }
        throw .forbidden
    }

    /// The own access control of an application gives the one who sends a request a role.
    private func isGranted(
        _ role: String, at index: Int, to head: RequestHead, in bytes: Span<UInt8>,
        from address: IPAddress
    ) -> Bool {
        guard let control = places[index].control else { return false }
        do throws(ProblemDetails) {
            let request = request(head, in: bytes, ofMount: index, from: address)
            return try control.principal(of: request).roles.contains(role)
        } catch {
            return false
        }
    }

    private func roles(
        ofStrangersTo plan: RequestPlan, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Set<String> {
        // The frequent requests take no more than everybody has: their fields are not looked through.
        if plan.isFrequent(head.method) || !isOpenToOperators { return Role.ofStrangers }
        return Self.isForwarded(head, in: bytes) ? Role.ofStrangers : Role.ofOperators
    }

    /// The role that a request takes (protocol §7); nil where it takes none, as one that is refused
    /// by its method whoever sends it.
    private func role(
        of plan: RequestPlan, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> String? {
        switch (plan.resource, head.method) {
        case (_, .options), (.unknown, _), (.alive, _), (.ready, _), (.problem, _), (.own, _): nil
        case (.actions, .post): Role.act
        case (.log, _), (.recording, _), (.replay, _), (.metrics, _): Role.inspect
        case (.sessions, .post) where ReplayResource.mode(of: head, in: bytes) != nil: Role.inspect
        case (.sessions, .post), (.description, .put): places[Int(plan.place)].maker
        case (.sessions, _), (.description, .delete), (.state, .put): Role.admin
        case (.actions, _), (.events, _), (.state, _), (.description, _): Role.observe
        case (.file, _): PagesResource.isInspected(head, in: bytes) ? Role.inspect : nil
        }
    }

    /// A proxy has passed the request on (RFC 7239, RFC 9110 §7.6.3).
    private static func isForwarded(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        var isForwarded = false
        head.forEachField(in: bytes) { name, _ in
            let beginning = Slice(name.range.prefix(12))
            isForwarded =
                isForwarded || name.isEqual(to: "forwarded", in: bytes)
                || name.isEqual(to: "via", in: bytes)
                || beginning.isEqual(to: "x-forwarded-", in: bytes)
        }
        return isForwarded
    }
}
