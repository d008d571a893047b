public import HTTPTypes

/// A resource of an application's own, beside its sessions: a sign-in, a webhook, an upload.
///
///     Route(.post, "/mail/{name}", bodyLimit: 16 << 10) { request in
///         let mail: Mail = try request.decode()
///         try await inbox.keep(mail, of: request.parameters["name"])
///         return RouteResponse(.noContent)
///     }
///
/// The server checks what it checks always before a handler runs: Host, the sizes of head and body,
/// the time that they take, and the memory that is left. A path that several routes could have goes
/// to the one with the most text in front; what no route has may be a file.
public struct Route: Sendable {
    /// Answers one request; in Swift's pool, so that it may wait. It is cancelled when the client has
    /// gone, after `RouteLimits.duration`, or when the server shuts down.
    public typealias Handler = @Sendable (RouteRequest) async throws -> RouteResponse

    /// The pages that may have their browsers send a request.
    public enum Callers: Sendable, Hashable {
        /// Those of the server's own origin, and of the origins of `ServerConfiguration.cors`; for
        /// GET as well. Programs that name no origin may, too, and so may a browser that is sent
        /// here by a link or a redirect, to show the answer by itself.
        case ownOrigin
        /// Those of all origins. No cookie, and no password that the browser remembers
        /// (`Authorization: Basic …`), reaches access control or the handler, so that a page cannot
        /// act as whoever has opened it.
        case anywhere
    }

    /// The question that is asked about who sends a request.
    public enum Access: Sendable {
        /// `ServerConfiguration.authorize` decides, where it is set: 401 or 403 before the handler.
        case authorized
        /// None: the handler decides, by a signature in the body for instance. It is told no
        /// principal.
        case open
        /// This closure decides in place of `ServerConfiguration.authorize`, on the loop that answers
        /// the request, and must not wait.
        case asking(@Sendable (AccessRequest) -> Statecast.Access)
    }

    let method: HTTPRequest.Method
    let path: String
    let bodyLimit: Int
    let accepting: [String]
    let callers: Callers
    let access: Access
    let handle: Handler
    /// The reason why the server does not start with it, where the handler cannot do its part.
    package var fault: String?

    /// A resource at a path.
    ///
    /// - Parameters:
    ///   - method: GET, which answers HEAD as well, POST, PUT, PATCH or DELETE. The server itself
    ///     answers OPTIONS, and other methods by 405.
    ///   - path: segments of letters, digits and `._~-`, of which some are parameters: `/hooks/{name}`.
    ///     A parameter is one segment, with its escapes decoded.
    ///   - bodyLimit: the bytes of a body once gzip is taken off; a larger one is answered by 413.
    ///   - accepting: the media types of a body, `image/*` and `*/*` too; another one is answered by
    ///     415. With none, no body is taken.
    ///   - callers: the pages that may send requests.
    ///   - access: says whether access control is asked.
    ///   - handle: answers a request, or throws (``RouteResponse``).
    public init(
        _ method: HTTPRequest.Method, _ path: String, bodyLimit: Int = 1 << 20,
        accepting: [String] = ["application/json"], callers: Callers = .ownOrigin,
        access: Access = .authorized, _ handle: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.bodyLimit = bodyLimit
        self.accepting = accepting
        self.callers = callers
        self.access = access
        self.handle = handle
    }

    /// The name of the route in the log and in metrics, without what only its client knows:
    /// `POST /hooks/{name}`.
    var name: String { "\(method.rawValue) \(path)" }
}

/// Bounds of the requests that an application's own routes answer.
public struct RouteLimits: Sendable, Hashable {
    /// The handlers that run at once; above it 503. One that goes on although it was cancelled counts
    /// until it has ended.
    public var runningCount = 256
    /// The time that a handler has; then it is cancelled, and its client gets 503.
    public var duration = Duration.seconds(60)

    /// The defaults.
    public init() {}
}
