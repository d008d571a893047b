import JournalSQLite
import Statecast
import StatecastTesting
import TemporaryFolder
import Testing
import Threads

/// Keeps the last value that it is given, however deep that is.
private struct TreeApplication: Application {
    indirect enum Tree: StateValue { case leaf(Int), branch(Tree) }
    struct State: StateValue { var tree = Tree.leaf(0) }
    enum Action: ActionGroup { case planted(Tree), watered }

    let initialState = State()
    let views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        if case .planted(let tree) = action { state.tree = tree }
    }

    func work(in state: State) -> [Work<Action>] {}
}

@Suite struct `An action that nests as deep as it may` {
    private static let path = "/tree/sessions/demo"

    private func serve(
        _ folder: TemporaryFolder, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder.path)
        configuration.sessionLimits.idleDuration = .seconds(20)
        try await TestServer.run(
            configuration, serving: { Served("/tree", TreeApplication()) }, body: body)
    }

    /// Posts an action whose payload nests one level less, as an enum's value takes one while it is written,
    /// and one with `meta` of so many on several lines.
    private static func post(_ depth: Int, hasKeys: Bool, to server: TestServer) throws
        -> [TestAnswer]
    {
        let tree =
            String(repeating: #"{"branch":"#, count: depth - 2) + #"{"leaf":7}"#
            + String(repeating: "}", count: depth - 2)
        let list =
            "[\r\n" + String(repeating: "[", count: depth - 1)
            + String(repeating: "]", count: depth - 1) + "\n]"
        return try [#""planted","payload":\#(tree)"#, #""watered","meta":\#(list)"#].map { body in
            let key = "\(depth)-\(body.prefix(4).dropFirst())"
            return try server.post(
                path, #"{"type":\#(body)}"#, fields: hasKeys ? ["Idempotency-Key": key] : [:])
        }
    }

    /// The state and the log, a line each entry.
    private static func told(_ server: TestServer) throws -> [String] {
        let log = try server.send(
            "GET", "\(path)/log?patch=1", fields: ["Accept": "application/x-ndjson"])
        #expect(log.body.utf8.count { $0 == 10 } == 8 && !log.body.utf8.contains(13))
        return [try server.send("GET", "\(path)/state").body, log.body]
    }

    @Test(arguments: [false, true])
    func `leaves its session to be opened, here and elsewhere`(hasKeys: Bool) async throws {
        let (first, second) = (TemporaryFolder(), TemporaryFolder())
        let seen = Lock<[String]>([])
        try await serve(first) { server in
            try server.create(Self.path)
            for depth in 124...128 {
                let answers = try Self.post(depth, hasKeys: hasKeys, to: server)
                #expect(answers.map(\.status) == (depth < 128 ? [200, 200] : [500, 400]))
            }
            try await server.waitUntilAsleep()
            let told = try Self.told(server)
            seen.withLock { $0 = told }
        }
        var lines: [[UInt8]] = []
        try JournalDirectory(first.path).export(withSecrets: true) { lines.append($0) }
        #expect(lines.count == 9 && !lines.joined().contains { [10, 13].contains($0) })
        #expect(try JournalDirectory(second.path).import(lines) == (1, 0))
        for folder in [first, second] {
            try await serve(folder) { server in
                let told = try Self.told(server)
                #expect(told == seen.withLock { $0 })
                for depth in hasKeys ? 124..<128 : 0..<0 {
                    let again = try Self.post(depth, hasKeys: true, to: server)
                    #expect(again.map { $0.fields["idempotency-replayed"] } == ["true", "true"])
                }
                let recording = try server.send("GET", "\(Self.path)/recording").body
                #expect(recording.utf8.count { $0 == 10 } == 9)
                let replay = try server.send(
                    "POST", "/tree/sessions?replay=instant",
                    fields: ["Content-Type": "application/x-ndjson"], body: recording)
                #expect(replay.status == 201, "\(replay.body)")
            }
        }
    }
}
