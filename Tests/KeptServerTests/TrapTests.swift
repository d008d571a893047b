import Foundation
import JournalPostgreSQL
import JournalSQLite
import Journaling
import Logging
import PostgreSQLServer
import Redux
import StateCoding
import Statecast
import StatecastTesting
import Synchronization
import TemporaryFolder
import Testing

/// A reducer that ends the process, in one way or the other, or makes states whose decoding does.
private struct TrapApplication: Application {
    struct State: StateValue {
        var count = 0

        init() {}

        init(from decoder: any Decoder) throws {
            count = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .count)
            if count == -1 { preconditionFailure("Decoding traps.") }
            if count == -2 { count = TrapApplication.sum(from: count) }
            if count == -3 { throw CocoaError(.coderReadCorrupt) }
        }
    }
    enum Action: ActionGroup {
        case counted, trapped, nested, readTrapped, readNested, misread
        case sealed(pin: Secret<String>)
        case written(String)
    }

    let initialState = State()
    let views = Views<State>(state: .all, View("count") { state in state.count })

    func work(in state: State) -> [Work<Action>] {}

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .counted: state.count += 1
        case .trapped, .sealed, .written: preconditionFailure("The reducer traps.")
        case .nested: state.count = Self.sum(from: state.count)
        case .readTrapped: state.count = -1
        case .readNested: state.count = -2
        case .misread: state.count = -3
        }
    }

    /// More calls within each other than a stack has room for.
    static func sum(from number: Int) -> Int {
        number == .max ? 0 : 1 + sum(from: number + 1)
    }
}

@Suite struct `An application that ends the process` {
    private let folder = TemporaryFolder()

    private static func journal(in place: String) throws -> any Journal {
        guard place.hasPrefix("postgresql:") else { return try SQLiteJournal(directory: place) }
        return try PostgreSQLJournal(place)
    }

    private static func serve(
        _ folder: String, crashes: String? = nil, isKept: Bool = true,
        log: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        if isKept { configuration.journal = try journal(in: folder) }
        configuration.crashRecording = crashes
        configuration.loopCount = 2
        configuration.logger = Logger(label: "trap") { _ in LinesHandler(log) }
        try await TestServer.run(
            configuration, serving: { Served("/trap", TrapApplication()) }, body: body)
    }

