import Statecast
import StatecastTesting
import Synchronization
import Testing

/// Records, of which each comparison counts.
private struct Records: PlainApplication {
    static let comparisonCount = Atomic(0)

    struct Record: Codable, Sendable, Equatable {
        var number = 0
        var text = "a record of some forty bytes"

        static func == (one: Record, other: Record) -> Bool {
            comparisonCount.add(1, ordering: .relaxed)
            return one.number == other.number && one.text == other.text
        }
    }

    struct State: StateValue {
        var records = Array(repeating: Record(), count: 1_000)
    }

    enum Action: ActionGroup { case counted(Int) }

    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .counted(let place): state.records[place].number += 1
        }
    }
}

@Suite(.serialized, .onBothJournals) struct `A batch beside many records` {
    @Test func `costs its elements, and not all records for each action`() async throws {
        try await TestServer.run(serving: { Served("/", Records()) }) { server in
            try server.create("/sessions/a")
            let actions = (0..<1_000).map { #"{"type":"counted","payload":\#(999 - $0 % 2)}"# }
            let before = Records.comparisonCount.load(ordering: .relaxed)
            let answer = try server.post("/sessions/a", "[\(actions.joined(separator: ","))]")
            #expect(answer.status == 200)
            // Compared action by action, it is a million.
            #expect(Records.comparisonCount.load(ordering: .relaxed) - before < 10_000)
            #expect(answer.body.ranges(of: #""changed":true"#).count == 1_001)
            let last = try server.send("GET", "/sessions/a/state?select=/records/999/number")
            #expect(last.body == "500")
        }
    }
}
