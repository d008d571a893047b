import Rides
import Statecast
import StatecastTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The effects of Rides` {
    @Test func `happen once, however many watch`() async throws {
        let doors = Doors()
        let upstream = try RidesUpstream.answering { await doors.wait(at: $0) }
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved)
        try await TestServer.run(serving: {
            Served(
                "/rides", RidesApplication(upstream: upstream, userSessions: sessions.store))
        }) { server in
            try server.create("/rides/sessions/many")
            let watchers = try (0..<10).map { _ in try server.events("/rides/sessions/many") }
            for watcher in watchers { #expect(try watcher.next() != nil) }
            await doors.arrival(at: "location")
            await doors.open("location")
            for watcher in watchers {
                while let event = try watcher.next(), !event.data.contains("requesting") {}
            }
            #expect(await doors.count == 1)
        }
    }
}
