import Logging
import Sockets
import Statecast
import StatecastTesting
import Testing

@Suite(.serialized, .onBothJournals) struct `A slow turn` {
    /// Takes its time for one of its actions.
    private struct SlowApplication: PlainApplication {
        struct State: StateValue { var count = 0 }
        enum Action: ActionGroup { case quick, slow }
        let initialState = State()

        func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
            state.count += 1
            guard case .slow = action else { return }
            let end = Instant.read().advanced(by: .milliseconds(200))
            while Instant.read() < end {}
        }
    }

    @Test(arguments: [1, 2])
    func `is counted, and logged with the route of its longest request and nothing secret`(
        loopCount: Int
    ) async throws {
        let lines = LogLines()
        var configuration = TestServer.configuration
        configuration.loopCount = loopCount
        configuration.limits.turnDuration = .milliseconds(150)
        configuration.logger = Logger(label: "test") { _ in lines.handler }
        try await TestServer.run(
            configuration, serving: { Served("/work", SlowApplication()) }
        ) { server in
            // One of them is forwarded where there are two loops.
            for session in ["/work/sessions/secret1", "/work/sessions/secret2"] {
                try server.create(session)
                try server.dispatch(session, "quick", query: "?token=secret")
                try server.dispatch(session, "slow", query: "?token=secret")
            }
            // Other loops tell their numbers once a second.
            let end = ContinuousClock.now + .seconds(120)
            var count = 0
            while count < 2, ContinuousClock.now < end { count = try Self.slowTurns(server) }
            #expect(count >= 2)
        }
        let own = lines.all.filter { $0.contains("A turn of loop ") }
        #expect(own.contains { $0.hasSuffix(" of it: POST /work/sessions/{id}/actions") })
        #expect(own.allSatisfy { $0.hasPrefix("warning ") && !$0.contains("secret") })
    }

    private static func slowTurns(_ server: TestServer) throws -> Int {
        let line = try server.send("GET", "/metrics").body.split(separator: "\n").first {
            $0.hasPrefix("statecast_slow_turns_total ")
        }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }
}
