public import HTTPServer
public import Journaling
public import Logging

/// The configuration of a server: its address, its clients and its bounds.
public struct ServerConfiguration: Sendable {
    /// An address or a name; anything beyond loopback needs `authorize`, or `isInsecure`.
    public var host = "127.0.0.1"
    /// 0 for any free one.
    public var port = 8080
    /// Event loops, each a thread.
    public var loopCount = 1
    /// The server sends to many streams, and receives from many connections, by one submission to
    /// io_uring(7), if the kernel has and allows it.
    public var usesIOUring = true
    /// The directory of the pages at `/`; nil for none. The JavaScript client at `/client/statecast.js`
    /// and the timeline at `/inspect/timeline/` are part of the library, unless the directory has a
    /// file of the same path.
    public var publicDirectory: String?
    /// Access control is asked about the pages as well. They are open otherwise, so that somebody who
    /// has not signed in, or whose cookie is not known any more, gets the page to sign in by; but for
    /// those at `/inspect`.
    public var authorizesPages = false
    /// The `Content-Security-Policy` of the pages: what browsers let them load, run and be framed by.
    /// As it stands that is what the server itself has, pictures in `data:` besides, and no script and
    /// no style within the HTML:
    ///
    ///     default-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none';
    ///     base-uri 'self'; form-action 'self'; frame-ancestors 'none'
    public var contentSecurityPolicy = StaticDirectory.strictPolicy
    /// Further places that the pages may load pictures from, `https://images.example`: they are added
    /// to the policy's `img-src`.
    public var imageSources: [String] = []
    /// The server may listen beyond loopback although no client is asked for its name. It is then
    /// asked for by addresses, by `publicOrigin` and by `allowedHosts`: any other name could
    /// have been rebound to it by a page's owner.
    public var isInsecure = false
    /// Access control: decides about every request by its head, on the loop that answers it, and
    /// must not wait; about an open stream once a minute again. An application or a route may have its
    /// own. The principal that it grants needs roles: `observe` sees states and events, `act` sends
    /// actions and makes sessions, `inspect` sees logs, recordings and metrics, `admin` ends and sets
    /// sessions. Nil: every client that reaches the server may observe and act.
    public var authorize: (@Sendable (AccessRequest) -> Access)?
    /// Those who may inspect and administer without being asked who they are, where `authorize` is nil.
    public var operators = Operators.none
    /// The origin under which a proxy shows the server: `https://example.org`.
    public var publicOrigin: String?
    /// The field in which the proxy in front tells the client's address, `x-forwarded-for`; nil
    /// where clients connect themselves. Of several addresses the last counts, which the proxy has
    /// added. Without it, all clients behind a proxy are one, and share its part of the sessions.
    public var clientAddressField: String?
    /// Further names by which the server may be asked.
    public var allowedHosts: [String] = []
    /// Further origins whose pages may read answers and change something; nil for none.
    public var cors: CORS?
    /// Bounds of connections and requests.
    public var limits = HTTPLimits()
    /// Bounds of sessions.
    public var sessionLimits = SessionLimits()
    /// Bounds of the application's own routes.
    public var routeLimits = RouteLimits()
    /// Stores do every reduction twice and measure it, while an application is developed; the log
    /// has the findings.
    public var checksReducers = false
    /// The directory in which each loop notes what it reduces, so that the next start tells of a trap or a
    /// fatal signal which has ended the process: with session, action, build and addresses, by a line of the
    /// log and one of `crashes.ndjson`. Nil: nothing is noted.
    ///
    /// It is made where it is missing, for the server's user alone, and one server has it at a time; it may
    /// be the journal's.
    public var crashRecording: String?
    /// The journal that keeps the entries.
    public var journal: any Journal = MemoryJournal()
    /// Servers that share the journal answer for each other's sessions; nil: a session that another server
    /// has is answered with 503.
    public var cluster: Cluster?
    /// The folder in which sessions that an operator chooses stand as JSON, to be edited: see the article
    /// *Hot reload*. It is made for the server's user alone; nil for none. Whoever can write there sets
    /// states without being asked who they are.
    public var hotReloadDirectory: String?
    /// The longest time that a shutdown waits for answers and streams to end.
    public var drainDuration = Duration.seconds(10)
    /// The log for the operator.
    public var logger = Logger(label: "statecast")

