import Bytes
@testable import Sockets
import Testing

@Suite struct TimerHeapTests {
    private static let start = Instant(nanoseconds: 5_000_000_123)

    private static func at(_ milliseconds: Int64) -> Instant {
        start.advanced(byNanoseconds: milliseconds * 1_000_000)
    }

    @Test(arguments: [
        Int64(0), 1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 15_000, 262_143, 262_144, 600_000,
        86_400_000, 31_536_000_000,
    ])
    func `a timer fires at its instant and not one earlier`(delay: Int64) {
        let timers = TimerHeap<Int>()
        let timer = timers.schedule(at: Self.at(delay), 7)
        #expect(timers.popDue(at: Self.at(delay).advanced(byNanoseconds: -1)) == nil)
        let due = timers.popDue(at: Self.at(delay))
        #expect(due?.payload == 7)
        #expect(due?.timer == timer)
        #expect(timers.count == 0)
        #expect(timers.next == nil)
    }

    @Test func `the ends of time neither trap nor fire`() {
        let timers = TimerHeap<Int>()
        _ = timers.schedule(at: Instant(nanoseconds: .max), 1)
        #expect(timers.popDue(at: Self.at(1_000_000_000)) == nil)
        _ = timers.schedule(at: Instant(nanoseconds: .min), 2)
        #expect(timers.popDue(at: Self.at(1_000_000_000))?.payload == 2)
        #expect(timers.count == 1)
    }

    @Test func `a cancelled timer never fires, and a fired one cannot be cancelled`() {
        let timers = TimerHeap<Int>()
        let first = timers.schedule(at: Self.at(10), 1)
        let second = timers.schedule(at: Self.at(10), 2)
        #expect(timers.cancel(first) == 1)
        #expect(timers.cancel(first) == nil)
        #expect(timers.popDue(at: Self.at(10))?.payload == 2)
        #expect(timers.cancel(second) == nil)
        #expect(timers.cancel(.none) == nil)
    }

    @Test func `a handle whose place is used again does not touch the new timer`() {
        let timers = TimerHeap<Int>()
        let stale = timers.schedule(at: Self.at(10), 1)
        timers.cancel(stale)
        let fresh = timers.schedule(at: Self.at(20), 2)
        #expect(fresh.index == stale.index)
        #expect(timers.cancel(stale) == nil)
        let isMoved = timers.reschedule(stale, at: Self.at(1))
        #expect(!isMoved)
        #expect(timers.popDue(at: Self.at(20))?.payload == 2)
    }

    @Test func `a timer that is put off fires at the new time only`() {
        let timers = TimerHeap<Int>()
        let timer = timers.schedule(at: Self.at(75_000), 1)
        for step in 1...1000 {
            let now = Self.at(Int64(step) * 100)
            #expect(timers.popDue(at: now) == nil)
            let isMoved = timers.reschedule(timer, at: now.advanced(by: .seconds(75)))
            #expect(isMoved)
        }
        #expect(timers.popDue(at: Self.at(174_999)) == nil)
        #expect(timers.popDue(at: Self.at(175_000))?.payload == 1)
    }

    @Test func `a timer takes forty bytes with its handler`() {
        typealias Timers = TimerHeap<any TimerHandler>
        #expect(MemoryLayout<Timers.Slot>.stride + MemoryLayout<Timers.Item>.stride == 40)
    }

    @Test(arguments: [UInt64(1), 2, 3, .random(in: 4 ... .max)])
    func `random turns agree with a list that is searched`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let timers = TimerHeap<Int>()
        var model: [Int: (timer: Timer, at: Int64)] = [:]
        var present: Int64 = 0
        for step in 0..<4000 {
            let delay = Int64(random.next() % 3 == 0 ? 2_000_000 : 300)
            let at = present + Int64(random.next() % UInt64(delay))
            switch random.next() % 8 {
            case 0...3: model[step] = (timers.schedule(at: Self.at(at), step), at)
            case 4:
                guard let (id, old) = model.randomElement(using: &random) else { continue }
                let isMoved = timers.reschedule(old.timer, at: Self.at(at))
                #expect(isMoved, "seed \(seed)")
                model[id] = (old.timer, at)
            case 5:
                guard let (id, old) = model.randomElement(using: &random) else { continue }
                #expect(timers.cancel(old.timer) == id, "seed \(seed)")
                model[id] = nil
            default:
                present += Int64(random.next() % (random.next() % 5 == 0 ? 200_000 : 100))
                var fired: Set<Int> = []
                while let due = timers.popDue(at: Self.at(present)) { fired.insert(due.payload) }
                let expected = Set(model.filter { $0.value.at <= present }.keys)
                #expect(fired == expected, "seed \(seed), step \(step)")
                for id in fired { model[id] = nil }
            }
            #expect(timers.count == model.count, "seed \(seed)")
            #expect(timers.next == model.values.map(\.at).min().map(Self.at), "seed \(seed)")
        }
    }
}
