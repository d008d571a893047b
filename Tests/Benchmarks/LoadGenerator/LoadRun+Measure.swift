import ClientWire
import Glibc
import HTTPMessages
import Sockets

/// The reason why a run has no report.
struct LoadError: Error, CustomStringConvertible {
    let description: String
}

/// A connection that makes sessions and posts to them, one request at a time.
final class SessionClient {
    private let connection: BlockingConnection
    private let host: String

    init(port: Int) throws {
        connection = try BlockingConnection(port: port)
        host = "127.0.0.1:\(port)"
    }

    func make(_ session: String) throws { try send(.making(session)) }

    func post(_ action: String, to session: String) throws {
        try send(.posting(Array(action.utf8), to: session))
    }

    private func send(_ request: ClientRequest) throws {
        try connection.send(request.bytes(to: host))
        var reader = ResponseReader()
        var status = 0
        while status == 0 {
            let bytes = try connection.receive(timeout: .seconds(10))
            let name = "\(request.method) \(request.target)"
            guard !bytes.isEmpty else { throw LoadError(description: "\(name): no answer") }
            try reader.read(bytes.span) { head, _, _ in status = head.status }
            guard [0, 200, 201].contains(status) else {
                throw LoadError(description: "\(name): status \(status)")
            }
        }
    }
}

extension LoadRun {
    /// The counts of a run, the time that they took, and their cost to the server.
    private struct Measured {
        var counts: Counts
        var seconds: Double
        var cpuNanoseconds: UInt64?
    }

    /// Makes the sessions, opens the connections, warms up, measures.
    static func measure(_ plan: LoadPlan, _ options: ServerOptions) async throws -> LoadReport {
        let streams = plan.sessions * plan.watchersPerSession
        _ = try DescriptorLimit.raise(to: streams + plan.posters + 100)
        let name = "load-\(getpid())"
        let paths = (0..<plan.sessions).map { "\(options.mount)/sessions/\(name)-\($0)" }
        let others = (0..<plan.others).map { "\(options.mount)/sessions/\(name)-other-\($0)" }
        let client = try SessionClient(port: options.madeAt ?? options.port)
        for path in others + paths { try client.make(path) }
        let loop = try EventLoop(index: 0)
        try loop.start()
        defer { loop.stop() }
        return try await measure(plan, options, paths, on: loop)
    }

    /// Measures what the other sessions of a plan cost while nobody uses them: made, and after one
    /// action each and a rest of so many seconds.
    static func measureRest(
        _ plan: LoadPlan, _ options: ServerOptions, resting seconds: Double
    ) async throws -> LoadReport {
        guard let pid = options.pid else { throw LoadError(description: "rest wants --pid") }
        let sessions = (0..<plan.others).map { "\(options.mount)/sessions/rest-\(getpid())-\($0)" }
        let client = try SessionClient(port: options.port)
        func figures() throws -> ServerFigures {
            guard let figures = ServerFigures.read(pid) else {
                throw LoadError(description: "the server has ended")
            }
            return figures
        }
        let before = try figures()
        for session in sessions { try client.make(session) }
        let made = try figures()
        try await Task.sleep(for: .seconds(2))
        let begun = try figures()
        try await Task.sleep(for: .seconds(options.seconds))
        let cpu = ServerFigures.cpu(from: begun, to: try figures())
        for session in sessions { try client.post(options.action, to: session) }
        try await Task.sleep(for: .seconds(seconds))
        let used = try figures()
        func each(_ figures: ServerFigures) -> Double {
            let grown = Double(figures.residentByteCount) - Double(before.residentByteCount)
            return grown / Double(sessions.count)
        }
        var report = LoadReport(mode: plan.name, seconds: options.seconds)
        report.sessions = sessions.count
        report.serverResidentBytes = used.residentByteCount
        report.rest = LoadReport.Rest(
            bytesMade: each(made), bytesUsed: each(used),
            cpuPercent: cpu.map { Double($0) / options.seconds / 10_000_000 })
        return report
    }

