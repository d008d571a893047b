import Redux
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `A server with a clock of its own` {
    /// Remembers when the last step was.
    private struct Watch: PlainApplication {
        struct State: StateValue {
            var at: Timestamp?
            var alarm: Timestamp?
        }
        enum Action: ActionGroup { case looked, set(milliseconds: Int), rang }
        let initialState = State()

        func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
            state.at = step.at
            switch action {
            case .looked: break
            case .set(let milliseconds):
                state.alarm = step.at + .milliseconds(milliseconds)
            case .rang: state.alarm = nil
            }
        }

        func work(in state: State) -> [Work<Action>] {
            if let alarm = state.alarm { Work.alarm("bell", at: alarm, send: .rang) }
        }
    }

    @Test func `has its time in posted actions and in alarms`() async throws {
        let clock = ManualClock()
        let environment = clock.environment()
        try await TestServer.run(serving: {
            Served("/watch", Watch(), environment: environment)
        }) { server in
            let path = "/watch/sessions/a"
            try server.create(path)
            clock.advance(by: .seconds(100))
            try server.dispatch(path, "looked")
            let posted = try server.send("GET", path + "/state").body
            #expect(posted == #"{"at":{"milliseconds":100000}}"#)
            try server.dispatch(path, "set", "{\"milliseconds\":500}")
            let events = try server.events(path)
            _ = try events.next()
            clock.advance(by: .milliseconds(500))
            #expect(try events.next()?.data == #"{"at":{"milliseconds":100500}}"#)
        }
    }
}
