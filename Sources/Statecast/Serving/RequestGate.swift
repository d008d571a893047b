import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

/// The checks of every request (protocol §7) that keep other origins' pages and rebound names
/// away from a server on loopback.
struct RequestGate: Sendable {
    /// The names by which the server may be asked for, lower case, without ports.
    let hosts: Set<String>
    /// Addresses are names as well: no page can have one rebound to this server.
    let takesAddresses: Bool
    /// The origin under which a proxy shows the server, lower case.
    let publicOrigin: String?
    /// The other origins that may change something.
    let sharing: OriginSharing?
    /// Pages of these have credentials.
    let sharesCredentials: Bool

    init(_ configuration: ServerConfiguration) throws(ServerError) {
        var hosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
        let (origin, bound) = (configuration.publicOrigin, configuration.host)
        if let origin, let host = Self.host(ofOrigin: origin) { hosts.insert(host) }
        hosts.formUnion(configuration.allowedHosts.map { $0.lowercased() })
        hosts.insert(bound.contains(":") ? "[\(bound)]" : bound.lowercased())
        self.hosts = hosts
        takesAddresses =
            configuration.isInsecure && origin == nil && configuration.allowedHosts.isEmpty
        publicOrigin = origin?.lowercased()
        sharing = try configuration.cors?.makeSharing()
        sharesCredentials = configuration.cors?.allowsCredentials ?? false
    }

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
        var hasMethod = false
        head.forEachField(in: bytes) { name, _ in
            if name.isEqual(to: "Access-Control-Request-Method", in: bytes) { hasMethod = true }
        }
        return hasMethod
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
        guard authority.length >= name.count else { return false }
        let end = authority.range.lowerBound + name.count
        let beginning = bytes.extracting(authority.range.lowerBound..<end)
        guard beginning.elementsEqual(name.span) else { return false }
        return end == authority.range.upperBound || bytes[end] == UInt8(ascii: ":")
    }

    private func originRefusal(_ head: RequestHead, in bytes: Span<UInt8>) -> ProblemDetails? {
        guard let origin = head.value(.origin) else {
            guard let site = head.value(.secFetchSite),
                !site.isEqual(to: "same-origin", in: bytes), !site.isEqual(to: "none", in: bytes)
            else { return nil }
            return .crossOrigin
        }
        let text = origin.string(in: bytes).lowercased()
        if text == publicOrigin { return nil }
        let authority = head.authority.string(in: bytes).lowercased()
        if text == "http://\(authority)" || text == "https://\(authority)" { return nil }
        guard let sharing, sharing.isListed(head, in: bytes) else { return .crossOrigin }
        // A form sends cookies without asking before, whatever the browser would be answered.
        return sharesCredentials || head.value(.cookie) == nil ? nil : .crossOrigin
    }

    /// A browser goes to the address, by a link or a redirect, and shows the answer by itself: no page
    /// gets it (Fetch Metadata Request Headers §2).
    private static func isNavigation(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard head.method != .options, head.value(.origin) == nil else { return false }
        var mode: Slice?
        var destination: Slice?
        head.forEachField(in: bytes) { name, value in
            if name.isEqual(to: "sec-fetch-mode", in: bytes) { mode = value }
            if name.isEqual(to: "sec-fetch-dest", in: bytes) { destination = value }
        }
        return mode?.isEqual(to: "navigate", in: bytes) ?? false
            && destination?.isEqual(to: "document", in: bytes) ?? false
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
}

extension RequestMethod {
    /// The method changes nothing (RFC 9110 §9.2.1).
    var isSafe: Bool { self == .get || self == .head || self == .options }
}
