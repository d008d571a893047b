import Journaling
import Sockets
import StatecastTesting
import TemporaryFolder
import Testing

@testable import Statecast

/// A server tries by itself whether it reaches the others.
@Suite struct `A server that reaches none of the others` {
    @Test(arguments: [(1, 15), (2, 5), (9, 5)])
    func `is alone after so many seconds, and until one answers`(count: Int, limit: Int) {
        var reach = Reach()
        for second in 1...limit {
            // One as long as one answers.
            #expect(reach.tick(among: count) == (second == 1 ? 1 : count))
            #expect(!reach.isAlone)
        }
        #expect(reach.tick(among: count) == count && reach.isAlone)
        reach.reached()
        #expect(!reach.isAlone)
        #expect(reach.tick(among: count) == 1 && !reach.isAlone)
    }

    @Test func `is not alone where one of them answers, or none is there`() {
        var reach = Reach()
        for _ in 0..<60 {
            // The one that is tried first is gone.
            #expect(reach.tick(among: 3) == 1)
            #expect(reach.tick(among: 3) == 3)
            reach.reached()
        }
        for _ in 0..<60 {
            #expect(reach.tick(among: 0) == 0)
            #expect(!reach.isAlone)
        }
        // Of two that are not reached one is gone: the other one may be, too.
        for _ in 0..<6 { _ = reach.tick(among: 2) }
        #expect(reach.isAlone)
        _ = reach.tick(among: 1)
        #expect(!reach.isAlone)
    }

    @Test func `says so until one is back`() async throws {
        let (book, folder) = (SharedJournal.Book(), TemporaryFolder())
        try folder.write("key", TwoServers.key, mode: 0o600)
        var configuration = TestServer.configuration
        configuration.journal = SharedJournal(book: book, server: 0)
        configuration.cluster = Cluster(host: "127.0.0.1", keyFile: "\(folder.path)/key")
        try await TestServer.run(
            configuration, serving: { NotesApplication().served(at: "/notes") }
        ) { server in
            @Sendable func turns(ready isReady: Bool) async throws -> Bool {
                for turn in 0..<20_000 {
                    let answer = try server.send("GET", "/readyz")
                    if answer.status == (isReady ? 200 : 503) { return true }
                    // The others have the time between to answer.
                    if turn % 500 == 0 { await server.advance(by: .seconds(1)) }
                }
                return false
            }
            book.introduce()
            book.entries.withLock { entries in
                entries.servers[1] = LiveServer(address: "127.0.0.1:1")
                entries.servers[2] = LiveServer(address: "127.0.0.1:2")
            }
            #expect(try server.send("GET", "/readyz").status == 200)
            var isCutOff = try await turns(ready: false)
            #expect(isCutOff)
            #expect(try server.send("GET", "/readyz").problem == "moved")
            // What it has itself it serves as ever.
            try server.create("/notes/sessions/demo")
            try await TwoServers.run { others in
                book.entries.withLock { entries in
                    entries.servers[2] = others.book.address(of: 0).map { LiveServer(address: $0) }
                }
                let isBack = try await turns(ready: true)
                #expect(isBack)
            }
            isCutOff = try await turns(ready: false)
            #expect(isCutOff)
        }
    }
}
