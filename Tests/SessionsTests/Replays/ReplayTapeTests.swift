import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `The tape of a replay` {
    /// A recording of entries that each add to a list, every third one nothing.
    private func recording(_ count: Int, padding: Int = 0) throws -> Recording {
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
        let tape = ReplayTape(try recording(5))
        #expect(tape.version == 0 && text(tape.json) == "[]")
        let first = tape.play(through: 2)
        #expect(first.map(\.version) == [1, 2] && text(tape.json) == #"["1","2"]"#)
        let second = tape.play(through: 3)
        #expect(second.map(\.version) == [3] && text(tape.json) == #"["1","2"]"#)
        #expect(tape.version == 3 && tape.lastChange == 2)
        let last = tape.play(through: 5)
        #expect(last.map(\.version) == [4, 5])
        #expect(text(tape.json) == #"["1","2","4","5"]"# && tape.lastChange == 5)
        #expect(tape.play(through: 5).isEmpty)
    }

    @Test func `is at its end at once, with the bytes of every other way there`() throws {
        let recording = try recording(700)
        let (whole, single) = (ReplayTape(recording), ReplayTape(recording))
        let played = whole.play(through: 700)
        for version in 1...700 as ClosedRange<UInt64> {
            #expect(single.play(through: version).count == 1)
        }
        #expect(played.count == 700)
        #expect(whole.json.bytes == single.json.bytes && whole.lastChange == single.lastChange)
    }

    @Test func `plays as much as a turn has time for`() throws {
        let tape = ReplayTape(try recording(5_000))
        var counts: [Int] = []
        while tape.version < 4_999 { counts.append(tape.play(through: 4_999).count) }
        #expect(counts.count == 3 && counts.reduce(0, +) == 4_999)
        let heavy = ReplayTape(try recording(200, padding: 10_000))
        let first = heavy.play(through: 199)
        #expect((20..<60).contains(first.count))
        #expect(heavy.version == UInt64(first.count))
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
        let tape = ReplayTape(try reader.read())
        var versions: [UInt64] = []
        while tape.version < 4 {
            _ = tape.play(through: tape.version + 1)
            versions.append(tape.version)
        }
        #expect(versions == [1, 3, 4])
    }

    @Test func `counts what is still to come`() throws {
        let tape = ReplayTape(try recording(300))
        let count = tape.byteCount
        #expect(count > 300 * 40)
        _ = tape.play(through: 299)
        #expect(tape.byteCount < count / 2)
    }
}