    private static func measure(
        _ plan: LoadPlan, _ options: ServerOptions, _ paths: [String], on loop: isolated EventLoop
    ) async throws -> LoadReport {
        let before = options.pid.flatMap(ServerFigures.read)
        let action = Array(options.action.utf8)
        let host = "127.0.0.1:\(options.port)"
        let requests = paths.map { ClientRequest.posting(action, to: $0).bytes(to: host) }
        let run = LoadRun(plan, requests: requests)
        defer { run.close(on: loop) }
        for _ in 0..<plan.posters {
            let connection = try BlockingConnection(port: options.port)
            try run.addPoster(connection.forLoop(), on: loop)
        }
        let query = plan.hasPatches ? "?patch=json-patch" : ""
        for (session, path) in paths.enumerated() {
            for _ in 0..<plan.watchersPerSession {
                let connection = try BlockingConnection(port: options.port)
                try connection.send(ClientRequest.events(of: path, query: query).bytes(to: host))
                try run.addWatcher(connection.forLoop(), session: session, on: loop)
            }
        }
        try await run.waitUntilStarted()
        let opened = options.pid.flatMap(ServerFigures.read)
        let measured = try await run.measure(options, on: loop)
        let hasStreams = plan.sessions * plan.watchersPerSession > 0
        return report(plan, measured, memory: hasStreams ? (before, opened) : (nil, opened))
    }

    private func waitUntilStarted(isolation: isolated (any Actor)? = #isolation) async throws {
        for _ in 0..<3_000 {
            if allWatchersStarted { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw LoadError(description: "not every stream showed a state within 30 s")
    }

    private func measure(
        _ options: ServerOptions, on loop: isolated EventLoop
    ) async throws -> Measured {
        start(on: loop)
        try await Task.sleep(for: .seconds(1))
        measure()
        let begun = (Instant.read(), options.pid.flatMap(ServerFigures.read))
        try await Task.sleep(for: .seconds(options.seconds))
        let ended = (Instant.read(), options.pid.flatMap(ServerFigures.read))
        stop()
        if let failure { throw LoadError(description: failure) }
        return Measured(
            counts: counts,
            seconds: Double(begun.0.duration(to: ended.0).nanoseconds) / 1_000_000_000,
            cpuNanoseconds: ServerFigures.cpu(from: begun.1, to: ended.1))
    }

    private static func report(
        _ plan: LoadPlan, _ measured: Measured,
        memory: (before: ServerFigures?, opened: ServerFigures?)
    ) -> LoadReport {
        let counts = measured.counts
        let streams = plan.sessions * plan.watchersPerSession
        let cpu = measured.cpuNanoseconds.map { Double($0) / 1_000 }
        var perStream: Double?
        if let before = memory.before, let opened = memory.opened {
            let grown =
                Double(opened.residentByteCount) - Double(before.residentByteCount)
            perStream = grown / Double(streams)
        }
        func share(_ count: Int) -> Double? {
            count > 0 ? cpu.map { $0 / Double(count) } : nil
        }
        var report = LoadReport(mode: plan.name, seconds: measured.seconds)
        (report.sessions, report.watchers) = (plan.sessions, streams)
        (report.posts, report.failedPosts) = (counts.posts, counts.failedPosts)
        report.events = counts.events
        (report.missingEvents, report.doubledEvents) = (counts.missing, counts.doubled)
        report.patches = plan.hasPatches ? .init(counts) : nil
        if counts.events > 0 {
            report.bytesPerEvent = Double(counts.streamBytes) / Double(counts.events)
        }
        report.postsPerSecond = Double(counts.posts) / measured.seconds
        report.eventsPerSecond = Double(counts.events) / measured.seconds
        report.postMicroseconds = .init(counts.postTimes)
        report.eventMicroseconds = .init(counts.eventTimes)
        report.serverCPUMicrosecondsPerPost = share(counts.posts)
        report.serverCPUMicrosecondsPerEvent = share(counts.events)
        report.serverBytesPerStream = perStream
        report.serverResidentBytes = memory.opened?.residentByteCount
        return report
    }
}
