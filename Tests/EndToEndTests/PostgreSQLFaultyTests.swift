import Foundation
import FoundationNetworking
import PostgreSQLServer
import TemporaryFolder
import Testing

/// Real servers on one database, each of which answers for the sessions of all.
struct FaultyServers {
    private(set) var folders: [TemporaryFolder] = []
    private(set) var processes: [RunningProcess] = []
    private(set) var clients: [JSONClient] = []
    private let journal: String

    init(_ count: Int = 3, on journal: String) throws {
        self.journal = journal
        for _ in 0..<count { try start() }
    }

    mutating func start() throws {
        let folder = TemporaryFolder()
        try folder.write("cluster.key", Array(1...16), mode: 0o600)
        let process = try RunningProcess(
            Products.directory.appending(path: "faulty-server"), [],
            environment: ["FOLDER": folder.path, "JOURNAL": journal])
        let base = try process.firstLine { line in
            line.range(of: "serving on ").map { String(line[$0.upperBound...]) }
        }
        folders.append(folder)
        processes.append(process)
        clients.append(JSONClient(base: base))
    }
}

/// What the application does to its servers, and what the database does to its actions.
@Suite(
    .enabled(
        if: PostgreSQLServer.isThere, "PostgreSQL 15 is not installed (Debian's package postgresql)"
    )) struct PostgreSQLFaultyTests
{
    private static let (session, other) = ("/faulty/sessions/a", "/faulty/sessions/b")

    /// With a key it is sent again by the server that has passed it on.
    @Test(.timeLimit(.minutes(2)), arguments: [nil, "k"])
    func `an action that traps ends two servers, and is refused by the third`(
        key: String?
    ) async throws {
        let servers = try FaultyServers(on: try PostgreSQLServer.shared().makeDatabase())
        for path in [Self.session, Self.other] {
            let (made, _) = try await servers.clients[0].exchange("PUT", path)
            #expect(made.statusCode == 201)
        }
        var (status, body, number) = (0, Data(), 0)
        while status != 423 {
            number = (number + 1) % 3
            let isServed = servers.processes.contains { $0.process.isRunning }
            try #require(isServed)
            guard servers.processes[number].process.isRunning else { continue }
            // Who ends with it says nothing, and who has passed it on does not know what came of it.
            let answer = try? await servers.clients[number].exchange(
                "POST", "\(Self.session)/actions", ["type": "trapped"],
                fields: key.map { ["Idempotency-Key": $0] } ?? [:])
            if let answer { (status, body) = (answer.0.statusCode, answer.1) }
            try #require(answer == nil || [423, 503].contains(status))
        }
        #expect(String(decoding: body, as: UTF8.self).contains("/problems/frozen"))
        let (left, ended) = (servers.clients[number], servers.processes.map(\.process))
        #expect(ended.indices.filter { ended[$0].isRunning } == [number])
        for process in ended where !process.isRunning {
            #expect(process.terminationReason == .uncaughtSignal)
        }
        // It can be read, and another session goes on.
        let state = try await left.send("GET", "\(Self.session)/state", nil)
        #expect(state["text"] as? String == "")
        repeat {
            status = try await left.dispatch(Self.other, "saved").0.statusCode
        } while status == 503
        #expect(status == 200)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a drain, and a stop, wait for no standby that is away`() async throws {
        let settings = "synchronous_standby_names = '*'\nwal_retrieve_retry_interval = '500ms'"
        let primary = try PostgreSQLServer(settings)
        let standby = try PostgreSQLServer(settings, following: primary.place)
        let servers = try FaultyServers(2, on: primary.address)
        for number in 0..<8 {
            let path = "/faulty/sessions/s\(number)"
            _ = try await servers.clients[0].exchange("PUT", path)
            for _ in 0..<2 { try await servers.clients[0].dispatch(path, "saved") }
        }
        try standby.tell("crash")
        let clock = ContinuousClock()
        var begun = clock.now
        let (answer, problem) = try await servers.clients[0].exchange("POST", "/cluster/drain")
        #expect(answer.statusCode == 503)
        #expect(String(decoding: problem, as: UTF8.self).contains(#""left":"#))
        // That is its time, and a moment.
        #expect(begun.duration(to: clock.now) < .seconds(14))
        for process in servers.processes {
            begun = clock.now
            #expect(process.terminate() == 0)
            #expect(begun.duration(to: clock.now) < .seconds(20))
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `what waits for a standby is bounded, and what does not find room is changed by nothing`()
        async throws
    {
        let settings = "synchronous_standby_names = '*'\nwal_retrieve_retry_interval = '500ms'"
        let primary = try PostgreSQLServer(settings)
        let standby = try PostgreSQLServer(settings, following: primary.place)
        // The first one has all sessions. Those that come later pass on what they are asked of them.
        var started = try FaultyServers(1, on: primary.address)
        let paths = (0..<24).map { "/faulty/sessions/s\($0)" }
        for path in paths {
            let (made, _) = try await started.clients[0].exchange("PUT", path)
            #expect(made.statusCode == 201)
        }
        for _ in 1...2 { try started.start() }
        let clients = started.clients
        for (number, path) in paths.enumerated() {
            let state = try await clients[number % 3].send("GET", "\(path)/state", nil)
            #expect(state["text"] as? String == "")
        }
        try standby.tell("crash")
        let (refusals, heard) = AsyncStream.makeStream(of: Int.self)
        let isKept = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for (number, path) in paths.enumerated() {
                group.addTask {
                    let (answer, problem) = try await clients[number % 3].dispatch(
                        path, "filled", ["byteCount": 1 << 20])
                    guard answer.statusCode != 200 else { return (number, true) }
                    let told = String(decoding: problem, as: UTF8.self)
                    #expect(answer.statusCode == 503)
                    #expect(told.contains("/problems/journal-busy"), "\(told)")
                    #expect(answer.value(forHTTPHeaderField: "Retry-After") == "1")
                    heard.yield(number)
                    return (number, false)
                }
            }
            // Meanwhile reads go on, of what is kept.
            var iterator = refusals.makeAsyncIterator()
            let refused = try #require(await iterator.next())
            for client in clients {
                let state = try await client.send("GET", "\(paths[refused])/state", nil)
                #expect(state["text"] as? String == "")
            }
            try standby.tell("start")
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(Set(isKept.values) == [true, false])
        for (number, path) in paths.enumerated() {
            let client = clients[(number + 1) % 3]
            let (shown, state) = try await client.exchange("GET", "\(path)/state")
            #expect(shown.statusCode == 200 && (state.count > 1 << 20) == isKept[number])
            let (answer, _) = try await client.dispatch(path, "typed", "y")
            #expect(answer.statusCode == 200)
        }
    }
}
