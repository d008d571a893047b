import Foundation
import JournalSQLite
import Journaling
import StateCoding
import Statecast
import StatecastTesting
import Synchronization
import TemporaryFolder
import Testing

/// Counts, to a bound that an application may have.
private struct TallyApplication: Application {
    struct State: StateValue { var count = 0 }
    enum Action: ActionGroup { case incremented }
    let initialState = State()
    let views = Views<State>.all
    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        state.count += 1
    }
    func work(in state: State) -> [Work<Action>] {}
}

@Suite struct `The history of a session` {
    private static let path = "/tally/sessions/demo"
    private static let json = ["Content-Type": "application/json"]
    private let folder = TemporaryFolder()

    /// - Parameter bound: the greatest count that the application takes over; nil: any.
    private func serve(
        inMemory: Bool = false, bound: Int? = nil, lifetime: Duration? = nil,
        entryCount: Int = 10_000,
        authorize: (@Sendable (AccessRequest) -> Access)? = nil,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        if !inMemory { configuration.journal = try SQLiteJournal(directory: folder.path) }
        configuration.sessionLimits.historyEntryCount = entryCount
        configuration.authorize = authorize
        let options = SessionOptions<TallyApplication.State, TallyApplication.Action>(
            validate: { (state) throws(Rejection) in
                if let bound, state.count > bound { throw Rejection("high", "Too high.") }
            }, lifetime: lifetime, history: .always)
        try await TestServer.run(
            configuration, serving: { Served("/tally", TallyApplication(), options: options) },
            body: body)
    }

    private static func post(
        _ resource: String, _ body: String, to server: TestServer
    ) throws -> TestAnswer {
        try server.send("POST", "\(path)/\(resource)", fields: json, body: body)
    }

    private static func key(_ name: String) -> [String: String] {
        json.merging(["Idempotency-Key": name]) { $1 }
    }

