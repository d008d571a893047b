import Bytes
import Testing

@testable import Sessions

@Suite struct `The meter of a state` {
    private let limit = 16 * 1024 * 1024

    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    /// How much is taken in before the state is measured.
    private func distance(_ meter: inout StateMeter, by weight: Int) -> Int {
        var taken = 0
        repeat {
            meter.add(weight, ofEntries: 1, isReported: false)
            taken += weight
        } while !meter.isDue(limit: limit)
        return taken
    }

    /// The seconds for which the state is not measured from now on; 0: it may be.
    private func pause(_ meter: StateMeter, at now: Instant) -> Int {
        do throws(Refusal) {
            try meter.checkPause(at: now)
        } catch {
            if case .stateAtLimit(let seconds) = error { return seconds }
        }
        return 0
    }

    /// With what is to be taken in the state would be so large.
    private func refuse(
        _ meter: inout StateMeter, _ byteCount: Int, since start: Instant, at now: Instant
    ) {
        #expect(throws: Refusal.stateTooLarge(limit: limit)) {
            try meter.judge(byteCount, limit: limit, since: start) { now }
        }
    }

    @Test func `asks for a measurement after an eighth of the room that is left`() {
        var meter = StateMeter()
        let first = distance(&meter, by: 1024)
        #expect(first == limit / 8)
        meter.measured(limit / 2)
        let second = distance(&meter, by: 1024)
        #expect(second == limit / 16)
    }

    @Test func `asks no more often near the limit than what is taken in pays for`() {
        var meter = StateMeter()
        meter.measured(limit)
        let distance = distance(&meter, by: 1024)
        #expect(distance == limit / 64)
    }

    @Test func `asks no more often for small actions than for as many bytes as the state has`() {
        var meter = StateMeter()
        meter.measured(limit / 2)
        var count = 0
        repeat {
            meter.add(1, ofEntries: 1, isReported: false)
            count += 1
        } while !meter.isDue(limit: limit)
        #expect(count * 1024 == limit / 2)
    }

    @Test func `asks each time while the state is too large`() {
        var meter = StateMeter()
        meter.measured(limit + 1)
        for _ in 1...3 {
            meter.add(1, ofEntries: 1, isReported: false)
            #expect(meter.isDue(limit: limit))
            meter.measured(limit + 1)
        }
        meter.measured(limit)
        meter.add(1, ofEntries: 1, isReported: false)
        #expect(!meter.isDue(limit: limit))
    }

    @Test func `leaves a state alone that is refused again and again, for longer each time`() {
        var meter = StateMeter()
        meter.measured(limit - 50)
        var now = at(1_000)
        var pauses: [Int] = []
        for _ in 1...9 {
            #expect(pause(meter, at: now) == 0)
            // Each measurement takes 20 ms.
            let end = now.advanced(by: .milliseconds(20))
            refuse(&meter, limit + 10, since: now, at: end)
            now = end
            pauses.append(pause(meter, at: now))
            now = now.advanced(by: .milliseconds(20 * 512))
        }
        #expect(pauses == [1, 1, 1, 2, 3, 6, 11, 11, 11])
        #expect(meter.byteCount == limit - 50)
        meter.measured(limit / 2)
        #expect(pause(meter, at: now) == 0)
    }

    @Test func `measures a state near its limit once small actions may have made it larger`() {
        let limit = 16 << 20
        var meter = StateMeter()
        meter.measured(15 << 20)
        meter.add(1_023 * 28, ofEntries: 1_023, isReported: false)
        #expect(!meter.isDue(limit: limit))
        meter.add(28, ofEntries: 1, isReported: false)
        #expect(meter.isDue(limit: limit))
    }

    @Test func `may look at a small state at any time`() {
        var meter = StateMeter()
        #expect(throws: Refusal.stateTooLarge(limit: 500_000)) {
            try meter.judge(1_000_000, limit: 500_000, since: at(0)) { at(20) }
        }
        #expect(pause(meter, at: at(20)) == 0)
    }

    @Test(arguments: [1, 1_000, 100_000, 5_000_000])
    func `keeps a state near its limit that grows by what is taken in`(weight: Int) {
        var meter = StateMeter()
        var size = 0
        var refusals = 0
        while refusals < 1_000 {
            let next = size + weight
            var taken = meter
            taken.add(weight, ofEntries: 1, isReported: false)
            if taken.isDue(limit: limit) {
                guard next <= limit else {
                    refusals += 1
                    refuse(&meter, next, since: at(0), at: at(0))
                    continue
                }
                taken.measured(next)
            }
            (meter, size) = (taken, next)
        }
        #expect(size <= limit + limit / 64)
    }
}