    /// Clients that have the roles `inspect` and `admin` although nothing asks who they are.
    public enum Operators: Sendable, Hashable {
        /// None: beyond `observe` and `act`, access control gives roles.
        case none
        /// Whoever reaches the server's port, if it listens on a loopback address: for one's own
        /// machine, and for tests.
        ///
        /// All clients of a proxy on the same machine come from loopback. So it counts for nothing
        /// where `publicOrigin`, `allowedHosts` or `clientAddressField` is set, nor for a request with
        /// a field `Forwarded`, `Via` or `X-Forwarded-…`. A proxy that tells nothing of itself is not
        /// found out: behind one, leave it away.
        case loopback
    }

    /// On loopback, port 8080, one loop, no pages.
    public init() {}

    /// The policy of the pages with the sources of pictures in it.
    var pagePolicy: String {
        get throws(ServerError) {
            var directives = contentSecurityPolicy.split(separator: ";").map(String.init)
            if !imageSources.isEmpty {
                let place = directives.firstIndex { $0.drop { $0 == " " }.hasPrefix("img-src ") }
                guard let place, !imageSources.contains(where: { $0.contains(/[ ,;]/) }) else {
                    throw .badPolicy(
                        "imageSources are places such as https://images.example, and need an "
                            + "img-src in contentSecurityPolicy.")
                }
                directives[place] += " " + imageSources.joined(separator: " ")
            }
            let policy = directives.joined(separator: ";")
            guard !policy.isEmpty, policy.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
                throw .badPolicy(
                    "contentSecurityPolicy is directives in one line of visible ASCII characters.")
            }
            return policy
        }
    }
}

/// The reason why a server does not start.
public enum ServerError: Error, CustomStringConvertible {
    /// The address is open to others, and no client is asked for its name.
    case refusesOpenAddress(String)
    /// Two applications at one place, or a place that is no path.
    case badMount(String)
    /// A route that could never be asked for, or not told from another part of the server.
    case badRoute(String, String)
    /// The application's actions cannot be told apart on the wire.
    case badActions(mount: String, String)
    /// Some of the application's states have no JSON.
    case badState(mount: String, String)
    /// The address cannot be listened on: another process has the port, for instance.
    case badAddress(String, String)
    /// An origin of `cors` is none, or is none that may be listed so.
    case badOrigin(String, String)
    /// Two views of one name, or one that has a name too many or too few.
    case badViews(mount: String, String)
    /// The options of an application's sessions do not fit it, or each other.
    case badOptions(mount: String, String)
    /// The directory of the pages cannot be read, or that of hot reload not be had.
    case badDirectory(String, String)
    /// The policy of the pages is no text of directives, or has no place for `imageSources`.
    case badPolicy(String)
    /// Other servers could not reach the server, or anybody could.
    case badCluster(String)
    /// No application, or one of several, is meant by a path; with those that are served.
    case notServed(String, [String])
    /// The server was started before.
    case isStarted

    /// The reason, and the remedy.
    public var description: String {
        switch self {
        case .refusesOpenAddress(let host):
            "Refusing to listen on \(host) without access control; listen on 127.0.0.1, set "
                + "authorize, or set isInsecure if something in front of the server decides who may "
                + "reach it."
        case .badMount(let path):
            "\(path): a mount is a path such as /counter, each used once, or / alone."
        case .badRoute(let name, let detail): "\(name): \(detail)."
        case .badAddress(let address, let detail):
            "The server cannot listen on \(address): \(detail)."
        case .badOrigin(let origin, let detail): "\(origin): \(detail)."
        case .badActions(let mount, let detail), .badState(let mount, let detail),
            .badViews(let mount, let detail), .badOptions(let mount, let detail):
            "\(mount): \(detail)"
        case .badDirectory(let path, let detail): "\(path): \(detail)"
        case .badPolicy(let detail), .badCluster(let detail): detail
        case .notServed(let path, let paths):
            "\(path.isEmpty ? "No path" : path) is none of an application; say one of "
                + "\(paths.joined(separator: ", "))."
        case .isStarted:
            "The server was started before: run() starts it by itself, and start() is for code that "
                + "calls shutDown()."
        }
    }
}
