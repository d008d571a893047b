import Testing

@testable import Statecast

@Suite struct `The meter of a state` {
    private let limit = 16 * 1024 * 1024

    /// How much is taken in before the state is measured.
    private func distance(_ meter: inout StateMeter, by weight: Int) -> Int {
        var taken = 0
        repeat {
            meter.add(weight)
            taken += weight
        } while !meter.isDue(limit: limit)
        return taken
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
        #expect(distance == 64 * 1024)
    }

    @Test func `asks each time while the state is too large`() {
        var meter = StateMeter()
        meter.measured(limit + 1)
        for _ in 1...3 {
            meter.add(1)
            let isDue = meter.isDue(limit: limit)
            #expect(isDue)
            meter.measured(limit + 1)
        }
        meter.measured(limit)
        meter.add(1)
        let isDue = meter.isDue(limit: limit)
        #expect(!isDue)
    }

    @Test(arguments: [1, 1_000, 100_000, 5_000_000])
    func `keeps a state near its limit that grows by what is taken in`(weight: Int) {
        var meter = StateMeter()
        var size = 0
        var refusals = 0
        while refusals < 1_000 {
            let next = size + weight
            meter.add(weight)
            if meter.isDue(limit: limit) {
                meter.measured(next)
                guard next <= limit else {
                    refusals += 1
                    continue
                }
            }
            size = next
        }
        #expect(size <= limit + 64 * 1024)
    }
}
