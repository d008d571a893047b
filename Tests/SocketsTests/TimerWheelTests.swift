import Bytes
@testable import Sockets
import Testing

@Suite struct TimerWheelTests {
    private static let start = Instant(nanoseconds: 5_000_000_123)

    private static func at(_ milliseconds: Int64) -> Instant {
        start.advanced(byNanoseconds: milliseconds * 1_000_000)
    }

    @Test(arguments: [
        Int64(0), 1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 15_000, 262_143, 262_144, 600_000,
        86_400_000, 31_536_000_000,
    ])
    func `a timer fires at its millisecond and not one earlier`(delay: Int64) {
        var wheel = TimerWheel<Int>(start: Self.start)
        let timer = wheel.schedule(at: Self.at(delay), 7)
        if delay > 0 { #expect(wheel.popDue(at: Self.at(delay - 1)) == nil) }
        let due = wheel.popDue(at: Self.at(delay))
        #expect(due?.payload == 7)
        #expect(due?.timer == timer)
        #expect(wheel.count == 0)
        #expect(wheel.nextTurn == nil)
    }

    @Test func `a time within a millisecond is rounded up`() {
        var wheel = TimerWheel<Int>(start: Self.start)
        _ = wheel.schedule(at: Self.start.advanced(byNanoseconds: 1), 1)
        #expect(wheel.popDue(at: Self.start.advanced(byNanoseconds: 999_999)) == nil)
        #expect(wheel.popDue(at: Self.at(1))?.payload == 1)
    }

    @Test func `a time in the past is due at once`() {
        var wheel = TimerWheel<Int>(start: Self.start)
        #expect(wheel.popDue(at: Self.at(100)) == nil)
        _ = wheel.schedule(at: Self.at(3), 1)
        #expect(wheel.nextTurn == Self.at(100))
        #expect(wheel.popDue(at: Self.at(100))?.payload == 1)
    }

    @Test func `the ends of time neither trap nor fire`() {
        var wheel = TimerWheel<Int>(start: Self.start)
        _ = wheel.schedule(at: Instant(nanoseconds: .max), 1)
        #expect(wheel.popDue(at: Self.at(1_000_000_000)) == nil)
        _ = wheel.schedule(at: Instant(nanoseconds: .min), 2)
        #expect(wheel.popDue(at: Self.at(1_000_000_000))?.payload == 2)
        #expect(wheel.count == 1)
    }

    @Test func `a cancelled timer never fires, and a fired one cannot be cancelled`() {
        var wheel = TimerWheel<Int>(start: Self.start)
        let first = wheel.schedule(at: Self.at(10), 1)
        let second = wheel.schedule(at: Self.at(10), 2)
        #expect(wheel.cancel(first) == 1)
        #expect(wheel.cancel(first) == nil)
        #expect(wheel.popDue(at: Self.at(10))?.payload == 2)
        #expect(wheel.cancel(second) == nil)
        #expect(wheel.cancel(.none) == nil)
    }

    @Test func `a handle whose place is used again does not touch the new timer`() {
        var wheel = TimerWheel<Int>(start: Self.start)
        let stale = wheel.schedule(at: Self.at(10), 1)
        wheel.cancel(stale)
        let fresh = wheel.schedule(at: Self.at(20), 2)
        #expect(fresh.index == stale.index)
        #expect(wheel.cancel(stale) == nil)
        let isMoved = wheel.reschedule(stale, at: Self.at(1))
        #expect(!isMoved)
        #expect(wheel.popDue(at: Self.at(20))?.payload == 2)
    }

    @Test func `a timer that is put off fires at the new time only`() {
        var wheel = TimerWheel<Int>(start: Self.start)
        let timer = wheel.schedule(at: Self.at(75_000), 1)
        for step in 1...1000 {
            let now = Self.at(Int64(step) * 100)
            #expect(wheel.popDue(at: now) == nil)
            let isMoved = wheel.reschedule(timer, at: now.advanced(by: .seconds(75)))
            #expect(isMoved)
        }
        #expect(wheel.popDue(at: Self.at(174_999)) == nil)
        #expect(wheel.popDue(at: Self.at(175_000))?.payload == 1)
    }

    @Test func `turning as told by nextTurn finds every timer at its time`() {
        var wheel = TimerWheel<Int64>(start: Self.start)
        let delays: [Int64] = [1, 64, 64, 100, 4096, 5000, 300_000, 262_144, 20_000_000]
        for delay in delays { _ = wheel.schedule(at: Self.at(delay), delay) }
        var turns = 0
        while let next = wheel.nextTurn {
            turns += 1
            while let due = wheel.popDue(at: next) { #expect(next == Self.at(due.payload)) }
        }
        #expect(turns <= delays.count * 5)
    }

    @Test func `a timer takes forty bytes beside its handler`() {
        #expect(MemoryLayout<TimerWheel<any TimerHandler>.Entry>.stride == 40)
    }

    @Test(arguments: [UInt64(1), 2, 3, .random(in: 4 ... .max)])
    func `random turns agree with a list that is searched`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var wheel = TimerWheel<Int>(start: Self.start)
        var model: [Int: (timer: Timer, at: Int64)] = [:]
        var present: Int64 = 0
        for step in 0..<4000 {
            let delay = Int64(random.next() % 3 == 0 ? 2_000_000 : 300)
            let at = present + Int64(random.next() % UInt64(delay))
            switch random.next() % 8 {
            case 0...3: model[step] = (wheel.schedule(at: Self.at(at), step), at)
            case 4:
                guard let (id, old) = model.randomElement(using: &random) else { continue }
                let isMoved = wheel.reschedule(old.timer, at: Self.at(at))
                #expect(isMoved, "seed \(seed)")
                model[id] = (old.timer, at)
            case 5:
                guard let (id, old) = model.randomElement(using: &random) else { continue }
                #expect(wheel.cancel(old.timer) == id, "seed \(seed)")
                model[id] = nil
            default:
                present += Int64(random.next() % (random.next() % 5 == 0 ? 200_000 : 100))
                var fired: Set<Int> = []
                while let due = wheel.popDue(at: Self.at(present)) { fired.insert(due.payload) }
                let expected = Set(model.filter { $0.value.at <= present }.keys)
                #expect(fired == expected, "seed \(seed), step \(step)")
                for id in fired { model[id] = nil }
            }
            #expect(wheel.count == model.count, "seed \(seed)")
            if let next = wheel.nextTurn, let first = model.values.map(\.at).min() {
                #expect(next <= Self.at(max(first, present)), "seed \(seed)")
            }
        }
    }
}
