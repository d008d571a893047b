import HTTPServer
import Journaling
import Logging
import Sessions
package import Sockets
import Synchronization
import UnixSignals

/// Applications, served: one authoritative store a session, actions by POST, states by GET and as
/// event streams.
///
///     let server = try Server(configuration) { Served("/counter", CounterApplication()) }
///     try await server.run()
public final class Server: Sendable {
    /// The configuration that it was made with.
    public var configuration: ServerConfiguration { shared.configuration }
    package let http: WebServer
    /// The sessions, for code of one's own: from `start` until `shutDown`.
    public let sessions: Sessions
    let shared: ServerParts
    private let isStarted = Atomic<Bool>(false)
    /// Reads what has to be there before connections are taken.
    let beginning = Mutex<Task<Void, Never>?>(nil)

    /// A server of some applications and routes. Throws `ServerError`, or a system error where there are no
    /// descriptors left.
    public init(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        @ServerBuilder _ parts: () throws -> [ServerPart]
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

    /// Listens, and serves in the background until ``shutDown()``; ``run(_:)`` does without this call.
    ///
    /// Connections wait until the parts that have something to read have read it, ``People`` for
    /// instance; where that fails, the log says so.
    public func start() throws {
        try listen(on: nil)
        let isToTell = shared.crashPage.withLock { $0?.former } != nil
        guard isToTell || !shared.beginnings.isEmpty else { return open() }
        let logger = configuration.logger
        beginning.withLock { task in
            task = Task {
                do {
                    try await begin()
                    beginning.withLock { _ in if !Task.isCancelled { open() } }
                } catch {
                    logger.critical("The server cannot begin, and takes no connection: \(error)")
                }
            }
        }
    }

    /// Listens, and serves once all is there that has to be there at the start.
    ///
    /// - Parameter listener: what `listen` of a server of the same configuration has returned.
    package func start(
        on listener: Listener? = nil, _ body: (Sessions) async throws -> Void
    ) async throws {
        try listen(on: listener)
        do {
            try await begin()
            try await body(sessions)
        } catch {
            await shutDown()
            throw error
        }
        open()
    }

    /// Has the address; connections wait.
    package func listen() throws(ServerError) -> Listener {
        do throws(SystemError) {
            return try http.configuration.listen()
        } catch {
            throw .badAddress(
                "\(host):\(configuration.port)",
                error.code == .addressInUse ? "another process has the port" : "\(error)")
        }
    }

    /// As it stands in a URL.
    private var host: String {
        configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    }

    /// Listens, and runs the loops; connections wait.
    private func listen(on listener: Listener? = nil) throws {
        guard !isStarted.exchange(true, ordering: .relaxed) else { throw ServerError.isStarted }
        try shared.openFolders()
        let cluster = try configuration.cluster?.open(configuration.limits)
        if let (inner, keys) = cluster {
            shared.cluster.withLock { $0 = (keys, inner.address) }
            shared.announce()
        }
        try http.start(on: try listener ?? listen(), inner: cluster?.0, isAccepting: false)
        let isLoopback = http.address?.host.isLoopback ?? false
        shared.lifecycle.isLoopback.store(isLoopback, ordering: .relaxed)
        if configuration.journal.mode == .memory {
            configuration.logger.notice("sessions are kept in memory: they end with this process")
        }
        shared.directory.open()
        try shared.hotReload.withLock { $0 }?.start()
    }

    private func begin() async throws {
        if let page = shared.crashPage.withLock({ $0 }) {
            await CrashReport.tell(of: page, configuration, at: "http://\(host):\(port)")
        }
        for begin in shared.beginnings { try await begin(sessions, configuration.logger) }
    }

    private func open() {
        http.accept()
        shared.lifecycle.isReady.store(true, ordering: .relaxed)
        shared.announce()
    }

    /// Whoever reaches the port has every role, once started.
    package var isOpenToOperators: Bool { shared.gate.isOpenToOperators }

    /// The port, once started.
    public var port: Int { http.port }

    /// Has other servers go on with the sessions, where there are any; takes no new connections, lets answers
    /// and streams end, stops, and has the journal finish what it was given. Handles of sessions end their
    /// work with the answers.
    public func shutDown() async {
        beginning.withLock { $0?.cancel() }
        shared.hotReload.withLock { $0 }?.tell(.stopped)
        shared.lifecycle.isReady.store(false, ordering: .relaxed)
        let duration = configuration.drainDuration
        let end = ContinuousClock.now + duration
        if !shared.successors.isEmpty, !shared.isDraining {
            // Balancers that look once a second hear of it before streams end, which so come back elsewhere.
            try? await ContinuousClock().sleep(for: min(.milliseconds(1_500), duration / 4))
        }
        // Answers and streams have a quarter of the time, whatever the sessions take.
        await shared.drain(within: max(.zero, end - ContinuousClock.now - duration / 4))
        await http.drain(timeout: max(duration / 4, end - ContinuousClock.now))
        await shared.handOverAll(within: max(.zero, end - ContinuousClock.now))
        await shared.directory.close()
        await http.stop()
        shared.crashPage.withLock { $0?.close() }
        await configuration.journal.close()
    }

    /// Makes a server and runs it until SIGTERM or SIGINT comes, as all that the `main` of a program does:
    /// a reason for which it does not start is told on standard error by one sentence, and ends the process
    /// with status 78, what configuration and parts throw among them.
    ///
    /// Called with the arguments `schema /counter` or `types /counter`, the program prints the
    /// application's ``schema(of:)`` or ``types(of:)`` instead; where it serves one application, the path
    /// may be left out; with `what-if` it reduces recordings again. Then nothing asks for the configuration: a
    /// journal that is opened in it may be a running server's.
    ///
    ///     @main struct Main {
    ///         static func main() async {
    ///             await Server.main { Served("/counter", CounterApplication()) }
    ///         }
    ///     }
    ///
    ///     await Server.main(try configuration()) { sessions in
    ///         try await sessions.create("lobby", of: Lobby.self)
    ///     } _: {
    ///         Served("/lobby", Lobby(), maker: "nobody")
    ///     }
    ///
    /// - Parameter beginning: makes what has to be there before the first client is, as in ``run(_:)``.
    public static func main(
        _ configuration: @autoclosure () throws -> ServerConfiguration = ServerConfiguration(),
        beginning: (_ sessions: Sessions) async throws -> Void = { _ in },
        @ServerBuilder _ parts: () throws -> [ServerPart]
    ) async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            let isAsked = ["schema", "types", "what-if"].contains(arguments.first)
            let server = try Server(isAsked ? ServerConfiguration() : configuration(), parts)
            if let (text, status) = try server.text(for: arguments) {
                print(text)
                if status != 0 { ProcessEnd.finish(status) }
                return
            }
            try await server.run(beginning) {
                for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { break }
            }
        } catch {
            ProcessEnd.refuse("\(error)")
        }
    }

    /// Starts, serves until the task is cancelled, then shuts down.
    ///
    ///     try await Server { Served("/list", ShoppingApplication()) }.run { sessions in
    ///         try await sessions.create("home", of: ShoppingApplication.self)
    ///     }
    ///
    /// - Parameter body: makes what has to be there before the first client is: sessions, for instance.
    ///   Connections wait for it. What it throws ends the run.
    public func run(
        _ body: (_ sessions: Sessions) async throws -> Void = { _ in }
    ) async throws {
        try await run(body) {
            let (forever, continuation) = AsyncStream.makeStream(of: Never.self)
            for await _ in forever {}
            continuation.finish()
        }
    }

    private func run(
        _ body: (_ sessions: Sessions) async throws -> Void, until end: () async -> Void
    ) async throws {
        try await start(body)
        configuration.logger.notice("serving on http://\(host):\(port)")
        await end()
        await shutDown()
    }
}

