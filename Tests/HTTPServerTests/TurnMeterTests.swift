@testable import HTTPServer
import Sockets
import Testing

@Suite struct TurnMeterTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    @Test(arguments: [(49, false), (50, true), (51, true)] as [(Int64, Bool)])
    func `a turn is slow from the limit on`(milliseconds: Int64, isSlow: Bool) {
        let meter = TurnMeter(limit: .milliseconds(50))
        let slow = meter.turnEnded(at: at(milliseconds), since: at(0), "sending")
        #expect((slow != nil) == isSlow)
        #expect(isSlow == (slow?.hasPrefix("took \(milliseconds) ms; ") ?? false))
    }

    @Test(arguments: [(10, false), (11, true)] as [(Int64, Bool)])
    func `a turn is long once its work has taken a fifth of the limit`(
        milliseconds: Int64, isLong: Bool
    ) {
        let meter = TurnMeter(limit: .milliseconds(50))
        #expect(!meter.isLong(since: at(0)))
        meter.workEnded(at: at(milliseconds), since: at(0), "first")
        #expect(meter.isLong(since: at(0)) == isLong)
    }

    @Test func `of a slow turn the longest piece of work is told`() {
        let meter = TurnMeter(limit: .milliseconds(50))
        for (end, work) in [(8, "first"), (48, "second"), (56, "third")] as [(Int64, String)] {
            meter.workEnded(at: at(end), since: at(0), work)
        }
        #expect(
            meter.turnEnded(at: at(60), since: at(0), "sending")
                == "took 60 ms; 40 ms of it: second")
    }

    @Test func `what lies between two turns counts for neither`() {
        let meter = TurnMeter(limit: .milliseconds(50))
        #expect(meter.turnEnded(at: at(40), since: at(0), "sending") == nil)
        meter.workEnded(at: at(1_010), since: at(1_000), "first")
        #expect(meter.turnEnded(at: at(1_049), since: at(1_000), "sending") == nil)
        let slow = meter.turnEnded(at: at(2_070), since: at(2_000), "sending")
        #expect(slow == "took 70 ms; 70 ms of it: sending")
    }

    @Test func `a clock that has not moved since is behind the turn's start`() {
        let meter = TurnMeter(limit: .milliseconds(50))
        #expect(meter.turnEnded(at: at(8), since: at(9), "sending") == nil)
        #expect(!meter.hasMoved(at(8)))
        #expect(meter.hasMoved(at(12)))
    }

    @Test func `the log has a line in ten seconds, which tells of the others`() {
        let turn = "took 730 ms; 720 ms of it: GET /"
        let meter = TurnMeter(limit: .milliseconds(50))
        let line = "A turn of loop 1 took 730 ms; 720 ms of it: GET /"
        let lines = [0, 1, 9_999, 10_000, 10_001, 20_000].map {
            meter.line(about: turn, ofLoop: 1, at: at($0))
        }
        #expect(
            lines == [
                line, nil, nil, line + " (2 more since the last such line)", nil,
                line + " (1 more since the last such line)",
            ])
    }
}
