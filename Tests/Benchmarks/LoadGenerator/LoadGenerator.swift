import ArgumentParser

/// Measures a running server: requests and events a second, latencies, CPU and memory.
@main
struct LoadGenerator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load-generator",
        abstract: "Measures a running Statecast server on this machine.",
        discussion: """
            Every run is bounded in time. With --pid, the server's CPU time and memory are read
            from /proc and told per unit of work.
            """,
        subcommands: [Post.self, FanOut.self, Mix.self, Idle.self, Compare.self])
}

/// The options of all modes.
struct ServerOptions: ParsableArguments {
    @Option(help: "The server's port on 127.0.0.1.") var port = 8080
    @Option(help: "The server's process, for its CPU time and memory.") var pid: Int?
    @Option(help: "The port of the server that makes the sessions, where it is another one.")
    var madeAt: Int?
    @Option(help: "Where the application is mounted.") var mount = "/benchmark"
    @Option(help: "The action that is posted.")
    var action = #"{"type":"incremented","payload":{"by":1}}"#
    @Option(help: "Seconds that are measured, after one second of warming up.") var seconds = 3.0
    @Flag(help: "Print one JSON object instead of a table.") var json = false

    func validate() throws {
        guard (1...65_535).contains(port) else {
            throw ValidationError("--port is 1 to 65535.")
        }
        guard seconds > 0, seconds <= 3_600 else {
            throw ValidationError("--seconds is more than 0 and at most 3600.")
        }
    }
}

/// Posts as fast as answers come, or at a rate.
struct Post: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: """
            Posts on some connections, each to sessions of its own; as answers come, or at a rate.
            """)
    @OptionGroup var server: ServerOptions
    @Option(help: "How many connections post.") var connections = 16
    @Option(help: "How many sessions; one a connection without it.") var sessions: Int?
    @Option(help: "Posts a second over all sessions; without it as answers come.") var rate: Double?

    func run() async throws {
        let plan = LoadPlan(
            name: "post", sessions: sessions ?? connections, watchersPerSession: 0,
            posters: connections, rate: rate)
        try await measure(plan, server)
    }
}

/// Posts to one session that many watch.
struct FanOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fan-out",
        abstract: "Posts to one session that many watch; as fast as events arrive, or at a rate.")
    @OptionGroup var server: ServerOptions
    @Option(help: "How many streams watch the session.") var watchers = 1_000
    @Option(help: "Posts a second; without it the next follows the last event.") var rate: Double?
    @Flag(help: "Watch by patches: count them, and check that each leads on from the last.")
    var patches = false

    func run() async throws {
        let plan = LoadPlan(
            name: "fan-out", sessions: 1, watchersPerSession: watchers, posters: 1, rate: rate,
            hasPatches: patches)
        try await measure(plan, server)
    }
}

/// Posts to many sessions, each with one watcher.
struct Mix: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Posts to many sessions, each with a watcher, at a fixed rate.")
    @OptionGroup var server: ServerOptions
    @Option(help: "How many sessions, each with one stream.") var sessions = 1_000
    @Option(help: "How many connections post.") var connections = 16
    @Option(help: "Posts a second over all sessions.") var rate = 1_000.0
    @Flag(help: "Post to each session as soon as its last event came, at no fixed rate.")
    var unpaced = false

    func run() async throws {
        let plan = LoadPlan(
            name: "mix", sessions: sessions, watchersPerSession: 1, posters: connections,
            rate: unpaced ? nil : rate)
        try await measure(plan, server)
    }
}

/// Opens streams and leaves them alone.
struct Idle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens many streams on one session and tells the server's memory for each.")
    @OptionGroup var server: ServerOptions
    @Option(help: "How many streams are opened.") var watchers = 10_000

    func run() async throws {
        let plan = LoadPlan(
            name: "idle", sessions: 1, watchersPerSession: watchers, posters: 0)
        try await measure(plan, server)
    }
}

/// Runs a plan and prints its report.
private func measure(_ plan: LoadPlan, _ server: ServerOptions) async throws {
    let report = try await LoadRun.measure(plan, server)
    print(server.json ? try report.json() : report.table())
}
