public import ArgumentParser
import Glibc
public import Logging
import Sockets
import Statecast

/// Serves the demo applications.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the demo applications: /cards, /counter, /episodes, /rides.",
        discussion: """
            Without options it listens on this machine only, keeps sessions in \
            ./.statecast/journal, shows the pages in Public, and starts a mock of the outside APIs \
            for itself. SIGTERM and SIGINT end it cleanly: it stops being ready, ends its streams, \
            answers what is under way, and exits with 0.
            """)

    @Option(help: "The address to listen on; beyond loopback only with --insecure.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes a free one and prints it.")
    var port = 8080

    @Option(help: "How many event loops, each a thread; by default one a core.")
    var loops = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 64)

    @Option(name: .customLong("public"), help: "The directory of the pages.")
    var publicDirectory = "Public"

    @OptionGroup
    var place: JournalPlace

    @Option(
        help: ArgumentHelp(
            "A folder in which sessions stand as JSON to be edited.",
            discussion: """
                It is made for this user alone. `touch DIRECTORY/counter/demo.json` there chooses the \
                session demo of /counter: its state stands in the file, and what is saved is its state.
                """, valueName: "directory"))
    var hotReload: String?

    @Option(
        help: ArgumentHelp(
            "Where other servers on the same PostgreSQL reach this one, in a private network.",
            discussion: """
                A request for a session that another server has is sent there. The servers know each \
                other by the key in --cluster-key-file. Port 0 takes a free one.
                """, valueName: "address:port"))
    var clusterListen: String?

    @Option(
        help: ArgumentHelp(
            "The key of all servers: 16 random bytes; a second one may stand behind it.",
            valueName: "file"))
    var clusterKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "The server's part of the sessions beside the others': 2 twice as many, 0.01 few.",
            discussion: "With --cluster-listen.", valueName: "number"))
    var share = 1.0

    @Option(help: "The outside APIs' URL; without it a mock is started.")
    var upstream: String?

    @Option(help: "Factor on the started mock's delays: 1 as they are, 0 none.")
    var upstreamDelay = 1.0

    @Option(help: .hidden)
    var userSessions: String?

    @Option(help: .hidden)
    var signIns: String?

    @Option(
        help: ArgumentHelp(
            "One who moderates /cards, and sees what happened there; may be repeated.",
            discussion: "A token is printed at the start: nobody signs in by the name without it.",
            valueName: "name"))
    var `operator`: [String] = []

    @Flag(help: "Reduce each action twice, and warn of what is not pure, slow or large.")
    var checkReducers = false

    @Option(
        help: ArgumentHelp(
            "Note in this directory what is reduced, for the start after a crash to tell.",
            valueName: "directory"))
    var crashRecording: String?

    @Flag(help: "Listen beyond loopback although the server asks nobody who they are.")
    var insecure = false

    @Option(help: "The origin under which a proxy shows the server, https://example.org.")
    var publicOrigin: String?

    @Option(
        help: ArgumentHelp(
            "The field in which the proxy in front tells a client's address: x-forwarded-for.",
            valueName: "field"))
    var clientAddressField: String?

    @Option(help: "A further name by which the server may be asked; may be repeated.")
    var allowedHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "An origin whose pages may use the server; may be repeated.",
            valueName: "https://app.example"))
    var corsOrigin: [String] = []

    @Flag(help: "Pages of these origins may have their browsers send cookies.")
    var corsCredentials = false

    @Option(
        help: ArgumentHelp(
            "The Content-Security-Policy of the pages, in place of the strict one.",
            valueName: "directives"))
    var pagePolicy: String?

    @Option(help: "A further place that pages may load pictures from; may be repeated.")
    var imageSource: [String] = []

    @Option(
        help: ArgumentHelp(
            "A bound, as body-bytes=2MiB; may be repeated. `statecast limits` lists them.",
            valueName: "name=value"))
    var limit: [LimitSetting] = []

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.notice

    @Flag(
        name: .customLong("io-uring"), inversion: .prefixedNo,
        help: "Send to many, and receive from many, by one call, where the kernel has it.")
    var usesIOUring = true

    @Flag(
        help: """
            Serve the benchmarks' application at /benchmark, and not /cards, whose access control \
            would be measured as well.
            """)
    var benchmark = false

    @Option(help: "The records in the state of the benchmarks' application, 45 to 60 bytes each.")
    var benchmarkItems = 20

    func validate() throws {
        let isURL = upstream.map { $0.hasPrefix("http://") || $0.hasPrefix("https://") }
        let isOrigin = publicOrigin.map { origin in
            let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 3 && ["https:", "http:"].contains(parts[0]) && !parts[2].isEmpty
        }
        let rules = [
            (
                userSessions == nil && signIns == nil,
                "--user-sessions and --sign-ins are no more: the journal keeps who has signed in, "
                    + "in the directory of --journal."
            ),
            ((0...65_535).contains(port), "--port is 0 to 65535."),
            ((1...64).contains(loops), "--loops is 1 to 64."),
            (
                clusterListen == nil || cluster != nil,
                "--cluster-listen is an address and a port, and needs --cluster-key-file."
            ),
            (
                clusterListen == nil || JournalPlace.isDatabase(place.journal ?? ""),
                "--cluster-listen is for servers that share a --journal postgresql://…"
            ),
            ((0.001...1_000).contains(share), "--share is 0.001 to 1000."),
            ((0...200_000).contains(benchmarkItems), "--benchmark-items is 0 to 200000."),
            ((0...60).contains(upstreamDelay), "--upstream-delay is 0 to 60."),
            (
                !corsCredentials || !corsOrigin.isEmpty,
                "--cors-credentials is about the origins of --cors-origin."
            ),
            (isURL ?? true, "--upstream is a URL such as http://127.0.0.1:8081."),
            (isOrigin ?? true, "--public-origin is an origin such as https://example.org."),
        ]
        for (isObeyed, rule) in rules where !isObeyed { throw ValidationError(rule) }
    }

    /// How other servers reach this one; nil where none is to.
    var cluster: Cluster? {
        guard let clusterListen, let file = clusterKeyFile,
            let colon = clusterListen.lastIndex(of: ":"),
            let port = UInt16(clusterListen[clusterListen.index(after: colon)...])
        else { return nil }
        return Cluster(
            host: String(clusterListen[..<colon]), port: Int(port), keyFile: file, share: share)
    }

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "statecast")
        logger.logLevel = logLevel
        _ = try DescriptorLimit.raise(to: 200_000)
        do {
            try await DemoService(options: self, logger: logger).run()
        } catch ServerError.refusesOpenAddress(let host) {
            ProcessEnd.refuse(
                """
                Refusing to listen on \(host), because the server asks nobody who they are; leave \
                --host out, or add --insecure if something in front of the server decides who may \
                reach it.
                """)
        } catch let error as ServerError {
            ProcessEnd.refuse("\(error)")
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
