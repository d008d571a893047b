import Bytes
import Journaling
@testable import Rides
@testable import RidesModel
import Redux
import Sessions
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite struct `A recording of ten minutes of Rides` {
    private static let queries = ["p", "pi", "pier", "", "m", "museum", "station", ""]

    /// What somebody does who signs in, and then looks at places for a while.
    private func record() async throws -> Recording<RidesApplication> {
        let clock = ManualClock()
        // Work runs in Swift's pool, by this clock.
        var environment = clock.environment(startingAt: Environment.live.now())
        environment.executor = nil
        let application = RidesApplication(
            upstream: try .answering(), userSessions: ScriptedUserSessions().store)
        return try await TestServer.run(serving: { [environment] in
            Served(
                "/rides", application, options: .init(history: .always),
                environment: environment)
        }) { server in
            let ride = try server.session(of: RidesApplication.self, at: "/rides", named: "rosa")
            func act(_ action: RidesAction, settling: Duration? = nil) throws {
                try ride.send(action, settling: settling)
                clock.advance(by: .seconds(2))
            }
            try act(.welcome(.signInChosen), settling: .seconds(10))
            // A session's client writes no secret.
            try server.post(
                "/rides/sessions/rosa",
                #"{"type":"signIn/submitted","payload":{"email":"rosa@a.example","password":"open-sesame"}}"#,
                query: "?settle=10")
            try act(.ride(.destinationTapped))
            for number in 0..<155 {
                try act(.dropoff(.queryEdited(text: Self.queries[number % Self.queries.count])))
                clock.advance(by: .seconds(2))
            }
            return try ride.recording(of: application)
        }
    }

    /// Has a server play a recording by a clock that goes on by two seconds at a time: never faster than the
    /// recording's times say, nor slower. The versions that it was found at, and the seconds that it took.
    private func play(
        _ text: String, _ mode: String, speed: Int, _ times: [Int64], on server: TestServer
    ) async throws -> (path: String, versions: Set<Int>, seconds: Int) {
        let made = try server.send(
            "POST", "/rides/sessions?replay=\(mode)",
            fields: ["Content-Type": "application/x-ndjson"], body: text)
        let path = try #require(made.fields["location"], "\(made.body)")
        var (versions, seconds) = (Set<Int>(), 0)
        while seconds < 1_000 {
            let place = try server.send("GET", path + "/replay").json()
            let (version, at) = (
                try #require(place["version"]?.integer), try #require(place["at"]?.integer)
            )
            versions.insert(version)
            let due = times.count { $0 <= at }
            #expect(version <= due && at >= 0)
            if version == times.count { break }
            #expect(at >= seconds * speed * 1_000)
            await server.advance(by: .seconds(2))
            seconds += 2
        }
        return (path, versions, seconds)
    }

    @Test func `plays to the same bytes in every way, and is reduced again to the same`()
        async throws
    {
        let told = try await record()
        #expect(told.check(writtenAs: "ExampleApplications.rides") == [])
        var reader = try RecordingReader(
            Array(told.text.utf8), entryLimit: .max, stateByteLimit: .max)
        let recording = try reader.read()
        let times = recording.entries.map { $0.at.milliseconds - recording.start.milliseconds }
        #expect(times.count > 150 && times.last ?? 0 > 600_000)
        try await TestServer.run(serving: { Served("/rides", ExampleApplications.rides) }) {
            server in
            let slow = try await play(told.text, "1x", speed: 1, times, on: server)
            let fast = try await play(told.text, "4x", speed: 4, times, on: server)
            let instant = try await play(told.text, "instant", speed: 0, times, on: server)
            #expect(slow.versions.count > 100 && slow.seconds > 2 * fast.seconds)
            #expect(instant.seconds == 0)
            var document = PatchedDocument(recording.state.bytes)
            for version in 0...times.count {
                if version > 0, let patch = recording.entries[version - 1].patch {
                    try document.apply(patch.span)
                }
                let state = String(decoding: document.bytes(), as: UTF8.self)
                for replay in [slow, fast, instant] {
                    let shown = try server.send("GET", "\(replay.path)/state?version=\(version)")
                    #expect(shown.body == state, "\(version)")
                }
            }
        }
    }
}
