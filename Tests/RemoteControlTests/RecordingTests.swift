import ClientWire
import Testing

@testable import RemoteControl

@Suite struct `A recording from afar` {
    private func head(_ version: Int, second: Int) -> String {
        #"{"session":"a","start":"2026-11-26T09:00:0\#(second).000Z","version":\#(version),"state":{}}"#
    }

    private func entry(_ version: Int, at time: Int) -> String {
        #"{"version":\#(version),"at":\#(time),"origin":"client"}"#
    }

    private func bytes(_ lines: String...) -> [UInt8] {
        Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    @Test func `is one of all its parts, with times that count from one beginning`() throws {
        var joint = RecordingJoint()
        let first = bytes(head(0, second: 1), entry(1, at: 5), entry(2, at: 1_000))
        #expect(try joint.lines(of: first) == first)
        let second = bytes(
            head(2, second: 2), entry(2, at: 0), entry(3, at: 7), entry(4, at: 9))
        #expect(
            try joint.lines(of: second) == bytes(entry(3, at: 1_007), entry(4, at: 1_009)))
        #expect(joint.count == 4)
        // What begins behind the last entry, or is of another session, leaves a gap.
        for part in [
            head(5, second: 3), head(4, second: 3).replacing("{}", with: #"{},"created":"2""#),
        ] {
            #expect(throws: MirrorProblem.self) { try joint.lines(of: bytes(part)) }
        }
    }

    @Test(arguments: ["<p>", "{}", "[]"])
    func `is refused where it is none`(text: String) {
        var joint = RecordingJoint()
        let problem = #expect(throws: MirrorProblem.self) {
            try joint.lines(of: Array(text.utf8))
        }
        #expect(problem.map { ExitReason($0) } == .notStatecast)
    }
}
