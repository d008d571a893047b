import Bytes
import Counter
import CounterModel
import Foundation
import Journaling
import Sessions
import Sockets
import StateCoding
@testable import Statecast
import StatecastTesting
import Testing

@Suite struct `What this build makes of a recording` {
    private static let header =
        #"{"application":"/counter","schema":1,"session":"demo","epoch":"k3","build":"6d93af21c05e","start":"2026-11-26T09:30:00.000Z","version":0,"state":{"count":0}}"#

    /// An entry: what was posted, and what the count was then.
    private static func entry(
        _ version: Int, _ action: String, _ count: Int?, _ rest: String = ""
    ) -> String {
        let patch = count.map {
            #","patch":[{"op":"replace","path":"/count","value":\#($0)}]"#
        }
        return
            #"{"version":\#(version),"at":\#(version * 1000),"origin":"client"\#(rest),"action":\#(action)\#(patch ?? "")}"#
    }

    private static func added(_ by: Int) -> String {
        #"{"type":"incremented","payload":{"by":\#(by)}}"#
    }

    private func whatIf(
        _ entries: [String], stateByteLimit: Int = .max
    ) throws -> WhatIf<CounterApplication> {
        let text = ([Self.header] + entries).joined(separator: "\n")
        var reader = try RecordingReader(
            Array(text.utf8), entryLimit: 100, stateByteLimit: 1_000)
        return try WhatIf(
            try reader.read(), of: CounterApplication(), .init(), ActionCoder(),
            stateByteLimit: stateByteLimit)
    }

    private func difference(_ entries: [String]) throws -> RecordingDifference? {
        var whatIf = try whatIf(entries)
        return try whatIf.firstDifference().difference
    }

    @Test func `is nothing new where its reducer does what it did`() throws {
        let replaced =
            #"{"version":3,"at":9,"origin":"inspector","kind":"replaced","patch":[{"op":"replace","path":"/count","value":40}]}"#
        let entries = [
            Self.entry(1, Self.added(2), 2), Self.entry(2, Self.added(0), nil), replaced,
            Self.entry(4, Self.added(1), nil), Self.entry(5, Self.added(1), 42, #","batch":"2c""#),
        ]
        #expect(try difference(entries) == nil)
    }

    @Test func `is told by the first entry that differs, with both patches`() throws {
        let found = try #require(
            try difference([Self.entry(1, Self.added(2), 2), Self.entry(2, Self.added(3), 6)]))
        #expect(found.versions == 2...2 && found.pointer == "/count")
        #expect(
            found.description == """
                The entry of version 2 comes to another state than it did, at /count
                    action:     \(Self.added(3))
                    recorded:   [{"op":"replace","path":"/count","value":6}]
                    this build: [{"op":"replace","path":"/count","value":5}]
                    count: 6 → 5
                """)
    }

    @Test(arguments: [
        (
            #"{"type":"incremented","payload":{"by":"2"}}"#,
            "cannot be read any more, at /action/payload/by"
        ),
        (
            #"{"type":"incremented","payload":{"by":9223372036854775807}}"#,
            #"is refused now: "out-of-range" in version 2"#
        ),
        (#"{"type":"reset"}"#, "comes to another state than it did, at /count"),
    ])
    func `is told where an action is none any more, or is refused`(
        action: String, words: String
    ) throws {
        let found = try difference([Self.entry(1, Self.added(2), 2), Self.entry(2, action, 4)])
        #expect(found?.description.contains(words) == true, "\(found?.description ?? "")")
    }

    @Test func `is refused as a whole where one of a batch is`() throws {
        var whatIf = try whatIf([
            Self.entry(1, Self.added(2), nil),
            Self.entry(2, Self.added(.max), 3, #","batch":"2c""#), Self.entry(3, Self.added(5), 8),
            Self.entry(4, "null", nil),
        ])
        let made = try whatIf.recordingAnew(byteLimit: 10_000)
        #expect(made.entries.map { $0.patch == nil } == [true, true, false, true])
        #expect(String(decoding: made.end.bytes, as: UTF8.self) == #"{"count":5}"#)
        let heads = made.entries.map { String(decoding: $0.head, as: UTF8.self) }
        #expect(
            heads.map { $0.contains(#""rejection":{"code":"out-of-range","#) } == [
                false, true, false, false,
            ])
        // Once more it comes to the same, the rejection with it.
        var again = try WhatIf(made, of: CounterApplication(), .init(), ActionCoder())
        #expect(try again.firstDifference().difference == nil)
        #expect(throws: RecordingFault.self) {
            var bounded = try self.whatIf([Self.entry(1, Self.added(2), nil)])
            _ = try bounded.recordingAnew(byteLimit: 10)
        }
    }

    @Test func `takes no longer than it may`() throws {
        let text = [Self.header, Self.entry(1, Self.added(2), 2)].joined(separator: "\n")
        var reader = try RecordingReader(Array(text.utf8), entryLimit: 9, stateByteLimit: 99)
        var late = try WhatIf(
            try reader.read(), of: CounterApplication(), .init(), ActionCoder(),
            deadline: Instant(nanoseconds: 1))
        let fault = #expect(throws: RecordingFault.self) { try late.recordingAnew(byteLimit: .max) }
        #expect(fault?.line == 2 && fault?.detail.contains("too long") == true)
    }

    /// The case that `CounterApplicationCase.swift` is: it compiles, and passes, for its difference comes of
    /// a limit that a test does not have.
    @Test func `is told as a test`() throws {
        var whatIf = try whatIf(
            [
                Self.entry(1, Self.added(2), 2),
                Self.entry(2, Self.added(8), 10, ##","by":{"id":"a\\#(b)"}"##),
            ], stateByteLimit: 11)
        let text = try whatIf.firstDifference().difference?.test
        let place = URL(filePath: #filePath).deletingLastPathComponent()
        let file = try String(
            contentsOf: place.appending(path: "CounterApplicationCase.swift"), encoding: .utf8)
        #expect(text == file, "\(text ?? "")")
    }
}
