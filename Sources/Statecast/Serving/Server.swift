import HTTPServer
import Journaling
import Logging
import Sockets
import Synchronization

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
    public var configuration: ServerConfiguration { shared.configuration }
    let http: WebServer
    /// The sessions, for code of one's own: from `start` until `shutDown`.
    public let sessions: Sessions
    private let shared: ServerParts

    /// A server of some applications and routes. Throws `ServerError`, or a system error where there are no
    /// descriptors left.
    public init(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        @ServerBuilder _ parts: () -> [ServerPart]
    ) throws {
        try Self.checkAddress(configuration)
        let shared = try ServerParts(configuration, parts())
        self.shared = shared
        sessions = Sessions(shared.directory)
        http = try WebServer(configuration: shared.http) { Router(shared, on: $0) }
        shared.directory.connect(http.loops)
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

    /// Listens and serves.
    public func start() throws {
        try http.start()
        let isLoopback = http.address?.host.isLoopback ?? false
        shared.lifecycle.isLoopback.store(isLoopback, ordering: .relaxed)
        if configuration.journal.mode == .memory {
            configuration.logger.notice("sessions are kept in memory: they end with this process")
        }
        shared.directory.open()
        shared.lifecycle.isReady.store(true, ordering: .relaxed)
    }

    /// Whoever reaches the port has every role, once started.
    package var isOpenToOperators: Bool { shared.gate.isOpenToOperators }

    /// The port, once started.
    public var port: Int { http.port }

    /// Takes no new connections, lets answers and streams end, stops, and has the journal finish
    /// what it was given. Handles of sessions end their work with the answers.
    public func shutDown() async {
        shared.lifecycle.isReady.store(false, ordering: .relaxed)
        await http.drain(timeout: configuration.drainDuration)
        await shared.directory.close()
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

/// The parts of a server that all its loops share.
final class ServerParts: Sendable {
    let configuration: ServerConfiguration
    /// The applications in the order in which paths are compared with theirs, the longest first.
    let mounts: [any MountedApplication]
    let table: RouteTable
    let gate: RequestGate
    let lifecycle: ServerLifecycle
    let directory: SessionDirectory
    let quota: SessionQuota
    let pages: StaticDirectory?
    /// The part of the configuration that is about connections and requests.
    let http: WebServerConfiguration

    fileprivate init(_ configuration: ServerConfiguration, _ parts: [ServerPart]) throws {
        self.configuration = configuration
        let served = try Self.sorted(parts.compactMap(\.served))
        mounts = try served.map { try $0.mount() }
        table = try RouteTable(parts.compactMap(\.route), mounts: mounts.map(\.name))
        lifecycle = ServerLifecycle(configuration, table, mounts)
        directory = SessionDirectory(
            mounts, limits: configuration.sessionLimits, hash: configuration.journal.hash)
        quota = SessionQuota(configuration.sessionLimits)
        pages = try Self.openPages(configuration)
        gate = try RequestGate(configuration, served, lifecycle)
        var http = WebServerConfiguration(
            host: configuration.host, port: configuration.port,
            loopCount: configuration.loopCount, limits: configuration.limits,
            logger: configuration.logger)
        if !configuration.usesIOUring { http.leastBatchCount = nil }
        // Where access is configured, no cache may show one client what another has been given
        // (RFC 9110 §12.5.5).
        if configuration.authorize != nil {
            http.commonFields.append(("Vary", "Authorization, Cookie"))
        }
        http.memory = lifecycle.budget
        http.sharing = gate.sharing
        self.http = http
    }

    private static func sorted(_ served: [Served]) throws(ServerError) -> [Served] {
        var names: Set<String> = []
        for application in served {
            guard application.isWellFormed, names.insert(application.name).inserted else {
                throw .badMount(application.path)
            }
        }
        return served.sorted { $0.name.utf8.count > $1.name.utf8.count }
    }

    private static func openPages(
        _ configuration: ServerConfiguration
    ) throws(ServerError) -> StaticDirectory? {
        guard let path = configuration.publicDirectory else { return nil }
        do throws(SystemError) {
            return try StaticDirectory(path, imageSources: configuration.imageSources)
        } catch {
            throw .badDirectory(path, "\(error)")
        }
    }
}
