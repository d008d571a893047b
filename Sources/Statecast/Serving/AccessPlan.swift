import HTTPMessages
import HTTPServer
import Redux
import Sockets

/// The access control of one server: who is asked about which request, and the role that it takes.
struct AccessPlan: Sendable {
    /// One application's part.
    struct Place: Sendable {
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

    /// The access control of a resource; nil where nothing asks.
    ///
    /// - Parameter access: the rule of an own route.
    func control(of resource: RequestedResource, _ access: Route.Access) -> AccessControl? {
        switch resource {
        case .session(let mount, _, _), .sessions(let mount): return control(ofMount: mount)
        case .operation, .problem, .own, .other: break
        }
        switch access {
        case .open: return nil
        case .asking(let authorize): return AccessControl(authorize)
        case .authorized: return server
        }
    }

    /// The application and the session that a resource belongs to.
    func subject(of resource: RequestedResource) -> AccessSubject {
        switch resource {
        case .session(let mount, let id, _): subject(ofMount: mount, id)
        case .sessions(let mount): subject(ofMount: mount, nil)
        case .operation, .problem, .own, .other: AccessSubject(mount: nil, session: nil)
        }
    }

    /// An application, and one of its sessions.
    func subject(ofMount index: Int, _ session: Slice?) -> AccessSubject {
        AccessSubject(mount: places[index].name, session: session)
    }

    /// Answers depend on who asks although most of the server's do not: Vary says so (RFC 9110
    /// §12.5.5).
    func isSpecial(_ control: AccessControl?) -> Bool { server == nil && control != nil }

    // MARK: What they may

    /// Whoever reaches the server is its operator.
    var isOpenToOperators: Bool { hasOperators && lifecycle.isLoopback }

    /// The one who sends a request; throws where access control refuses it, or it takes a role that
    /// they do not have. The head alone decides, before anything is asked about a session.
    func caller(
        of head: RequestHead, in bytes: Span<UInt8>, _ plan: RoutingPlan, _ rules: Route.Rules,
        asking control: AccessControl?, from address: @autoclosure () -> IPAddress
    ) throws(ProblemAnswer) -> Caller {
        let known = try control?.principal(
            of: head, in: bytes, about: subject(of: plan.resource), callers: rules.callers,
            from: address())
        let role = role(of: plan, head, in: bytes)
        let roles = known?.roles ?? roles(ofStrangersTo: plan, head, in: bytes)
        guard let role, !roles.contains(role) else { return Caller(known: known, roles: roles) }
        // The pages of the timeline belong to no application: each may have its own inspectors.
        if control == nil, case .other = plan.resource,
            places.contains(where: { $0.grants(role, to: head, in: bytes, from: address()) })
        {
            return Caller(known: known, roles: roles)
        }
        throw ProblemAnswer(.forbidden)
    }

    private func roles(
        ofStrangersTo plan: RoutingPlan, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Set<String> {
        // The frequent requests take no more than everybody has: their fields are not looked through.
        if plan.isFrequent(head.method) || !isOpenToOperators { return Role.ofStrangers }
        return Self.isForwarded(head, in: bytes) ? Role.ofStrangers : Role.ofOperators
    }

    /// The role that a request takes (protocol §7); nil where it takes none, as one that is refused
    /// by its method whoever sends it.
    private func role(
        of plan: RoutingPlan, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> String? {
        switch (plan.resource, head.method) {
        case (_, .options), (.session(_, _, .unknown), _): nil
        case (.session(_, _, .actions), .post): Role.act
        case (.session(_, _, .log), _), (.session(_, _, .recording), _),
            (.session(_, _, .replay), _), (.operation(.metrics), _):
            Role.inspect
        case (.sessions, .post) where ReplayResource.mode(of: head, in: bytes) != nil: Role.inspect
        case (.sessions(let mount), .post), (.session(let mount, _, .description), .put):
            places[mount].maker
        case (.sessions, _), (.session(_, _, .description), .delete),
            (.session(_, _, .state), .put):
            Role.admin
        case (.session, _): Role.observe
        case (.other, _): PagesResource.isInspected(head, in: bytes) ? Role.inspect : nil
        case (.operation, _), (.problem, _), (.own, _): nil
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

extension AccessPlan.Place {
    /// Its own access control gives the one who sends a request a role.
    fileprivate func grants(
        _ role: String, to head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress
    ) -> Bool {
        guard let control else { return false }
        let subject = AccessSubject(mount: name, session: nil)
        do throws(ProblemAnswer) {
            return try control.principal(
                of: head, in: bytes, about: subject, callers: .ownOrigin, from: address
            ).roles.contains(role)
        } catch {
            return false
        }
    }
}
