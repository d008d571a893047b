import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `A server that has something to begin with` {
    @Test func `takes connections once it is there`() async throws {
        var configuration = TestServer.configuration
        configuration.port = 0
        let server = try Server(configuration) { Served("/counter", CountingApplication()) }
        let run = Task {
            try await server.run { sessions in
                let session = try await sessions.create("demo", of: CountingApplication.self)
                try await session.dispatch(.incremented)
            }
        }
        while server.port == 0 { await Task.yield() }
        let state = try TestServer(server).send("GET", "/counter/sessions/demo/state")
        #expect(state.body == #"{"count":1}"#)
        let error = await #expect(throws: ServerError.self) { try await server.run() }
        #expect(error?.description.contains("run() starts it by itself") == true)
        run.cancel()
        try await run.value
    }
}
