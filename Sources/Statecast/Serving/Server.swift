import HTTPServer
import Journaling
import Logging
import Sockets

/// Applications, served: one authoritative store a session, actions by POST, states by GET and as
/// event streams.
///
///     @main struct Main {
///         static func main() async throws {
///             try await Server { Served("/counter", CounterApplication()) }.run()
///         }
///     }
public final class Server: Sendable {
    /// The configuration that it was made with.
    public let configuration: ServerConfiguration
    let http: WebServer
    /// The sessions, for code of one's own: from `start` until `shutDown`.
    public let sessions: Sessions
    private let lifecycle: ServerLifecycle
    private let access: AccessPlan
    private let directory: SessionDirectory

    /// A server of some applications and routes. Throws `ServerError`, or a system error where there are no
    /// descriptors left.
    public init(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        @ServerBuilder _ parts: () -> [ServerPart]
    ) throws {
        try Self.checkAddress(configuration)
        self.configuration = configuration
        let parts = parts()
        let served = try Self.sorted(parts.compactMap(\.served))
        let mounts = try served.map { try $0.mount() }
        let table = try RouteTable(parts.compactMap(\.route), mounts: mounts.map(\.name))
        let tally = RouteTally(
            names: table.names, limit: configuration.routeLimits.runningCount)
        let budget = MemoryBudget(configuration.limits, loopCount: configuration.loopCount)
        let lifecycle = ServerLifecycle(
            loopCount: configuration.loopCount, budget: budget, routes: tally,
            actions: ActionBoard(mounts, loopCount: configuration.loopCount))
        self.lifecycle = lifecycle
        directory = SessionDirectory(mounts, limits: configuration.sessionLimits)
        sessions = Sessions(directory)
        access = AccessPlan(configuration, served, lifecycle)
        http = try Self.makeServer(
            configuration, mounts, directory, access, table, lifecycle, budget)
        directory.connect(http.loops)
    }

    /// Throws where nothing asks who clients are, and the host is reached from elsewhere: its addresses
    /// count, since a name such as `127.example.org` may stand for any.
    private static func checkAddress(_ configuration: ServerConfiguration) throws {
        guard !configuration.isInsecure, configuration.authorize == nil else { return }
        let addresses = try SocketAddress.resolve(host: configuration.host, port: 0)
        guard addresses.allSatisfy(\.host.isLoopback) else {
            throw ServerError.refusesOpenAddress(configuration.host)
        }
    }

    /// The applications in the order in which paths are compared with theirs, the longest first.
    private static func sorted(_ served: [Served]) throws(ServerError) -> [Served] {
        var names: Set<String> = []
        for application in served {
            guard application.isWellFormed, names.insert(application.name).inserted else {
                throw .badMount(application.path)
            }
        }
        return served.sorted { $0.name.utf8.count > $1.name.utf8.count }
    }

    private static func makeServer(
        _ configuration: ServerConfiguration, _ mounts: [any MountedApplication],
        _ directory: SessionDirectory, _ access: AccessPlan, _ table: RouteTable,
        _ lifecycle: ServerLifecycle, _ budget: MemoryBudget
    ) throws -> WebServer {
        let pages = try openPages(configuration)
        let sharing = try configuration.cors?.makeSharing()
        let gate = RequestGate(
            publicOrigin: configuration.publicOrigin, allowedHosts: configuration.allowedHosts,
            sharing: sharing, sharesCredentials: configuration.cors?.allowsCredentials ?? false,
            bindHost: configuration.host, isInsecure: configuration.isInsecure)
        let quota = SessionQuota(configuration.sessionLimits)
        var http = WebServerConfiguration(configuration)
        http.memory = budget
        http.sharing = sharing
        return try WebServer(configuration: http) { loop in
            let context = ServingContext(
                configuration, inbox: directory.inbox(of: loop), handles: Sessions(directory),
                budget: budget,
                lifecycle: lifecycle, loopIndex: loop.index)
            let files = pages.map { StaticFiles($0, limits: configuration.limits) }
            let registry = SessionRegistry(
                context: context, mounts: mounts, quota: quota,
                dropFiles: { files?.dropCache() }, on: loop)
            let routes =
                table.isEmpty
                ? nil
                : RoutesResource(
                    table, lifecycle.routes, Sessions(directory), configuration, on: loop)
            return Router(
                registry: registry, configuration: configuration, gate: gate,
                access: access, lifecycle: lifecycle, files: files, table: table, routes: routes,
                loopIndex: loop.index)
        }
    }

    private static func openPages(
        _ configuration: ServerConfiguration
    ) throws(ServerError) -> StaticDirectory? {
        guard let path = configuration.publicDirectory else { return nil }
        do throws(SystemError) {
            return try StaticDirectory(
                StaticFilesConfiguration(directory: path, imageSources: configuration.imageSources))
        } catch {
            throw .badDirectory(path, "\(error)")
        }
    }

    /// Listens and serves.
    public func start() throws {
        try http.start()
        lifecycle.isLoopback = http.address?.host.isLoopback ?? false
        directory.open()
        lifecycle.isReady = true
    }

    /// Whoever reaches the port has every role, once started.
    package var isOpenToOperators: Bool { access.isOpenToOperators }

    /// The port, once started.
    public var port: Int { http.port }

    /// Takes no new connections, lets answers and streams end, stops, and has the journal finish
    /// what it was given. Handles of sessions end their work with the answers.
    public func shutDown() async {
        lifecycle.isReady = false
        await http.drain(timeout: configuration.drainDuration)
        directory.close()
        await http.stop()
        await configuration.journal.close()
    }

    /// Serves until the task is cancelled, then shuts down.
    public func run() async throws {
        try start()
        configuration.logger.notice("serving on http://\(configuration.host):\(port)")
        let (forever, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in forever {}
        continuation.finish()
        await shutDown()
    }
}
