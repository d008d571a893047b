import Benchmark
import BenchmarkModel
import Cards
import Counter
import CounterModel
import Episodes
import Glibc
import HTTPClient
import Journaling
import Logging
import MockUpstream
import Rides
import Statecast
import UnixSignals

/// The demo applications with all that they need, from start to graceful shutdown.
struct DemoService {
    let options: Serve
    let logger: Logger

    func run() async throws {
        // A signal that comes while the server starts shuts it down once it has started.
        let ends = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let client = try OutboundClient()
        let cards = CardRoom(
            moderators: options.operator, isSecure: isSecure)
        // What is refused is refused before something is made on the disk.
        let listener = try makeServer(nil, client, "", cards).listen()
        let kept = options.place.open(isBenchmark: options.benchmark)
        say(kept.map { "sessions are kept in \($0.place)" } ?? "sessions are kept in memory")
        let mock = try startMock()
        let base = options.upstream.map(Self.withoutSlash) ?? mock?.url ?? ""
        let server = try makeServer(kept?.journal, client, base, cards)
        try await server.start(on: listener) { sessions in
            guard !options.benchmark else { return }
            do {
                try await CardRoom.begin(sessions)
            } catch SessionError.refused(let refusal) where refusal.code == "moved" {
                // Another server has it.
            } catch {
                logger.error("The lobby of Cards is not there, all else is served: \(error)")
            }
        }
        if let mock { say("mock upstream on \(mock.url)") }
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        if server.isOpenToOperators {
            say("whoever reaches this port is admin; behind a proxy, name it by --public-origin")
        }
        for (name, token) in cards.moderators.sorted(by: { $0.key < $1.key }) {
            say("\(name) moderates by http://\(host):\(server.port)/cards/#token=\(token)")
        }
        say("serving on http://\(host):\(server.port)")
        for await _ in ends { break }
        await server.shutDown()
        await client.shutdown()
        await mock?.upstream.stop(grace: .zero)
    }

    /// The applications without their journal.
    func makeServer() throws -> Server {
        try makeServer(nil, OutboundClient(), "", CardRoom())
    }

    private func makeServer(
        _ journal: (any Journal)?, _ client: OutboundClient, _ base: String,
        _ cards: CardRoom
    ) throws -> Server {
        var configuration = configuration
        if let journal { configuration.journal = journal }
        let riders = People<UserSession>("riders", cookie: "rides", isSecure: isSecure)
        return try Server(configuration) {
            Served("/counter", CounterApplication())
            Served(
                "/episodes",
                EpisodesApplication(upstream: EpisodesUpstream(client: client, base: base)),
                options: SessionOptions(history: .always))
            RidesApplication(
                upstream: RidesUpstream(client: client, base: base),
                userSessions: UserSessions(riders)
            ).parts(riders)
            if options.benchmark {
                Served("/benchmark", BenchmarkApplication(itemCount: options.benchmarkItems))
            } else {
                cards.parts
            }
        }
    }

    /// Browsers come by https.
    private var isSecure: Bool { options.publicOrigin?.hasPrefix("https:") ?? false }

    private var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.sessionLimits.lifetime = .seconds(7 * 24 * 3600)
        for setting in options.limit { setting.set(in: &configuration) }
        if let policy = options.pagePolicy { configuration.contentSecurityPolicy = policy }
        configuration.imageSources = options.imageSource
        configuration.host = options.host
        configuration.port = options.port
        configuration.loopCount = options.loops
        configuration.usesIOUring = options.usesIOUring
        configuration.checksReducers = options.checkReducers
        configuration.crashRecording = options.crashRecording
        configuration.publicDirectory = options.publicDirectory
        configuration.hotReloadDirectory = options.hotReload
        configuration.isInsecure = options.insecure
        configuration.publicOrigin = options.publicOrigin
        if options.publicOrigin == nil { configuration.operators = .loopback }
        configuration.clientAddressField = options.clientAddressField?.lowercased()
        configuration.allowedHosts = options.allowedHost
        configuration.cluster = options.cluster
        if !options.corsOrigin.isEmpty {
            configuration.cors = CORS(
                origins: options.corsOrigin, allowsCredentials: options.corsCredentials)
        }
        configuration.logger = logger
        return configuration
    }

    private func startMock() throws -> (upstream: MockServer, url: String)? {
        guard options.upstream == nil else { return nil }
        var configuration = MockConfiguration()
        configuration.delay = options.upstreamDelay
        let mock = try MockServer(configuration: configuration, logger: logger)
        return (mock, "http://127.0.0.1:\(try mock.start())")
    }

    private static func withoutSlash(_ url: String) -> String {
        url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// Prints a line for the operator, at once even into a pipe, which would wait for more.
    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