    @Test(arguments: ["trapped", "nested"])
    func `twice at one version finds its session frozen, and no other`(action: String)
        async throws
    {
        for _ in 1...2 {
            await #expect(processExitsWith: .failure) {
                [folder = folder.path as String, action = action as String] in
                try await Self.serve(folder) { server in
                    for id in ["a", "b"] { try server.create("/trap/sessions/\(id)") }
                    try server.dispatch("/trap/sessions/a", action)
                }
            }
        }
        try await Self.serve(folder.path) { server in
            let answers = try ["a", "b"].map {
                try server.dispatch("/trap/sessions/\($0)", "counted")
            }
            #expect(answers.map(\.status) == [423, 200] && answers[0].problem == "frozen")
        }
    }

    @Test(
        .enabled(
            if: PostgreSQLServer.isThere,
            "PostgreSQL 15 is not installed (Debian's package postgresql)"),
        arguments: ["trapped", "nested"])
    func `and the next, on another server, finds its session frozen by that, and no other`(
        action: String
    ) async throws {
        let address = try PostgreSQLServer.shared().makeDatabase()
        for _ in 1...2 {
            await #expect(processExitsWith: .failure) {
                [address = address as String, action = action as String] in
                try await Self.serve(address) { server in
                    // The database has to see the end of the process before.
                    for id in ["a", "b"] {
                        while try server.create("/trap/sessions/\(id)").status == 503 {}
                    }
                    try server.dispatch("/trap/sessions/a", action)
                }
            }
        }
        try await Self.serve(address) { server in
            for (id, status) in [("a", 423), ("b", 200)] {
                var answer: TestAnswer
                repeat {
                    answer = try server.dispatch("/trap/sessions/\(id)", "counted")
                } while answer.status == 503
                #expect(answer.status == status, "\(answer)")
            }
        }
    }

    @Test(arguments: ["readTrapped", "readNested"])
    func `twice while it opens a session does not open that one, and a revert leads out`(
        action: String
    ) async throws {
        let path = "/trap/sessions/a"
        try await Self.serve(folder.path) { server in
            try server.create(path)
            try server.dispatch(path, action)
        }
        for _ in 1...2 {
            await #expect(processExitsWith: .failure) { [folder = folder.path as String] in
                try await Self.serve(folder) { server in
                    _ = try server.send("GET", "/trap/sessions/a/state")
                }
            }
        }
        try await Self.serve(folder.path) { server in
            let locked = try server.send("GET", "\(path)/state")
            #expect(locked.status == 423 && locked.problem == "unreadable")
            let json = ["Content-Type": "application/json"]
            let reverted = try server.send(
                "POST", "\(path)/revert", fields: json, body: #"{"version":0}"#)
            #expect(reverted.status == 200)
            #expect(try server.dispatch(path, "counted").status == 200)
        }
    }

    @Test(arguments: [
        ("POST", "revert", #"{"version":1}"#), ("GET", "state?version=1&view=count", ""),
    ])
    func `twice while it reads a state of before reads that one no more`(
        method: String, part: String, body: String
    ) async throws {
        let path = "/trap/sessions/a"
        try await Self.serve(folder.path) { server in
            try server.create(path)
            for action in ["readTrapped", "counted"] { try server.dispatch(path, action) }
        }
        for _ in 1...2 {
            await #expect(processExitsWith: .failure) {
                [
                    folder = folder.path as String, method = method as String,
                    part = part as String,
                    body = body as String
                ] in
                try await Self.serve(folder) { server in
                    _ = try server.send(
                        method, "/trap/sessions/a/\(part)",
                        fields: ["Content-Type": "application/json"], body: body)
                }
            }
        }
        try await Self.serve(folder.path) { server in
            let refused = try server.send(
                method, "\(path)/\(part)", fields: ["Content-Type": "application/json"], body: body)
            #expect(refused.status == 410 && refused.problem == "version-not-shown")
            #expect(try server.send("GET", "\(path)/state").body == #"{"count":0}"#)
        }
    }

    @Test func `once while it looks for a state of before that it reads looks for none`()
        async throws
    {
        let path = "/trap/sessions/a"
        try await Self.serve(folder.path) { server in
            try server.create(path)
            for action in ["readTrapped", "misread"] { try server.dispatch(path, action) }
        }
        await #expect(processExitsWith: .failure) { [folder = folder.path as String] in
            try await Self.serve(folder) { server in
                _ = try server.send("GET", "/trap/sessions/a/state")
            }
        }
        try await Self.serve(folder.path) { server in
            let locked = try server.send("GET", "\(path)/state")
            #expect(locked.status == 423 && locked.problem == "unreadable")
            #expect(!locked.body.contains(#""good":"#))
        }
    }

    /// Ends a process by an action, perhaps one behind another, or in a recording.
    private static func end(_ server: TestServer, _ action: String, _ payload: String?) throws {
        func post(_ path: String, _ type: String, _ body: String) throws {
            _ = try server.send(
                "POST", "/trap/sessions\(path)", fields: ["Content-Type": "application/\(type)"],
                body: body)
        }
        switch action {
        case "batch":
            try post("/a/actions", "json", #"[{"type":"counted"},{"type":"trapped"}]"#)
        case "again":
            let recording = try server.send("GET", "/trap/sessions/a/recording").body
            try post(
                "?replay=instant&reduce=again", "x-ndjson",
                recording.replacing("counted", with: "trapped"))
        default:
            if let payload {
                try server.dispatch("/trap/sessions/a", action, payload)
            } else {
                try server.dispatch("/trap/sessions/a", action)
            }
        }
    }

    /// Ends a process by an action, and starts the next one.
    ///
    /// - Returns: the line of its log, and the last one of its file.
    private func told(
        _ action: String, _ payload: String? = nil, isKept: Bool,
        _ body: @escaping @Sendable (TestServer) throws -> Void = { _ in }
    ) async throws -> (log: String, report: JSONValue) {
        let path = folder.path
        await #expect(processExitsWith: .failure) {
            [
                path = path as String, isKept = isKept as Bool, action = action as String,
                payload = payload as String?
            ] in
            try await Self.serve(path, crashes: "\(path)/crashes", isKept: isKept) { server in
                for id in ["a", "b"] { try server.create("/trap/sessions/\(id)") }
                try server.dispatch("/trap/sessions/a", "counted")
                try Self.end(server, action, payload)
            }
        }
        let lines = Mutex<[String]>([])
        for _ in 1...2 {
            try await Self.serve(
                path, crashes: "\(path)/crashes", isKept: isKept,
                log: { line in lines.withLock { $0.append(line) } }
            ) { try body($0) }
        }
        let log = lines.withLock { $0.filter { $0.hasPrefix("The process before") } }
        // Only the next start tells of it.
        try #require(log.count == 1)
        let file = try Data(contentsOf: URL(filePath: "\(path)/crashes/crashes.ndjson"))
        let last = try #require(file.split(separator: 10).last)
        return (log[0], try JSONValue(parsing: Array(last).span))
    }

    @Test func `is told of at the next start, with the way to what led there`() async throws {
        let recorded = Mutex("")
        let (log, report) = try await told("sealed", #"{"pin":"4711"}"#, isKept: true) { server in
            // As the command asks for it; others have gone on meanwhile.
            let recording = try server.send(
                "GET", "/trap/sessions/a/recording?from=0&through=1"
            ).body
            recorded.withLock { $0 = recording }
            try server.dispatch("/trap/sessions/a", "counted")
        }
        #expect(
            log.contains(
                "has ended by SIGILL while it reduced sealed, version 2 of /trap/sessions/a."))
        #expect(log.contains("/trap/sessions/a --through 1 --output crash.ndjson && "))
        #expect(!log.contains("4711"))
        let reducing = try #require(report["reducing"])
        #expect(
            reducing["action"].map { String(decoding: $0.json, as: UTF8.self) }
                == #"{"type":"sealed","payload":{"pin":"<redacted>"}}"#)
        #expect(reducing["session"]?.string == "/trap/sessions/a")
        #expect(reducing["version"]?.integer == 2)
        let before = report["before"]?.elements ?? []
        #expect(before.last?["action"]?["type"]?.string == "counted")
        #expect(before.first?["action"]?["type"]?.string == "start")
        #expect(before.allSatisfy { $0["session"]?.string == "/trap/sessions/a" })
        let beside = report["beside"]?.elements ?? []
        #expect(beside.allSatisfy { $0["session"]?.string == "/trap/sessions/b" })
        #expect(report["build"]?.string?.isEmpty == false)
        let addresses = report["addresses"]?.elements?.compactMap(\.string) ?? []
        #expect(addresses.count > 10 && addresses.allSatisfy { $0.contains("0x") })
        // What can be replayed ends before the action that has ended the process.
        let recording = try Recording(of: TrapApplication(), recorded.withLock { $0 })
        #expect(recording.entries.map(\.version) == [1])
        recording.check()
    }

    @Test func `names no version that the journal has not kept`() async throws {
        let (log, report) = try await told("batch", isKept: true)
        #expect(log.contains("while it reduced trapped, version 3 of /trap/sessions/a."))
        #expect(log.contains("/trap/sessions/a --through 1 --output crash.ndjson && "))
        #expect(report["before"]?.elements?.last?["version"]?.integer == 2)
    }

    @Test func `is told of where it has reduced a recording again`() async throws {
        let (log, report) = try await told("again", isKept: true)
        #expect(
            log.contains(
                "while it reduced trapped, version 1 of a recording of /trap/sessions/a."))
        #expect(!log.contains("what led to it"))
        #expect(report["reducing"]?["action"]?["type"]?.string == "trapped")
        #expect(report["reducing"]?["recording"]?.string == "/trap/sessions/a")
    }

    @Test func `tells of what a journal in memory has lost, and of a stack that is used up`()
        async throws
    {
        let (log, report) = try await told("nested", isKept: false)
        #expect(log.contains("has ended by SIGSEGV while it reduced nested, version 2 of"))
        #expect(!log.contains("what led to it"))
        #expect(report["before"]?.elements?.last?["action"]?["type"]?.string == "counted")
    }

    @Test func `tells the beginning of an action that is too long`() async throws {
        let text = String(repeating: "\u{1}\"", count: 10_000)
        let payload = try JSONEncoder().encode(text)
        let (_, report) = try await told(
            "written", String(decoding: payload, as: UTF8.self), isKept: true)
        let reducing = try #require(report["reducing"])
        #expect(reducing["actionBytes"]?.integer ?? 0 > 80_000)
        #expect(
            reducing["actionBegins"]?.string?.hasPrefix(#"{"type":"written","payload":"#) == true)
    }
}
