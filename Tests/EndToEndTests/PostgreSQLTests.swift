import Foundation
import FoundationNetworking
import PostgreSQLServer
import StatecastTesting
import TemporaryFolder
import Testing

/// The states of a counter as `curl` shows them, one behind the other.
private final class CounterStream {
    let url: String
    private let stream: CurlStream
    /// What the stream has said last of itself.
    private(set) var (id, retry): (String?, Int?)

    init(_ url: String, after id: String? = nil) throws {
        self.url = url
        stream = try CurlStream(url, id.map { ["-H", "Last-Event-ID: \($0)"] } ?? [])
    }

    /// Nil at its end.
    func next() throws -> Int? {
        do {
            return try stream.line { line in
                let value = line.split(separator: " ", maxSplits: 1).last.map(String.init)
                if line.hasPrefix("id: ") { id = value }
                if line.hasPrefix("retry: ") { retry = value.flatMap { Int($0) } }
                guard line.hasPrefix("data: ") else { return nil }
                return value?.firstMatch(of: /"count":(\d+)/).flatMap { Int($0.1) }
            }
        } catch is ProcessEnded {
            return nil
        }
    }
}

/// `statecast serve` with its sessions in PostgreSQL.
@Suite(
    .enabled(
        if: PostgreSQLServer.isThere, "PostgreSQL 15 is not installed (Debian's package postgresql)"
    )) struct PostgreSQLTests
{
    private let place = TemporaryFolder()
    private let session = "/counter/sessions/one"

    private func start(_ journal: String, _ arguments: [String] = []) throws -> StatecastServer {
        try StatecastServer(["--key-file", "\(place.path)/key"] + arguments, journal: journal)
    }

    private func hasLibpq(_ server: StatecastServer) throws -> Bool {
        let maps = "/proc/\(server.running.process.processIdentifier)/maps"
        return try String(contentsOfFile: maps, encoding: .utf8).contains("libpq")
    }

    @Test func `what a killed server had, another has at once, and alone`() async throws {
        let journal = try PostgreSQLServer.shared().makeDatabase()
        let (one, two) = (try start(journal), try start(journal))
        _ = try await one.client.exchange("PUT", session)
        for _ in 0..<20 { try await one.client.dispatch(session, "incremented", ["by": 2]) }
        let key = ["Idempotency-Key": "k1"]
        let action: [String: Any] = ["type": "incremented", "payload": ["by": 3]]
        let (first, _) = try await one.client.exchange(
            "POST", "\(session)/actions", action, fields: key)
        #expect(first.statusCode == 200)
        let (refused, told) = try await two.client.exchange("GET", "\(session)/state")
        #expect(refused.statusCode == 503)
        #expect(String(decoding: told, as: UTF8.self).contains("/problems/moved"))
        #expect(refused.value(forHTTPHeaderField: "Retry-After") != nil)
        one.running.killNow()
        var answer: HTTPURLResponse
        repeat {
            (answer, _) = try await two.client.exchange(
                "POST", "\(session)/actions", action, fields: key)
        } while answer.statusCode == 503
        #expect(answer.statusCode == 200)
        #expect(answer.value(forHTTPHeaderField: "Idempotency-Replayed") == "true")
        let state = try await two.client.send("GET", "\(session)/state", nil)
        #expect(state["count"] as? Int == 43)
        #expect(try hasLibpq(two))
        #expect(two.running.terminate() == 0)
        let three = try start(journal)
        try await three.client.dispatch(session, "incremented", ["by": 1])
        #expect(
            try await three.client.send("GET", "\(session)/state", nil)["count"] as? Int == 44)
    }

    /// Two servers that know each other.
    private func startTwo() throws -> [StatecastServer] {
        let journal = try PostgreSQLServer.shared().makeDatabase()
        try place.write("cluster.key", Array(1...16), mode: 0o600)
        let arguments = [
            "--cluster-listen", "127.0.0.1:0", "--cluster-key-file", "\(place.path)/cluster.key",
        ]
        return [try start(journal, arguments), try start(journal, arguments)]
    }

    @Test func `many watch on at another server than the killed one that had the session`()
        async throws
    {
        let servers = try startTwo()
        _ = try await servers[0].client.exchange("PUT", session)
        let other = TestServer(port: servers[1].port)
        try await TestServer.runBlocking {
            func watch() throws -> TestEvents {
                let events = try other.events(session)
                #expect(try events.next()?.data.contains("\"count\":0") ?? false)
                return events
            }
            let first = try (0..<16).map { _ in try watch() }
            for events in first.dropLast() { #expect(try events.next() == nil) }
            let watchers = try [first[15]] + (0..<15).map { _ in try watch() }
            try other.dispatch(session, "incremented", #"{"by":2}"#)
            let seen = try watchers.map { try $0.next() }
            #expect(Set(seen).count == 1)
            let id = try #require(seen[0]?.id)
            servers[0].running.killNow()
            for events in watchers { #expect(try events.next(within: .seconds(30)) == nil) }
            while try other.send("GET", "\(session)/state").status == 503 {}
            let again = try (0..<16).map { _ in
                try other.events(session, fields: ["Last-Event-ID": id])
            }
            for events in again { #expect(try events.nextID() == id) }
            try other.dispatch(session, "incremented", #"{"by":3}"#)
            for events in again {
                #expect(try events.next()?.data.contains("\"count\":5") ?? false)
            }
        }
    }

    @Test func `servers that know each other answer for each other's sessions`() async throws {
        let servers = try startTwo()
        _ = try await servers[0].client.exchange("PUT", session)
        for round in 1...20 {
            let (answer, _) = try await servers[round % 2].client.dispatch(
                session, "incremented", ["by": 2])
            #expect(answer.statusCode == 200)
            let state = try await servers[(round + 1) % 2].client.send(
                "GET", "\(session)/state", nil)
            #expect(state["count"] as? Int == 2 * round)
        }
        servers[0].running.killNow()
        var answer: HTTPURLResponse
        repeat {
            (answer, _) = try await servers[1].client.exchange(
                "POST", "\(session)/actions", ["type": "incremented", "payload": ["by": 3]],
                fields: ["Idempotency-Key": "k1"])
        } while answer.statusCode == 503
        #expect(answer.statusCode == 200)
        let state = try await servers[1].client.send("GET", "\(session)/state", nil)
        #expect(state["count"] as? Int == 43)
    }

    /// `CLUSTER_ALARMS=1000`: so many sessions, few otherwise.
    @Test(.timeLimit(.minutes(2)))
    func `alarms of one second ring once each, though a server is killed in it`() async throws {
        let wanted = ProcessInfo.processInfo.environment["CLUSTER_ALARMS"].flatMap { Int($0) }
        let count = wanted ?? 100
        let database = try PostgreSQLServer.shared()
        let journal = try database.makeDatabase()
        let servers = try FaultyServers(on: journal)
        let due = Int(Date().timeIntervalSince1970 * 1_000) + 1_000 + 20 * count
        for number in 0..<count {
            let (client, session) = (servers.clients[number % 3], "/bell/sessions/s\(number)")
            _ = try await client.exchange("PUT", session)
            let (answer, _) = try await client.dispatch(session, "set", ["milliseconds": due])
            #expect(answer.statusCode == 200)
        }
        func told() throws -> [String] {
            try servers.folders.flatMap { folder in
                try FileManager.default.contentsOfDirectory(atPath: folder.path)
                    .filter { $0.hasSuffix(".told") }.map { "\(folder.path)/\($0)" }
            }
        }
        while try told().isEmpty { await Task.yield() }
        servers.processes[0].killNow()
        func isInAll(_ type: String) throws -> Bool {
            try database.ask(
                """
                SELECT count(*), count(DISTINCT session) FROM statecast.entry
                WHERE position('"\(type)"'::bytea IN head) > 0
                """, in: journal) == "\(count)|\(count)"
        }
        while try !isInAll("told") { await Task.yield() }
        #expect(try isInAll("rang"))
        // What was told again is told by the same key.
        let keys = try told().map { try String(contentsOfFile: $0, encoding: .utf8) }
        #expect(Set(keys).count == count)
        print("\(count) alarms, told \(keys.count) times")
    }

    @Test func `what a server had that is stopped goes on at another, and no request fails`()
        async throws
    {
        let journal = try PostgreSQLServer.shared().makeDatabase()
        try place.write("cluster.key", Array(1...16), mode: 0o600)
        let arguments = [
            "--cluster-listen", "127.0.0.1:0", "--cluster-key-file", "\(place.path)/cluster.key",
        ]
        let servers = [try start(journal, arguments), try start(journal, arguments)]
        let sessions = (0..<24).map { "/counter/sessions/s\($0)" }
        for session in sessions { _ = try await servers[0].client.exchange("PUT", session) }
        let streams = try servers.map { server in
            try sessions.prefix(6).map { try CounterStream("\(server.base)\($0)/events") }
        }
        for stream in streams.joined() { #expect(try stream.next() == 0) }
        let stopping = servers[0].running
        async let status = stopping.terminate()
        // The last of them by the server that stays alone.
        var (rounds, isLast) = (0, false)
        repeat {
            isLast = !stopping.process.isRunning
            rounds += 1
            for session in sessions {
                let (answer, problem) = try await servers[1].client.dispatch(
                    session, "incremented", ["by": 1])
                #expect(
                    answer.statusCode == 200, "\(String(decoding: problem, as: UTF8.self))")
            }
        } while !isLast
        #expect(await status == 0)
        for stream in streams.joined() {
            var last = 0
            while last < rounds, let next = try stream.next() {
                #expect(next > last)
                last = next
            }
            guard last < rounds else { continue }
            // It has ended, and says when to come again; from there on there is nothing twice.
            #expect((20...500).contains(stream.retry ?? 0))
            let path = try #require(URL(string: stream.url)?.path)
            let resumed = try CounterStream("\(servers[1].base)\(path)", after: stream.id)
            #expect(try resumed.next() == rounds)
        }
        let report = try Products.run(["cluster", "status", journal])
        #expect(report.status == 0)
        #expect(report.output.split(separator: "\n").count == 1)
        #expect(report.output.contains(#""state":"serving","share":"1.0""#))
        // Some applications have sessions of their own.
        let count = report.output.firstMatch(of: /"sessions":(\d+)/).flatMap { Int($0.1) }
        #expect(count ?? 0 >= 24, "\(report.output)")
    }

    @Test func `while the database is away nothing is taken or shown, and it goes on by itself`()
        async throws
    {
        let database = try PostgreSQLServer()
        let server = try start(database.address)
        _ = try await server.client.exchange("PUT", session)
        try await server.client.dispatch(session, "incremented", ["by": 2])
        try database.tell("stop")
        var ready: HTTPURLResponse
        repeat {
            (ready, _) = try await server.client.exchange("GET", "/readyz")
        } while ready.statusCode == 200
        #expect(ready.statusCode == 503)
        let (refused, problem) = try await server.client.dispatch(
            session, "incremented", ["by": 2])
        #expect(refused.statusCode == 503)
        #expect(refused.value(forHTTPHeaderField: "Retry-After") != nil)
        #expect(String(decoding: problem, as: UTF8.self).contains("/problems/journal-unavailable"))
        // Another server might have gone on.
        let (hidden, _) = try await server.client.exchange("GET", "\(session)/state")
        #expect(hidden.statusCode == 503)
        let (_, metrics) = try await server.client.exchange("GET", "/metrics")
        #expect(String(decoding: metrics, as: UTF8.self).contains("statecast_journal_available 0"))
        try database.tell("start")
        var answer: HTTPURLResponse
        repeat {
            (answer, _) = try await server.client.dispatch(session, "incremented", ["by": 2])
        } while answer.statusCode == 503
        var shown: (answer: HTTPURLResponse, state: Data)
        repeat {
            shown = try await server.client.exchange("GET", "\(session)/state")
        } while shown.answer.statusCode == 503
        #expect(String(decoding: shown.state, as: UTF8.self) == #"{"count":4}"#)
        (ready, _) = try await server.client.exchange("GET", "/readyz")
        #expect(ready.statusCode == 200)
    }

    @Test func `a server without it has nothing of libpq`() throws {
        #expect(try !hasLibpq(StatecastServer()))
        #expect(try !hasLibpq(StatecastServer(journal: "\(place.path)/journal")))
    }

    @Test func `what the journal does not begin with ends the start in a sentence`() throws {
        for arguments in [["serve", "--port", "0", "--journal"], ["journal", "init"]] {
            let answer = try Products.run(arguments + [PostgreSQLServer.address("/nowhere")])
            #expect(answer.status == 78)
            #expect(
                answer.errors.hasPrefix("Error: PostgreSQL cannot be used: "), "\(answer.errors)")
            #expect(answer.errors.filter { $0 == "\n" }.count == 1)
        }
    }
}
