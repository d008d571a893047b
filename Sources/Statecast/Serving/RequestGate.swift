import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets
import Synchronization

/// The roles by which the server itself decides (the article *Security*); access control may give others.
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
}

/// The checks of every request (the article *Security*): those that keep other origins' pages and rebound names
/// away from a server on loopback, and access control: who is asked, and the role that it takes.
final class RequestGate: Sendable {
    private let configuration: ServerConfiguration
    /// The names by which the server may be asked for, lower case, without ports.
    private let hosts: Set<String>
    /// Addresses are names as well: no page can have one rebound to this server.
    private let takesAddresses: Bool
    /// The other origins that may change something.
    let sharing: OriginSharing?
    /// The applications in the order of the registries.
    let served: [Served]
    /// The configuration lets whoever reaches a loopback address be an operator.
    private let hasOperators: Bool
    /// Knows the address that the server listens on.
    private let lifecycle: ServerLifecycle

    init(
        _ configuration: ServerConfiguration, _ served: [Served], _ lifecycle: ServerLifecycle
    ) throws(ServerError) {
        var hosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
        let (origin, bound) = (configuration.publicOrigin, configuration.host)
        if let origin, let host = Self.host(ofOrigin: origin) { hosts.insert(host) }
        hosts.formUnion(configuration.allowedHosts.map { $0.lowercased() })
        hosts.insert(bound.contains(":") ? "[\(bound)]" : bound.lowercased())
        self.hosts = hosts
        self.configuration = configuration
        self.served = served
        self.lifecycle = lifecycle
        let isNamed = origin != nil || !configuration.allowedHosts.isEmpty
        takesAddresses = configuration.isInsecure && !isNamed
        // What tells of a proxy takes it away: all clients of a proxy on this machine come from it.
        hasOperators =
            configuration.operators == .loopback && !isNamed
            && configuration.clientAddressField == nil
        sharing = try configuration.cors?.makeSharing()
    }

    // MARK: Accounts

    /// The client on whose account is what a request makes: a session, a stream, a sign-in, a key.
    func client(of request: SessionRequest, in bytes: Span<UInt8>) -> Accounts.Client {
        let hash = configuration.journal.hash
        return hash.client(request.principal) ?? hash.client(network(of: request, in: bytes))
    }

    private func network(of request: SessionRequest, in bytes: Span<UInt8>) -> IPAddress {
        (address(request.head, in: bytes) ?? request.exchange.remoteAddress).clientNetwork
    }

    /// The words by which the server's log names that client.
    func name(of request: SessionRequest, in bytes: Span<UInt8>) -> String {
        let network = network(of: request, in: bytes)
        return request.principal.id.map { String(reflecting: $0.prefix(100)) }
            ?? "\(network)/\(network.isV4 ? 24 : 64)"
    }

    /// The client at the other end of a connection; 0 where that is a proxy, for anybody.
    func client(at address: IPAddress) -> Accounts.Client {
        configuration.clientAddressField == nil
            ? configuration.journal.hash.client(address.clientNetwork) : 0
    }

    /// The client's address as the proxy in front tells it: the last one of the field, which the
    /// proxy itself has added.
    private func address(_ head: RequestHead, in bytes: Span<UInt8>) -> IPAddress? {
        guard let name = configuration.clientAddressField, let value = head.last(name, in: bytes),
            let last = value.string(in: bytes).split(separator: ",").last
        else { return nil }
        return IPAddress(parsing: String(last.drop { $0 == " " }.prefix { $0 != " " }))
    }

    // MARK: Names and pages

    /// The reason for which a request is refused; nil where it is not.
    ///
    /// - Parameters:
    ///   - callers: the pages that may send it.
    ///   - isOwn: an own route answers it, of which it is not known that GET changes nothing.
    func refusal(
        _ head: RequestHead, in bytes: Span<UInt8>, callers: Route.Callers = .ownOrigin,
        isOwn: Bool = false
    ) -> ProblemDetails? {
        if !isLoopback(head.authority, in: bytes), !isNameless(head) {
            let host = Self.withoutPort(head.authority.string(in: bytes).lowercased())
            let isKnown =
                hosts.contains(host) || takesAddresses && IPAddress(parsing: host) != nil
            guard isKnown else { return .unknownHost }
        }
        guard !head.method.isSafe || isOwn, callers == .ownOrigin else { return nil }
        if head.method.isSafe, Self.isNavigation(head, in: bytes) { return nil }
        return originRefusal(head, in: bytes)
    }

