import Journaling
import Statecast
import StatecastTesting
import TemporaryFolder
import Testing
import Threads

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

    @Test func `is given sessions by other servers once it takes their requests`() async throws {
        try await TwoServers.run { servers in
            var configuration = TestServer.configuration
            configuration.journal = SharedJournal(book: servers.book, server: 2)
            configuration.cluster = Cluster(
                host: "127.0.0.1", keyFile: "\(servers.folder.path)/0.key")
            let server = try Server(configuration) {
                Served("/counter", CountingApplication())
            }
            let (begins, begun) = AsyncStream.makeStream(of: Void.self)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let run = Task {
                try await server.run { _ in
                    begun.yield()
                    for await _ in ends { break }
                }
            }
            for await _ in begins { break }
            func isDraining() -> Bool? {
                servers.book.entries.withLock { $0.servers[2]?.isDraining }
            }
            #expect(isDraining() == true)
            end.yield()
            while isDraining() != false { await Task.yield() }
            run.cancel()
            try await run.value
        }
    }
}
