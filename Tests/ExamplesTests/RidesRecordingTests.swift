import Accounting
import Bytes
import Journaling
@testable import Rides
@testable import RidesModel
import Sessions
import Statecast
import StatecastTesting
import Testing

@Suite struct `A recording of ten minutes of Rides` {
    private static let queries = ["p", "pi", "pier", "", "m", "museum", "station", ""]

    /// What somebody does who signs in, and then looks at places for a while.
    private func record() async throws -> Recording<RidesApplication> {
        let clock = ManualClock()
        // Work runs in Swift's pool, by this clock.
        var environment = clock.environment()
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
            for number in 0..<150 {
                try act(.dropoff(.queryEdited(text: Self.queries[number % Self.queries.count])))
                clock.advance(by: .seconds(2))
            }
            return try ride.recording(of: application)
        }
    }

    /// The states that a replay has been through, and the time that it has taken.
    private func play(
        _ recording: ReplayedRecording, _ mode: ReplayMode
    ) throws -> (states: [UInt64: [UInt8]], seconds: Int64) {
        let start = Instant(nanoseconds: 1)
        var now = start
        let log = EntryLog(playing: recording)
        let schedule = ReplaySchedule(
            // The session itself was made by the machine's clock.
            recording.entries.map { $0.at.milliseconds - (recording.entries[0].at.milliseconds) },
            behind: recording.version, mode, at: start)
        var states = [log.lastVersion: log.json.bytes]
        while log.lastVersion < schedule.last {
            if schedule.due(at: now) > log.lastVersion {
                log.play(through: schedule.due(at: now))
                states[log.lastVersion] = log.json.bytes
            } else {
                now = try #require(schedule.instant(after: log.lastVersion))
            }
        }
        return (states, (now.nanoseconds - start.nanoseconds) / 1_000_000_000)
    }

    @Test func `plays to the same bytes in every way, and is reduced again to the same`()
        async throws
    {
        let told = try await record()
        #expect(told.check(writtenAs: "ExampleApplications.rides") == [])
        var reader = try RecordingReader(
            Array(told.text.utf8), entryLimit: .max, stateByteLimit: .max)
        let recording = try reader.read()
        #expect(recording.entries.count > 150)
        let slow = try play(recording, .speed(1))
        let fast = try play(recording, .speed(4))
        let instant = try play(recording, .instant)
        #expect(slow.seconds >= 600 && fast.seconds == slow.seconds / 4 && instant.seconds == 0)
        #expect(slow.states == fast.states && slow.states.count > 150)
        let end = recording.entries.last?.version ?? 0
        for replay in [slow, fast, instant] {
            #expect(replay.states[end] == recording.end.bytes)
        }
    }
}
