import Statecast
import StatecastTesting
import Testing

@Suite struct `The beginning of a test store` {
    /// A ticket office whose tickets are numbered and drawn at the start.
    private struct Office: Application {
        struct Rules: Codable, Sendable { var tickets: Int }

        struct State: StateValue {
            var tickets: [String] = []
            var drawn: [Int] = []
            var openedBy = ""
            var openedAt = Timestamp(milliseconds: 0)
        }

        enum Action: ActionGroup { case printed }

        let initialState = State()
        let views = Views<State>.all

        func start(_ state: inout State, with rules: Rules?, _ step: Step) throws(Rejection) {
            let count = rules?.tickets ?? 1
            guard count < 10 else { throw Rejection("too-many", "Nine at most.", field: "tickets") }
            for _ in 0..<count { state.tickets.append(step.makeID()) }
            var chance = step.makeGenerator()
            state.drawn = [Int.random(in: 0..<1_000_000, using: &chance)]
            (state.openedBy, state.openedAt) = (step.by?.id ?? "-", step.at)
        }

        func reduce(_ state: inout State, _ action: Action, _ step: Step) {
            state.tickets.append(step.makeID())
        }

        func work(in state: State) -> [Work<Action>] {}
    }

    @Test func `is what the application makes of the input, by whom and when the test says`() {
        let store = TestStore(
            Office(), input: .init(tickets: 2), as: Principal("alice"),
            time: Timestamp(milliseconds: 42))
        #expect(store.state.tickets == ["id-0", "id-0.2"])
        #expect(store.state.openedBy == "alice")
        #expect(store.state.openedAt == Timestamp(milliseconds: 42))
        // The ids of an entry have its number; chance is the same in every run.
        store.send(.printed) { $0.tickets.append("id-1") }
        #expect(store.state.drawn == TestStore(Office()).state.drawn)
    }

    @Test func `needs no input, and no start where the test gives the state`() {
        #expect(TestStore(Office()).state.tickets == ["id-0"])
        let given = TestStore(Office(), initial: .init(), input: .init(tickets: 20))
        #expect(given.state == Office.State())
    }

    @Test func `has the options that its restart asks`() {
        let options = SessionOptions<Office.State, Office.Action>(
            validate: { (state) throws(Rejection) in
                guard state.tickets.count == 1 else { throw Rejection("printed", "Printed.") }
            })
        let store = TestStore(Office(), options: options)
        store.restart()
        store.send(.printed) { $0.tickets.append("id-1") }
        withKnownIssue {
            store.restart()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("does not survive a restart") }
        }
    }

    @Test func `that the application refuses fails the test`() {
        withKnownIssue {
            let store = TestStore(Office(), input: .init(tickets: 20))
            #expect(store.state == Office.State())
        } matching: { issue in
            "\(issue)".contains("\"too-many\": Nine at most.")
        }
    }
}