    /// A page's browser asks whether the page, of a listed origin, may send another request (Fetch
    /// Standard §3.3.2): it is answered before access control.
    ///
    ///     OPTIONS /list/sessions/home/actions HTTP/1.1
    ///     Origin: https://app.example
    ///     Access-Control-Request-Method: POST
    func isPreflight(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard let sharing, head.method == .options, sharing.isListed(head, in: bytes) else {
            return false
        }
        return head.last("Access-Control-Request-Method", in: bytes) != nil
    }

    /// Answers that pages may send all that some resource takes: the answer to the request itself
    /// then tells the page what was wrong with it.
    func answerPreflight(_ exchange: Exchange, on loop: isolated EventLoop) {
        exchange.respond(.noContent, on: loop) { $0.lines(Self.preflightLines) }
    }

    private static let preflightLines = Array(
        """
        Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE\r
        Access-Control-Allow-Headers: Authorization, Content-Type, If-Match, If-None-Match, \
        Idempotency-Key, Last-Event-ID, Prefer\r
        Access-Control-Max-Age: 7200\r\n
        """.utf8)

    /// HTTP/1.0 does without Host; no browser sends that, so no page can be behind it.
    private func isNameless(_ head: RequestHead) -> Bool {
        head.version == .http10 && head.authority.isEmpty && head.value(.host) == nil
    }

    /// The names that nearly every request comes by, compared without a string.
    @inline(__always)
    private func isLoopback(_ authority: Slice, in bytes: Span<UInt8>) -> Bool {
        isName(authority, Self.loopback, in: bytes) || isName(authority, Self.localhost, in: bytes)
    }

    @inline(__always)
    private func isName(_ authority: Slice, _ name: [UInt8], in bytes: Span<UInt8>) -> Bool {
        guard let rest = authority.rest(behind: name, in: bytes) else { return false }
        return rest.isEmpty ? true : bytes[rest.range.lowerBound] == UInt8(ascii: ":")
    }

    private func originRefusal(_ head: RequestHead, in bytes: Span<UInt8>) -> ProblemDetails? {
        guard let origin = head.value(.origin) else {
            guard let site = head.value(.secFetchSite),
                !site.isEqual(to: "same-origin", in: bytes), !site.isEqual(to: "none", in: bytes)
            else { return nil }
            return .crossOrigin
        }
        let text = origin.string(in: bytes).lowercased()
        if text == configuration.publicOrigin?.lowercased() { return nil }
        let authority = head.authority.string(in: bytes).lowercased()
        if text == "http://\(authority)" || text == "https://\(authority)" { return nil }
        guard let sharing, sharing.isListed(head, in: bytes) else { return .crossOrigin }
        // A form sends cookies without asking before, whatever the browser would be answered.
        return configuration.cors?.allowsCredentials ?? false || head.value(.cookie) == nil
            ? nil : .crossOrigin
    }

    /// A browser goes to the address, by a link or a redirect, and shows the answer by itself: no page
    /// gets it (Fetch Metadata Request Headers §2).
    private static func isNavigation(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard head.method != .options, head.value(.origin) == nil else { return false }
        return head.last("sec-fetch-mode", in: bytes)?.isEqual(to: "navigate", in: bytes) ?? false
            && head.last("sec-fetch-dest", in: bytes)?.isEqual(to: "document", in: bytes) ?? false
    }

    static func host(ofOrigin origin: String) -> String? {
        let parts = origin.lowercased().split(separator: "/", omittingEmptySubsequences: true)
        guard parts.count == 2 else { return nil }
        return withoutPort(String(parts[1]))
    }

