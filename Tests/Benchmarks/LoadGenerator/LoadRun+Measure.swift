import Glibc
import Sockets

/// The reason why a run has no report.
struct LoadError: Error, CustomStringConvertible {
    let description: String
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
        try createSessions(paths, port: options.port)
        let loop = try EventLoop(index: 0)
        try loop.start()
        defer { loop.stop() }
        return try await measure(plan, options, paths, on: loop)
    }

    private static func measure(
        _ plan: LoadPlan, _ options: ServerOptions, _ paths: [String], on loop: isolated EventLoop
    ) async throws -> LoadReport {
        let before = options.pid.flatMap(ServerFigures.read)
        let run = LoadRun(plan, requests: paths.map { post(options.action, to: $0 + "/actions") })
        defer { run.close(on: loop) }
        for _ in 0..<plan.posters {
            let connection = try BlockingConnection(port: options.port)
            try run.addPoster(connection.forLoop(), on: loop)
        }
        let query = plan.hasPatches ? "?patch=json-patch" : ""
        for (session, path) in paths.enumerated() {
            for _ in 0..<plan.watchersPerSession {
                let connection = try BlockingConnection(port: options.port)
                try connection.send(
                    "GET \(path)/events\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(options.port)\r\n"
                        + "Accept: text/event-stream\r\n\r\n")
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
        var cpu: UInt64?
        // A thread that has ended meanwhile takes its time with it: then there is no figure.
        if let from = begun.1, let to = ended.1, to.cpuNanoseconds >= from.cpuNanoseconds {
            cpu = to.cpuNanoseconds - from.cpuNanoseconds
        }
        return Measured(
            counts: counts,
            seconds: Double(begun.0.duration(to: ended.0).nanoseconds) / 1_000_000_000,
            cpuNanoseconds: cpu)
    }

    private static func createSessions(_ paths: [String], port: Int) throws {
        let connection = try BlockingConnection(port: port)
        for path in paths {
            try connection.send(
                "PUT \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 0\r\n\r\n")
            var scanner = AnswerScanner()
            var status = 0
            while status == 0 {
                let bytes = try connection.receive(timeout: .seconds(10))
                guard !bytes.isEmpty else { throw LoadError(description: "PUT \(path): no answer") }
                try scanner.scan(bytes.span) { status = $0 }
            }
            guard status == 201 || status == 200 else {
                throw LoadError(description: "PUT \(path): status \(status)")
            }
        }
    }

    private static func post(_ action: String, to path: String) -> [UInt8] {
        Array(
            ("POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(action.utf8.count)\r\n\r\n\(action)").utf8)
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
        return LoadReport(
            mode: plan.name, seconds: measured.seconds, sessions: plan.sessions,
            watchers: streams, posts: counts.posts, failedPosts: counts.failedPosts,
            events: counts.events, missingEvents: counts.missing, doubledEvents: counts.doubled,
            patches: plan.hasPatches ? .init(counts) : nil,
            bytesPerEvent: counts.events > 0
                ? Double(counts.streamBytes) / Double(counts.events) : nil,
            postsPerSecond: Double(counts.posts) / measured.seconds,
            eventsPerSecond: Double(counts.events) / measured.seconds,
            postMicroseconds: .init(counts.postTimes),
            eventMicroseconds: .init(counts.eventTimes),
            serverCPUMicrosecondsPerPost: counts.posts > 0
                ? cpu.map { $0 / Double(counts.posts) } : nil,
            serverCPUMicrosecondsPerEvent: counts.events > 0
                ? cpu.map { $0 / Double(counts.events) } : nil,
            serverBytesPerStream: perStream,
            serverResidentBytes: memory.opened?.residentByteCount)
    }
}
