import Foundation
import JournalSQLite
import Redux
import Statecast
import StatecastTesting
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
    enum Action: ActionGroup { case counted, trapped, nested, readTrapped, readNested, misread }

    let initialState = State()
    let views = Views<State>(state: .all, View("count") { state in state.count })

    func work(in state: State) -> [Work<Action>] {}

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .counted: state.count += 1
        case .trapped: preconditionFailure("The reducer traps.")
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

    private static func serve(
        _ folder: String, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder)
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
}
