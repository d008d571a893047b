import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `A recording that is played` {
    /// A recording of entries that each add to a list, every third one nothing.
    private func recording(_ count: Int, padding: Int = 0) throws -> ReplayedRecording {
        var lines = [
            #"{"application":"/","schema":1,"start":"2026-11-21T09:30:00.000Z","version":0,"state":[]}"#
        ]
        let text = String(repeating: "x", count: padding)
        for version in 1...count {
            let patch =
                version % 3 == 0
                ? "" : #","patch":[{"op":"add","path":"/-","value":"\#(version)\#(text)"}]"#
            lines.append(
                #"{"version":\#(version),"at":\#(version * 10),"origin":"client"\#(patch)}"#)
        }
        var reader = try RecordingReader(
            Array(lines.joined(separator: "\n").utf8), entryLimit: count, stateByteLimit: 1 << 24)
        return try reader.read()
    }

    @Test func `plays entries once, in their order`() throws {
        let log = EntryLog(playing: try recording(5))
        #expect(log.lastVersion == 0 && text(log.json) == "[]")
        log.play(through: 2)
        #expect(log.entries(after: 0, limit: 9).map(\.version) == [1, 2])
        #expect(text(log.json) == #"["1","2"]"#)
        log.play(through: 3)
        #expect(text(log.json) == #"["1","2"]"#)
        #expect(log.lastVersion == 3 && log.lastChange == 2)
        log.play(through: 5)
        #expect(log.entries(after: 3, limit: 9).map(\.version) == [4, 5])
        #expect(text(log.json) == #"["1","2","4","5"]"# && log.lastChange == 5)
        log.play(through: 5)
        #expect(log.lastVersion == 5)
    }

    @Test func `is at its end at once, with the bytes of every other way there`() throws {
        let recording = try recording(700)
        let (whole, single) = (EntryLog(playing: recording), EntryLog(playing: recording))
        whole.play(through: 700)
        for version in 1...699 as ClosedRange<UInt64> {
            single.play(through: version)
            #expect(single.lastVersion == version)
        }
        #expect(whole.lastVersion == 700 && text(whole.json) == text(recording.end))
        #expect(text(single.json).count < text(whole.json).count)
        // The last state of a recording is known, and so is found by patches only before it.
        #expect(whole.state(at: 699)?.bytes == single.json.bytes && whole.lastChange == 700)
    }

    @Test func `plays as much as a turn has time for`() throws {
        let log = EntryLog(playing: try recording(5_000))
        var turnCount = 0
        while log.lastVersion < 4_999 {
            log.play(through: 4_999)
            turnCount += 1
        }
        #expect(turnCount == 3)
        let heavy = EntryLog(playing: try recording(200, padding: 10_000))
        heavy.play(through: 199)
        #expect((20..<60).contains(heavy.lastVersion))
    }

    @Test func `does not stop within a batch`() throws {
        let lines = [
            #"{"application":"/","schema":1,"start":"2026-11-21T09:30:00.000Z","version":0,"state":0}"#,
            #"{"version":1,"at":1,"origin":"client"}"#,
            #"{"version":2,"at":1,"origin":"client"}"#,
            #"{"version":3,"at":1,"origin":"client","batch":"2c","patch":[{"op":"replace","path":"","value":1}]}"#,
            #"{"version":4,"at":1,"origin":"client"}"#,
        ]
        var reader = try RecordingReader(
            Array(lines.joined(separator: "\n").utf8), entryLimit: 9, stateByteLimit: 9)
        let log = EntryLog(playing: try reader.read())
        var versions: [UInt64] = []
        while log.lastVersion < 4 {
            log.play(through: log.lastVersion + 1)
            versions.append(log.lastVersion)
        }
        #expect(versions == [1, 3, 4])
    }
}
