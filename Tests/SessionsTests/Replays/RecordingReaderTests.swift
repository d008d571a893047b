import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `A recording` {
    private static let lines = [
        #"{"application":"/counter","schema":3,"epoch":"k3","start":"2026-11-21T09:30:00.000Z","version":7,"state":{"n":1,"list":[]}}"#,
        #"{"version":8,"at":20,"epoch":"k3","origin":"client","by":{"id":"alice"},"action":{"type":"a"},"patch":[{"op":"replace","path":"/n","value":2}]}"#,
        #"{"version":9,"at":10,"origin":"effect","cause":8,"action":{"type":"b"}}"#,
        #"{"version":10,"at":1500,"origin":"client","kind":"replaced","patch":[{"op":"add","path":"/list/-","value":"x y"}]}"#,
    ]
    private static let start = Timestamp(milliseconds: 1_795_253_400_000)

    private func read(
        _ lines: [String], entryLimit: Int = 100, stateByteLimit: Int = 1_000
    ) throws(RecordingFault) -> ReplayedRecording {
        var reader = try RecordingReader(
            Array(lines.joined(separator: "\n").utf8), entryLimit: entryLimit,
            stateByteLimit: stateByteLimit)
        return try reader.read()
    }

    private func fault(
        _ lines: [String], entryLimit: Int = 100, stateByteLimit: Int = 1_000
    ) -> String? {
        do throws(RecordingFault) {
            _ = try read(lines, entryLimit: entryLimit, stateByteLimit: stateByteLimit)
            return nil
        } catch {
            return "\(error.line) \(error.pointer): \(error.detail)"
        }
    }

    @Test func `is a state, and the entries behind it`() throws {
        let recording = try read(Self.lines)
        #expect(recording.application == "/counter" && recording.schema == 3)
        #expect(recording.version == 7 && recording.entries.map(\.version) == [8, 9, 10])
        #expect(recording.start == Self.start)
        #expect(text(recording.state) == #"{"n":1,"list":[]}"#)
        #expect(text(recording.end) == #"{"n":2,"list":["x y"]}"#)
        var line: [UInt8] = []
        recording.entries[0].append(to: &line, since: recording.start, withPatch: true)
        #expect(
            String(decoding: line, as: UTF8.self)
                == Self.lines[1].replacing(#""epoch":"k3","#, with: ""))
    }

    @Test func `goes on where the clock was set back`() throws {
        let times = try read(Self.lines).entries.map {
            $0.at.milliseconds - Self.start.milliseconds
        }
        #expect(times == [20, 20, 1500])
    }

    @Test func `may have white space and blank lines`() throws {
        let loose = Self.lines.flatMap { line in
            ["", "  " + line.replacing(",\"", with: " ,\t\"").replacing("{", with: "{ ") + "\r"]
        }
        let recording = try read(loose + ["", ""])
        let strict = try read(Self.lines)
        #expect(recording.state.bytes == strict.state.bytes)
        #expect(recording.end.bytes == strict.end.bytes)
        #expect(recording.entries.map(\.head) == strict.entries.map(\.head))
    }

    @Test func `of no entries is a state`() throws {
        let recording = try read([Self.lines[0]])
        #expect(recording.entries.isEmpty && recording.end.bytes == recording.state.bytes)
    }

    @Test(arguments: [
        ("", "1 : A recording begins with a line about its session."),
        ("[]", "1 : A line is a JSON object."),
        ("{}", #"1 : The line has no member "version"."#),
        ("{\"version\":-1}", "1 /version: An integer is expected."),
        ("{\"version\":1.5}", "1 /version: An integer is expected."),
        ("{\"version\":1,\"start\":\"now\"}", "1 /start: A time like"),
        ("{\"version\":1,\"start\":7}", "1 /start: A string is expected."),
        (
            "{\"version\":1,\"start\":\"2026-11-21T09:30:00Z\"}",
            #"1 : The line has no member "state"."#
        ),
        ("{\"version\":9007199254740993}", "1 /version: An integer is expected."),
    ])
    func `begins with a line about its session`(line: String, detail: String) {
        #expect(fault([line])?.hasPrefix(detail) == true)
    }

    @Test(arguments: [
        ("{", "2 "), ("7", "2 : A line is a JSON object."),
        (#"{"version":9,"at":1,"origin":"client"}"#, "2 /version: The entry of version 8"),
        (#"{"version":8,"origin":"client"}"#, #"2 : The line has no member "at"."#),
        (#"{"version":8,"at":1}"#, #"2 : The line has no member "origin"."#),
        (#"{"version":8,"at":1e99,"origin":"client"}"#, "2 /at: An integer is expected."),
        (#"{"version":8,"at":1,"origin":"client","patch":{}}"#, "2 /patch: A patch is an array."),
        (
            #"{"version":8,"at":1,"origin":"client","patch":[{"op":"remove","path":"/m"}]}"#,
            "2 /patch/0: The patch does not fit: "
        ),
        (
            #"{"version":8,"at":1,"origin":"client","patch":[7]}"#,
            "2 /patch"
        ),
        (#"{"version":8,"version":8,"at":1,"origin":"client"}"#, "2 "),
    ])
    func `tells the line that is at fault, and what is wrong there`(line: String, start: String) {
        #expect(fault([Self.lines[0], line])?.hasPrefix(start) == true)
    }

    @Test func `has so many entries at most`() {
        #expect(fault(Self.lines, entryLimit: 3) == nil)
        #expect(
            fault(Self.lines, entryLimit: 2) == "4 : A recording has at most 2 entries here.")
    }

    @Test(arguments: [
        #"{"version":8 0,"at":1,"origin":"client"}"#,
        #"{"version":8,"at":1,"origin":"client","action":{"x":tr ue}}"#,
        #"{"version":8,"at":1,"origin":"client","action":[1 2]}"#,
    ])
    func `has white space between values, and not within them`(line: String) {
        #expect(fault([Self.lines[0], line])?.hasPrefix("2 ") == true)
    }

    @Test func `has entries of one batch, which were never seen one by one`() throws {
        let entry = #""at":1,"origin":"client""#
        let lines = [
            Self.lines[0], #"{"version":8,\#(entry)}"#, #"{"version":9,\#(entry)}"#,
            #"{"version":10,\#(entry),"batch":"cud","patch":[]}"#, #"{"version":11,\#(entry)}"#,
            #"{"version":12,\#(entry),"batch":"=2"}"#, #"{"version":13,\#(entry),"batch":"3d"}"#,
        ]
        let recording = try read(lines)
        #expect(recording.entries.map(\.isLast) == [true, false, true, false, true, true])
        for record in ["\"\"", "\"x\"", "7", "\"=9\"", "\"9c\"", "\"4294967295c*4294967295\""] {
            let wrong = #"{"version":8,\#(entry),"batch":\#(record)}"#
            #expect(
                fault([Self.lines[0], wrong])
                    == "2 /batch: A batch tells how many of the entries are its own.")
        }
        let twice = [lines[1], lines[2], lines[3], #"{"version":11,\#(entry),"batch":"4c"}"#]
        #expect(
            fault([Self.lines[0]] + twice)
                == "5 /batch: A batch tells how many of the entries are its own.")
        let early = #"{"version":8,\#(entry),"patch":[]}"#
        let late = #"{"version":9,\#(entry),"batch":"2c"}"#
        #expect(
            fault([Self.lines[0], early, late])
                == "3 /batch: A batch has one patch, on its last entry.")
    }

    @Test func `has states of so many bytes at most`() {
        #expect(fault(Self.lines, stateByteLimit: 22) == nil)
        #expect(
            fault(Self.lines, stateByteLimit: 21) == "4 : A state has at most 21 bytes here.")
        #expect(
            fault([Self.lines[0]], stateByteLimit: 16) == "1 : A state has at most 16 bytes here.")
    }

    @Test func `nests no deeper than a state may`() throws {
        func state(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let header = Self.lines[0]
        for (depth, isRead) in [(128, true), (129, false)] {
            let first = header.replacing(#"{"n":1,"list":[]}"#, with: state(depth))
            #expect((fault([first]) == nil) == isRead)
            let patch = #"[{"op":"replace","path":"","value":\#(state(depth))}]"#
            let entry = #"{"version":8,"at":1,"origin":"client","patch":\#(patch)}"#
            #expect((fault([header, entry]) == nil) == isRead)
        }
    }

    @Test func `tells of its application before its entries are read`() throws {
        let text = Array((Self.lines[0] + "\nno entry").utf8)
        let reader = try RecordingReader(text, entryLimit: 1, stateByteLimit: 1_000)
        #expect(reader.recording.application == "/counter")
    }

    @Test func `is refused or read, whatever bytes are changed in it`() {
        var chance = SplitMix(seed: 7)
        let text = Array(Self.lines.joined(separator: "\n").utf8)
        var readCount = 0
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0...Int.random(in: 0..<4, using: &chance) {
                let index = Int.random(in: bytes.indices, using: &chance)
                switch Int.random(in: 0..<3, using: &chance) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &chance)
                case 1: bytes.remove(at: index)
                default: bytes.insert(bytes.randomElement(using: &chance) ?? 0, at: index)
                }
            }
            do throws(RecordingFault) {
                var reader = try RecordingReader(bytes, entryLimit: 3, stateByteLimit: 1_000)
                let recording = try reader.read()
                let log = EntryLog(playing: recording)
                while log.lastVersion < log.headVersion {
                    log.play(through: log.lastVersion + 1)
                    #expect(!log.json.bytes.isEmpty)
                }
                #expect(log.json.bytes == recording.end.bytes)
                readCount += 1
            } catch {
                #expect(error.line >= 1 && !error.detail.isEmpty)
            }
        }
        #expect(readCount > 100)
    }
}
