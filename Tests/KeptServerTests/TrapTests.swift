import Foundation
import JournalSQLite
import Redux
import Statecast
import StatecastTesting
import Testing

/// A reducer that ends the process, in one way or the other.
private struct TrapApplication: Application {
    struct State: StateValue { var count = 0 }
    enum Action: ActionGroup { case counted, trapped, nested }

    let initialState = State()
    let views = Views<State>.all

    func work(in state: State) -> [Work<Action>] {}

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .counted: state.count += 1
        case .trapped: preconditionFailure("The reducer traps.")
        case .nested: state.count = Self.sum(from: state.count)
        }
    }

    /// More calls within each other than a stack has room for.
    private static func sum(from number: Int) -> Int {
        number == .max ? 0 : 1 + sum(from: number + 1)
    }
}

@Suite struct `A reducer that ends the process` {
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
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "trap-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for _ in 1...2 {
            await #expect(processExitsWith: .failure) {
                [folder = folder as String, action = action as String] in
                try await Self.serve(folder) { server in
                    for id in ["a", "b"] { try server.create("/trap/sessions/\(id)") }
                    try server.dispatch("/trap/sessions/a", action)
                }
            }
        }
        try await Self.serve(folder) { server in
            let answers = try ["a", "b"].map {
                try server.dispatch("/trap/sessions/\($0)", "counted")
            }
            #expect(answers.map(\.status) == [423, 200] && answers[0].problem == "frozen")
        }
    }
}
