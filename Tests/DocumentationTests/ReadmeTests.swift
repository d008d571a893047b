import Statecast
import StatecastTesting
import Testing

@Suite struct `The program of the read-me` {
    @Test func `counts`() async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) { server in
            try server.create("/counter/sessions/demo")
            let answer = try server.dispatch(
                "/counter/sessions/demo", "incremented", #"{"by":2}"#)
            #expect(answer.status == 200)
            try server.dispatch("/counter/sessions/demo", "incremented", #"{"by":3}"#)
            let state = try server.send("GET", "/counter/sessions/demo/state")
            #expect(state.body == #"{"count":5}"#)
        }
    }
}
