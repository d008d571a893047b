import HTTPMessages
import HTTPServer
public import HTTPTypes
public import Redux
import Sockets

/// The part of a request that access control decides by: its head, never its body.
public struct AccessRequest: Sendable {
    /// The reason to ask.
    public enum Purpose: Sendable, Hashable {
        /// A request has come.
        case request
        /// The stream is open that the request has asked for, or had to wait and is about to be, and
        /// the answer to it may be another one by now.
        case openStream
    }

    /// The reason to ask.
    public var purpose = Purpose.request
    /// GET, POST …
    public var method: HTTPRequest.Method
    /// The path without the query, its escapes decoded: `/counter/sessions/demo/actions`. A file
    /// has one spelling here, however it was asked for; a path that is no UTF-8 is answered with
    /// 400 before.
    public var path: String
    /// The place of the application that the request is for: `/counter`, or `/` for one that is served
    /// there; nil for an own route, a file or a resource of the server.
    public var mount: String?
    /// The session that the request is about; nil where it is about none, or names it by what is no id.
    public var session: SessionID?
    /// The query as it was sent, without the question mark.
    public var query: String
    /// The field Authorization.
    public var authorization: String?
    /// The field Cookie.
    public var cookie: String?
    /// The address of the connection's other end, perhaps a proxy's.
    public var remoteAddress: String

    /// The request only reads: GET, HEAD, OPTIONS.
    public var isSafe: Bool { method == .get || method == .head || method == .options }

    /// The memory that it takes, roughly.
    var byteCount: Int {
        let fields = (authorization?.utf8.count ?? 0) + (cookie?.utf8.count ?? 0)
        return 256 + path.utf8.count + query.utf8.count + fields
    }

    /// Decides about a request.
    typealias Authorize = @Sendable (AccessRequest) -> Access

    /// Nil where the path is no text.
    ///
    /// - Parameters:
    ///   - served: the applications by their numbers.
    ///   - callers: where any page may have a request sent, its cookie is left out, and a password that
    ///     a browser remembers.
    init?(
        _ head: RequestHead, in bytes: Span<UInt8>, _ plan: RequestPlan, to served: [Served],
        callers: Route.Callers = .ownOrigin, from address: IPAddress
    ) {
        guard let path = PercentCoding.decoded(head.path.array(in: bytes)) else { return nil }
        mount = plan.isOfApplication ? served[Int(plan.place)].path : nil
        session = plan.resource.isOfSession ? SessionID(plan.name.string(in: bytes)) : nil
        // A name that is no method's counts as one that changes something.
        method = HTTPRequest.Method(head.methodName.string(in: bytes)) ?? .post
        self.path = path
        query = head.query.string(in: bytes)
        let authorization = head.value(.authorization)?.string(in: bytes)
        self.authorization = authorization.flatMap { value in
            callers == .ownOrigin || !Self.isOfBrowser(.authorization, value) ? value : nil
        }
        cookie = callers == .ownOrigin ? head.value(.cookie)?.string(in: bytes) : nil
        remoteAddress = "\(address)"
    }

    /// A field is one that a browser adds to requests by itself, so that a page of any origin sends
    /// that of whoever has opened it: cookies, and what was once typed into the browser's own question
    /// (RFC 7617 §2.2, RFC 7616 §3.6, RFC 4559 §4.1).
    static func isOfBrowser(_ name: HTTPField.Name, _ value: String) -> Bool {
        guard name == .authorization else { return name == .cookie }
        let scheme = value.lowercased().drop { $0 == " " }.prefix { $0 != " " }
        return ["basic", "digest", "negotiate", "ntlm"].contains(scheme)
    }
}

/// The answer of access control.
public enum Access: Sendable, Hashable {
    /// Go on, on behalf of this principal.
    case granted(Principal)
    /// 401: say who you are.
    case unauthenticated
    /// 403: you may not.
    case forbidden
}
