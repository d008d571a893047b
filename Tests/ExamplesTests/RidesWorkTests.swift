@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The work of Rides` {
    @Test func `happens once, however many watch`() async throws {
        let locations = ManualAnswers<String, Coordinate>()
        var upstream = try RidesUpstream.answering()
        upstream.location = { try await locations.answer(to: "location") }
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved)
        let application = RidesApplication(upstream: upstream, userSessions: sessions.store)
        let clock = ManualClock()
        try await MemoryServer.run(serving: {
            Served("/rides", application, environment: clock.environment())
        }) { server in
            let session = try server.session(of: RidesApplication.self, at: "/rides")
            let watchers = try (0..<10).map { _ in
                try session.watch(view: "screen", as: String.self)
            }
            for watcher in watchers { try watcher.first { $0 == "launching" } }
            clock.advance()
            for watcher in watchers { try watcher.first { $0 == "locating" } }
            clock.advance()
            #expect(locations.asked == ["location"])
            locations.succeed("location", with: RidesWorld.here)
            clock.advance()
            for watcher in watchers { try watcher.first { $0 == "map" } }
            #expect(locations.asked == ["location"])
        }
        #expect(await sessions.loads == 1)
    }
}