/// The parts of a server that all its loops share.
final class ServerParts: Sendable {
    let configuration: ServerConfiguration
    /// The applications in the order in which paths are compared with theirs, the longest first.
    let mounts: [any MountedApplication]
    /// Of each application: nil where clients may send as often as they like.
    let rates: [ActionRates?]
    let table: RouteTable
    let gate: RequestGate
    let lifecycle: ServerLifecycle
    let directory: SessionDirectory
    let quota: SessionQuota
    /// The loops tell it of sessions: from the start on, if that is wished.
    let hotReload = Lock<HotReload?>(nil)
    /// What has to be there before connections are taken.
    let beginnings: [@Sendable (Sessions, Logger) async throws -> Void]
    let follows: [@Sendable () async -> Void]
    let pages: StaticDirectory?
    /// Where the loops note what they reduce: from the start on, if that is wished.
    let crashPage = Lock<CrashPage?>(nil)
    /// By what other servers are known, and where they send requests: from the start on, if that is wished.
    let cluster = Lock<(keys: ClusterKeys, address: SocketAddress)?>(nil)
    /// The part of the configuration that is about connections and requests.
    let http: WebServerConfiguration

    fileprivate init(_ configuration: ServerConfiguration, _ parts: [ServerPart]) throws {
        self.configuration = configuration
        (beginnings, follows) = (parts.compactMap(\.begin), parts.compactMap(\.follow))
        let served = try Self.sorted(parts.compactMap(\.served))
        mounts = try served.map { try $0.mount() }
        for mount in mounts where mount.schema.isReachable && !mount.schema.gaps.isEmpty {
            configuration.logger.warning(
                "The schema of \(mount.schema.title) has gaps: \(mount.schema.gaps)")
        }
        rates = mounts.map {
            ActionRates($0.rates, of: $0.actionTypes, configuration.sessionLimits)
        }
        for mount in mounts where mount.inlineByteCount > 1_024 {
            configuration.logger.warning(
                """
                A state of \(mount.schema.title) takes \(mount.inlineByteCount) bytes itself, which \
                are copied several times an action: put what is large into an array, or box it \
                (the article State-size)
                """)
        }
        table = try RouteTable(parts.compactMap(\.route), mounts: mounts.map(\.name))
        lifecycle = ServerLifecycle(configuration, table, mounts)
        directory = SessionDirectory(
            mounts, limits: configuration.sessionLimits, hash: configuration.journal.hash,
            lifecycle.budget)
        quota = SessionQuota(configuration.sessionLimits, lifecycle.budget)
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

    /// Takes those that one server has at a time: whoever is asked for a schema does not.
    fileprivate func openFolders() throws(ServerError) {
        let reload = try HotReload(configuration, mounts, directory)
        hotReload.withLock { $0 = reload }
        guard let directory = configuration.crashRecording else { return }
        do throws(FolderRefusal) {
            let page = try CrashPage(
                in: directory, loopCount: configuration.loopCount, build: RunningBuild.id)
            crashPage.withLock { $0 = page }
        } catch {
            throw .badDirectory("crashRecording", error.description)
        }
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
        let policy = try configuration.pagePolicy
        guard let path = configuration.publicDirectory else { return nil }
        do throws(SystemError) {
            return try StaticDirectory(path, policy: policy)
        } catch {
            throw .badDirectory(path, "\(error)")
        }
    }
}