    private static func withoutPort(_ authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":"),
            authority[authority.index(after: colon)...].allSatisfy(\.isNumber)
        else { return authority }
        return String(authority[..<colon])
    }

    private static let loopback = Array("127.0.0.1".utf8)
    private static let localhost = Array("localhost".utf8)

    // MARK: Access

    /// The access control of what a request is for; nil where nothing asks.
    ///
    /// - Parameter route: the own route that it is for.
    func authorize(_ plan: RequestPlan, _ route: Route? = nil) -> AccessRequest.Authorize? {
        if plan.isOfApplication {
            return served[Int(plan.place)].access ?? configuration.authorize
        }
        return switch route?.access ?? .authorized {
        case .open: nil
        case .asking(let authorize): authorize
        case .authorized: configuration.authorize
        }
    }

    /// Answers depend on who asks although most of the server's do not: Vary says so (RFC 9110
    /// §12.5.5).
    func isSpecial(_ plan: RequestPlan, _ route: Route?) -> Bool {
        guard configuration.authorize == nil else { return false }
        return authorize(plan, route) != nil
    }

    /// Whoever reaches the server is its operator.
    var isOpenToOperators: Bool { hasOperators && lifecycle.isLoopback.load(ordering: .relaxed) }

    /// The one who sends a request; throws where access control refuses it, or it takes a role that
    /// they do not have. The head alone decides, before anything is asked about a session.
    ///
    /// - Parameter route: the own route that it is for.
    func caller(
        of head: RequestHead, in bytes: Span<UInt8>, _ plan: RequestPlan, _ route: Route?,
        from address: IPAddress, asked purpose: AccessRequest.Purpose = .request
    ) throws(ProblemDetails) -> Caller {
        // Everybody may have a page, whatever cookie their browser sends: one to sign in by, for instance.
        let isPage =
            plan.resource == .file && !configuration.authorizesPages
            && !Self.isInspected(head, in: bytes)
        let authorize = isPage ? nil : authorize(plan, route)
        // The frequent requests take no more than everybody has.
        if authorize == nil, plan.isFrequent(head.method) {
            return Caller(known: nil, roles: Role.ofStrangers)
        }
        var known: Principal?
        if let authorize {
            let request = AccessRequest(
                head, in: bytes, plan, to: served, callers: route?.callers ?? .ownOrigin,
                from: address)
            guard var request else { throw .undecodablePath }
            request.purpose = purpose
            switch authorize(request) {
            case .granted(let principal): known = principal
            case .unauthenticated: throw .unauthenticated
            case .forbidden: throw .forbidden
            }
        }
        let roles = known?.roles ?? rolesOfStrangers(head, in: bytes)
        let caller = Caller(known: known, roles: roles)
        guard let role = role(of: plan, head, in: bytes), !roles.contains(role) else {
            return caller
        }
        // The pages of the timeline belong to no application: each may have its own inspectors.
        guard authorize == nil, plan.resource == .file,
            served.indices.contains(where: {
                isGranted(role, at: $0, to: head, in: bytes, from: address)
            })
        else { throw .forbidden }
        return caller
    }

    /// The own access control of an application gives the one who sends a request a role.
    private func isGranted(
        _ role: String, at index: Int, to head: RequestHead, in bytes: Span<UInt8>,
        from address: IPAddress
    ) -> Bool {
        guard let authorize = served[index].access,
            let request = AccessRequest(
                head, in: bytes, RequestPlan(.sessions, place: index), to: served, from: address),
            case .granted(let principal) = authorize(request)
        else { return false }
        return principal.roles.contains(role)
    }

    private func rolesOfStrangers(_ head: RequestHead, in bytes: Span<UInt8>) -> Set<String> {
        isOpenToOperators && !Self.isForwarded(head, in: bytes)
            ? Role.ofOperators : Role.ofStrangers
    }

    /// The role that a request takes (the article *Security*); nil where it takes none, as one that is refused
    /// by its method whoever sends it.
    private func role(
        of plan: RequestPlan, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> String? {
        switch (plan.resource, head.method) {
        case (_, .options), (.unknown, _), (.alive, _), (.ready, _), (.problem, _), (.own, _): nil
        case (.actions, .post): Role.act
        case (.replays, _) where Query(head.query, in: bytes)["reduce"] != nil:
            // The reducer runs on whatever state and facts the body has.
            Role.admin
        case (.log, _), (.recording, _), (.replay, _), (.replays, _), (.metrics, _):
            Role.inspect
        case (.sessions, .post), (.description, .put): served[Int(plan.place)].maker
        case (.sessions, _), (.description, .delete), (.state, .put), (.forget, _), (.revert, _),
            (.move, _), (.drain, _):
            Role.admin
        case (.actions, _), (.events, _), (.state, _), (.description, _), (.schema, _):
            Role.observe
        case (.file, _): Self.isInspected(head, in: bytes) ? Role.inspect : nil
        }
    }

    /// The request is for a file below `/inspect`: those are for who may inspect.
    private static func isInspected(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        let path = head.path.string(in: bytes)
        let plain = path.utf8.contains(UInt8(ascii: "%")) ? PercentCoding.decoded(path.utf8) : path
        guard let plain, plain.hasPrefix("/inspect") else { return false }
        let rest = plain.utf8.dropFirst("/inspect".utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
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

extension KeyedHash {
    /// The print of a principal's account; nil for one without an id.
    func client(_ principal: Principal) -> Accounts.Client? {
        principal.id.map { client(Array($0.utf8)) }
    }

    /// The print of a network's account.
    fileprivate func client(_ network: IPAddress) -> Accounts.Client {
        let bytes = [network.high, network.low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        return client([0] + bytes)
    }
}

extension RequestMethod {
    /// The method changes nothing (RFC 9110 §9.2.1).
    var isSafe: Bool {
        switch self {
        case .get, .head, .options: true
        default: false
        }
    }
}
