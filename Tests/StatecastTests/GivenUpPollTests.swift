import Sockets
import Statecast
import Testing

@testable import StatecastTesting

@Suite(.onBothJournals) struct `A long-poll` {
    private static let session = "/notes/sessions/demo"

    @Test(arguments: [1, 2])
    func `that its client gives up makes room for another at once`(loopCount: Int) async throws {
        var configuration = TestServer.configuration
        configuration.loopCount = loopCount
        // Another loop may be told of the last one a moment later.
        configuration.sessionLimits.waiterCount = 3
        try await TestServer.run(
            configuration, serving: { NotesApplication().served(at: "/notes") }
        ) { server in
            try server.create(Self.session)
            let tag = try #require(try server.send("GET", Self.session + "/state").etag)
            let target = Self.session + "/state?wait=60"
            let fields = ["If-None-Match": "\"\(tag)\""]
            for _ in 0..<20 {
                let client = try server.connect()
                try client.send(server.request("GET", target, fields, nil))
                try client.shutdownWrite()
                #expect(try client.receiveAll().isEmpty)
            }
            let held = try server.open("GET", target, fields: fields)
            try server.dispatch(Self.session, "added", "\"x\"")
            #expect(try held.answer().status == 200)
        }
    }
}