    private static func increment(
        _ count: Int, _ server: TestServer, marked marker: String? = nil
    ) throws {
        for number in 1...count {
            let meta = marker.map { #","meta":{"note":"\#($0)"}"# } ?? ""
            let answer = try server.send(
                "POST", "\(path)/actions",
                fields: key("key-\(number)-\(marker ?? "")"),
                body: #"{"type":"incremented"\#(meta)}"#)
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: [false, true])
    func `goes back to a version by an entry that begins another epoch`(inMemory: Bool) async throws
    {
        try await serve(inMemory: inMemory) { server in
            try server.create(Self.path)
            try Self.increment(10, server)
            let former = try server.send("GET", "\(Self.path)/state")
            let stream = try server.events(Self.path)
            #expect(try Self.post("revert", #"{"version":99}"#, to: server).status == 404)
            #expect(try Self.post("revert", #"{"version":"x"}"#, to: server).status == 422)
            let answer = try Self.post("revert", #"{"version":3}"#, to: server)
            #expect(answer.status == 200 && answer.body.hasPrefix(#"{"version":11,"#))
            _ = try stream.next()
            let last = try stream.next()
            #expect(last?.name == "busy")
            let state = try server.send("GET", "\(Self.path)/state")
            #expect(state.body == #"{"count":3}"# && state.etag == answer.etag)
            #expect(state.etag?.prefix(8) != former.etag?.prefix(8))
            let log = try server.send("GET", "\(Self.path)/log?after=10&patch=1").body
            #expect(log.contains(#"{"version":11,"at":"#))
            #expect(log.contains(#""origin":"inspector","kind":"reverted""#))
            #expect(log.contains(#""path":"","value":{"count":3}"#))
            let before = try server.send("GET", "\(Self.path)/state?version=10")
            #expect(before.body == #"{"count":10}"#)
            let again = try server.send(
                "POST", "\(Self.path)/actions", fields: Self.key("key-5-"),
                body: #"{"type":"incremented"}"#)
            #expect(again.fields["idempotency-replayed"] == "true")
            try Self.increment(1, server, marked: "next")
        }
        if inMemory { return }
        try await serve { server in
            let state = try server.send("GET", "\(Self.path)/state")
            #expect(state.body == #"{"count":4}"# && state.etag?.hasSuffix("-12") == true)
        }
    }

    @Test func `goes back for one who may do that no more once it has`() async throws {
        let wasAsked = Mutex(false)
        try await serve(
            authorize: { request in
                let isAgain =
                    request.path.hasSuffix("/revert")
                    && wasAsked.withLock { wasAsked in
                        defer { wasAsked = true }
                        return wasAsked
                    }
                let roles: Set = ["act", "admin", "observe"]
                return isAgain ? .unauthenticated : .granted(Principal("ada", roles: roles))
            }
        ) { server in
            try server.create(Self.path)
            try Self.increment(3, server)
            let answer = try Self.post("revert", #"{"version":1}"#, to: server)
            #expect(answer.status == 200)
            #expect(try server.send("GET", "\(Self.path)/state").body == #"{"count":1}"#)
        }
    }

    @Test func `is recorded in parts, all that the journal keeps`() async throws {
        try await serve(entryCount: 100) { server in
            try server.create(Self.path)
            try Self.increment(230, server)
            func part(_ query: String) throws -> (begin: Int?, versions: [Int], next: String?) {
                let answer = try server.send("GET", "\(Self.path)/recording\(query)")
                #expect(answer.status == 200, "\(answer.body)")
                let lines = try answer.body.split(separator: "\n").map {
                    try JSONValue(parsing: Array($0.utf8).span)
                }
                return (
                    lines[0]["version"]?.integer,
                    lines.dropFirst().compactMap { $0["version"]?.integer },
                    answer.fields["link"]
                )
            }
            let (first, second) = (try part("?from=0"), try part("?from=100"))
            #expect(first.begin == 0 && first.versions == Array(1...100))
            #expect(first.next == "<\(Self.path)/recording?from=100>; rel=\"next\"")
            #expect(second.begin == 100 && second.versions == Array(101...200))
            let last = try part("?from=200")
            #expect(last.begin == 200 && last.versions == Array(201...230) && last.next == nil)
            #expect(try part("?from=0&through=120").next?.contains("from=100&through=120") == true)
            #expect(try part("?from=100&through=120").versions == Array(101...120))
            // Without it, it is the last part, to be played.
            #expect(try part("").versions.last == 230)
            #expect(try part("?from=230").versions == [])
            let beyond = try server.send("GET", "\(Self.path)/recording?from=231")
            #expect(beyond.status == 404 && beyond.problem == "version-not-reached")
            #expect(try Self.post("forget", #"{"before":150}"#, to: server).status == 204)
            #expect(try part("?from=0").begin == 150)
            // A batch that is larger than a part is one.
            let action = #"{"type":"incremented"}"#
            let batch = "[\(Array(repeating: action, count: 150).joined(separator: ","))]"
            #expect(try Self.post("actions", batch, to: server).status == 200)
            #expect(try part("?from=150").versions == Array(151...230))
            #expect(try part("?from=230").versions == Array(231...380))
            #expect(try part("?from=230&through=300").versions == [])
        }
    }

    @Test(arguments: [false, true])
    func `is forgotten before a version, in the files as well`(inMemory: Bool) async throws {
        let marker = UUID().uuidString
        try await serve(inMemory: inMemory) { server in
            try server.create(Self.path)
            try Self.increment(100, server, marked: marker)
            try Self.increment(3, server, marked: "kept")
            #expect(try Self.post("forget", #"{"before":104}"#, to: server).status == 404)
            #expect(try Self.post("forget", #"{"before":100}"#, to: server).status == 204)
            let gone = try server.send("GET", "\(Self.path)/log?after=0")
            #expect(gone.status == 410 && gone.body.contains(#""oldest":100"#))
            #expect(try server.send("GET", "\(Self.path)/state?version=99").status == 410)
            let state = try server.send("GET", "\(Self.path)/state?version=100")
            #expect(state.body == #"{"count":100}"#)
            let log = try server.send("GET", "\(Self.path)/log").json()
            #expect(log.elements?.map { $0["version"]?.integer } == [101, 102, 103])
            #expect(try Self.post("forget", #"{"before":50}"#, to: server).status == 204)
        }
        if inMemory { return }
        let deadline = ContinuousClock.now + .seconds(120)
        try await serve { server in
            while try self.holds(marker), ContinuousClock.now < deadline {
                try await ContinuousClock().sleep(for: .milliseconds(100))
            }
            let found = try [self.holds(marker), self.holds("kept")]
            #expect(found == [false, true])
            let again = try server.send(
                "POST", "\(Self.path)/actions",
                fields: Self.key("key-7-\(marker)"),
                body: #"{"type":"incremented","meta":{"note":"\#(marker)"}}"#)
            #expect(again.fields["idempotency-replayed"] == "true")
            #expect(try server.send("GET", "\(Self.path)/state").body == #"{"count":103}"#)
        }
    }

    @Test(arguments: [false, true])
    func `is forgotten with the rest of a batch, which one patch tells of`(inMemory: Bool)
        async throws
    {
        try await serve(inMemory: inMemory) { server in
            try server.create(Self.path)
            let actions = Array(repeating: #"{"type":"incremented"}"#, count: 3)
            for _ in 1...3 {
                let answer = try Self.post(
                    "actions", "[\(actions.joined(separator: ","))]", to: server)
                #expect(answer.status == 200)
            }
            #expect(try Self.post("forget", #"{"before":5}"#, to: server).status == 204)
            let log = try server.send("GET", "\(Self.path)/log").json()
            #expect(log.elements?.map { $0["version"]?.integer } == [7, 8, 9])
            let state = try server.send("GET", "\(Self.path)/state?version=8")
            #expect(state.body == #"{"count":6}"# && state.etag?.hasSuffix("-6") == true)
        }
    }

    @Test func `can be read as far as it is not damaged, and ends with its lifetime`() async throws
    {
        try await serve { server in
            try server.create(Self.path)
            try Self.increment(80, server)
            try Self.increment(1, server, marked: "to-be-damaged")
            try Self.increment(9, server, marked: "behind")
        }
        let file = URL(filePath: "\(folder.path)/journal.sqlite")
        var bytes = try Data(contentsOf: file)
        bytes[try #require(bytes.range(of: Data("to-be-damaged".utf8))).lowerBound] ^= 1
        try bytes.write(to: file)
        try await serve { server in
            let get = { (part: String) in try server.send("GET", "\(Self.path)/\(part)") }
            for part in ["state", "state?version=81", "state?version=90", "log?after=80"] {
                let locked = try get(part)
                #expect(locked.status == 423 && locked.body.contains(#""good":80"#), "\(part)")
            }
            let state = try get("state?version=70&select=/count")
            #expect(state.body == "70" && state.etag?.contains("-70.") == true)
            #expect(try get("state?version=70&view=none").problem == "bad-parameter")
            let log = try get("log?limit=1000")
            let versions = try log.json().elements?.map { $0["version"]?.integer }
            #expect(versions == Array(1...80))
            #expect(log.fields["link"]?.contains("-80&limit=1000") == true)
            #expect(try get("log?after=10&limit=2").json().elements?.count == 2)
            #expect(try get("state?version=99").status == 404)
        }
        try await serve(lifetime: .milliseconds(1)) { server in
            while try server.send("GET", "/tally/sessions").body != "[]" {
                try await server.pass(seconds: 1)
            }
        }
    }

    @Test func `is recorded by what came since the last recording, as by all of it`() async throws {
        try await serve(entryCount: 16) { server in
            try server.create(Self.path)
            let get = { (part: String) in try server.send("GET", "\(Self.path)/\(part)") }
            try Self.increment(1, server, marked: "first")
            for round in 1...20 {
                try Self.increment(round % 4 + 1, server, marked: "\(round)")
                let next = try get("recording").body
                // Four other answers about the past take its place.
                for version in 0..<4 { #expect(try get("state?version=\(version)").status == 200) }
                #expect(try get("recording").body == next)
                #expect(round < 8 || (15...17).contains(next.split(separator: "\n").count))
            }
            let version = try get("state").etag?.split(separator: "-").last.flatMap { Int($0) }
            let former = try get("recording").body
            let forgotten = #"{"before":\#(try #require(version) - 1)}"#
            #expect(try Self.post("forget", forgotten, to: server).status == 204)
            try Self.increment(1, server, marked: "last")
            let next = try get("recording").body
            #expect(former.contains(#""key":"key-1-19""#) && !next.contains("key-1-19"))
        }
    }

    /// A file of the folder has a text.
    private func holds(_ text: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { name in
            try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)")).range(of: Data(text.utf8))
                != nil
        }
    }

    @Test func `leads out of a state at which the process has ended whenever it was opened`()
        async throws
    {
        try await serve { server in
            try server.create(Self.path)
            try Self.increment(10, server)
        }
        // What a process leaves that traps while it opens the session: its mark, and that of a trap.
        for _ in 1...2 {
            let journal = try SQLiteJournal(directory: folder.path)
            let name = SessionName(mount: "/tally", id: "demo")
            let opened = try #require(try await journal.open(name, making: nil))
            let version = try #require(opened.document?.version)
            journal.reduces(opened.lease, to: version, isDone: false, on: nil)
            await journal.close()
            let page = URL(filePath: "\(folder.path)/journal.reducing")
            var bytes = try Data(contentsOf: page)
            bytes[3_840] = 1
            try bytes.write(to: page)
        }
        try await serve { server in
            let locked = try server.send("GET", "\(Self.path)/state")
            #expect(locked.status == 423 && locked.body.contains("revert"))
            #expect(try Self.post("revert", #"{"version":9}"#, to: server).status == 200)
            #expect(try server.send("GET", "\(Self.path)/state").body == #"{"count":9}"#)
        }
    }

    @Test func `leads out of a state that the application does not read, as DELETE does`()
        async throws
    {
        try await serve { server in
            try server.create(Self.path)
            try Self.increment(10, server)
        }
        try await serve(bound: 5) { server in
            let locked = try server.send("GET", "\(Self.path)/state")
            #expect(locked.status == 423 && locked.body.contains("/problems/unreadable"))
            #expect(locked.body.contains(#""good":5"#))
            #expect(try Self.post("revert", #"{"version":7}"#, to: server).status == 410)
            let answer = try Self.post("revert", #"{"version":4}"#, to: server)
            #expect(answer.status == 200)
            #expect(try server.send("GET", "\(Self.path)/state").body == #"{"count":4}"#)
        }
        try await serve(bound: 3) { server in
            let answers = try ["GET", "DELETE", "GET"].map { method in
                try server.send(method, method == "GET" ? "\(Self.path)/state" : Self.path).status
            }
            #expect(answers == [423, 204, 410])
        }
    }
}
