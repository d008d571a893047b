@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

@Suite struct `What is derived from the state of Rides` {
    private func serve(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved)
        let application = RidesApplication(
            upstream: try .answering(), userSessions: sessions.store)
        try await TestServer.run(serving: { Served("/rides", application) }, body: body)
    }

    /// Makes the session and waits until it stands at the map.
    private static func reachMap(_ server: TestServer) throws {
        try server.create("/rides/sessions/rosa")
        let events = try server.events("/rides/sessions/rosa")
        while let event = try events.next(), !event.data.contains("requesting") {}
    }

    @Test func `the screen and who is signed in are views`() async throws {
        try await serve { server in
            try Self.reachMap(server)
            let screen = try server.send("GET", "/rides/sessions/rosa/state?view=screen")
            #expect(screen.body == #""map""#)
            let who = try server.send("GET", "/rides/sessions/rosa/state?view=authentication")
            let root = try who.json()
            #expect(root["isSignedIn"]?.bool == true)
            #expect(root["user"]?["nickname"]?.string == "Rosa")
            try server.dispatch("/rides/sessions/rosa", "signedOut")
            let nobody = try server.send("GET", "/rides/sessions/rosa/state?view=authentication")
            #expect(try nobody.json()["isSignedIn"]?.bool == false)
        }
    }

    @Test func `a watcher of the ride is told when the person signs out`() async throws {
        try await serve { server in
            try Self.reachMap(server)
            let events = try server.events(
                "/rides/sessions/rosa", query: "?select=/running/signedIn/ride")
            #expect(try events.next()?.data.contains("requesting") == true)
            try server.dispatch("/rides/sessions/rosa", "signedOut")
            #expect(try events.next()?.name == "out-of-scope")
        }
    }
}
