/// Timers in a hierarchy of wheels: a pure value, turned by whoever holds it.
///
/// Seven wheels of 64 lists; a list of wheel n spans 64ⁿ ticks of 1 ms. A timer hangs in the wheel
/// of the highest digit (base 64) in which its tick differs from the present one, and moves down
/// when the wheels have turned to its list: at most seven times. Lists are linked by index through
/// one slab, so that scheduling, moving and cancelling are O(1) and allocate only when the slab
/// grows; a timer takes 40 bytes with a class-bound existential as payload.
///
///     present tick 130 = 0·64² + 2·64 + 2
///     wheel 0:  131 … 191 (the rest of this 64)      wheel 1:  192 … 4095      wheel 2: …
///
/// Timers of one list fire newest first; no order is promised within one tick.
package struct TimerWheel<Payload> {
    /// A timer in the slab, or a link of the free list.
    struct Entry {
        var payload: Payload?
        var tick: UInt64 = 0
        var next: Int32 = -1
        var previous: Int32 = -1
        var generation: UInt32 = 0
        var list: Int16 = -1
    }

    private static var none: Int32 { -1 }
    private static var wheelCount: Int { 7 }
    /// The list of those whose time has come, after the lists of the wheels.
    private static var dueList: Int { wheelCount * 64 }
    private static var lastTick: UInt64 { 1 << (6 * UInt64(wheelCount)) - 1 }
    private static var nanosecondsPerTick: Int64 { 1_000_000 }

    private let start: Instant
    private var present: UInt64 = 0
    private var heads: [Int32]
    /// One bit a list, one word a wheel: which lists hold something.
    private var occupied: [UInt64]
    private var entries: [Entry] = []
    private var firstFree: Int32 = none
    /// The number of timers that are scheduled.
    package private(set) var count = 0

    /// Wheels that stand at `start`, with no timer.
    package init(start: Instant) {
        self.start = start
        heads = [Int32](repeating: Self.none, count: Self.dueList + 1)
        occupied = [UInt64](repeating: 0, count: Self.wheelCount)
    }

    /// Adds a timer; a time in the past is due at once.
    package mutating func schedule(at instant: Instant, _ payload: Payload) -> Timer {
        let index = vacantIndex()
        let position = Int(index)
        entries[position].payload = payload
        entries[position].tick = tick(notBefore: instant)
        insert(index)
        count += 1
        return Timer(index: UInt32(index), generation: entries[position].generation)
    }

    /// Moves a scheduled timer to another time; false when it is not scheduled any more.
    package mutating func reschedule(_ timer: Timer, at instant: Instant) -> Bool {
        guard let index = scheduledIndex(of: timer) else { return false }
        unlink(index)
        entries[Int(index)].tick = tick(notBefore: instant)
        insert(index)
        return true
    }

    /// Removes a timer; nil when it is not scheduled any more.
    @discardableResult
    package mutating func cancel(_ timer: Timer) -> Payload? {
        guard let index = scheduledIndex(of: timer) else { return nil }
        unlink(index)
        return vacate(index)
    }

    /// Turns the wheels to `now` and takes one timer whose time has come, nil when none has:
    /// called until nil. Timers scheduled meanwhile for a time not after `now` come, too.
    package mutating func popDue(at now: Instant) -> (timer: Timer, payload: Payload)? {
        let tick = tick(notAfter: now)
        while heads[Self.dueList] == Self.none {
            guard let (list, start) = nextList(), start <= tick else {
                present = max(present, tick)
                return nil
            }
            present = max(present, start)
            moveDown(list)
        }
        let index = heads[Self.dueList]
        let timer = Timer(index: UInt32(index), generation: entries[Int(index)].generation)
        unlink(index)
        return vacate(index).map { (timer, $0) }
    }

    /// When the wheels must be turned next: not after the earliest timer, and perhaps before it,
    /// when a list has to move down. Nil when nothing is scheduled.
    var nextTurn: Instant? {
        guard count > 0 else { return nil }
        if heads[Self.dueList] != Self.none { return instant(of: present) }
        return nextList().map { instant(of: $0.start) }
    }

    // MARK: Ticks

    private func tick(notBefore instant: Instant) -> UInt64 {
        let (elapsed, overflow) = instant.nanoseconds
            .subtractingReportingOverflow(start.nanoseconds)
        if overflow { return instant < start ? 0 : Self.lastTick }
        guard elapsed > 0 else { return 0 }
        return min(UInt64((elapsed - 1) / Self.nanosecondsPerTick) + 1, Self.lastTick)
    }

    private func tick(notAfter instant: Instant) -> UInt64 {
        let elapsed = instant.nanoseconds - start.nanoseconds
        return elapsed > 0 ? min(UInt64(elapsed / Self.nanosecondsPerTick), Self.lastTick) : 0
    }

    private func instant(of tick: UInt64) -> Instant {
        start.advanced(byNanoseconds: Int64(tick) * Self.nanosecondsPerTick)
    }

    // MARK: Lists

    /// The list that comes next, and its first tick.
    private func nextList() -> (list: Int, start: UInt64)? {
        for wheel in 0..<Self.wheelCount where occupied[wheel] != 0 {
            let slot = occupied[wheel].trailingZeroBitCount
            let shift = UInt64(6 * wheel)
            let above = (present >> (shift + 6)) << (shift + 6)
            return (wheel * 64 + slot, above | UInt64(slot) << shift)
        }
        return nil
    }

    private mutating func moveDown(_ list: Int) {
        while heads[list] != Self.none {
            let index = heads[list]
            unlink(index)
            insert(index)
        }
    }

    private mutating func insert(_ index: Int32) {
        let tick = entries[Int(index)].tick
        var list = Self.dueList
        if tick > present {
            let wheel = (63 - (tick ^ present).leadingZeroBitCount) / 6
            let slot = Int(tick >> UInt64(6 * wheel) & 63)
            occupied[wheel] |= 1 << UInt64(slot)
            list = wheel * 64 + slot
        }
        let head = heads[list]
        if head != Self.none { entries[Int(head)].previous = index }
        entries[Int(index)].next = head
        entries[Int(index)].previous = Self.none
        entries[Int(index)].list = Int16(list)
        heads[list] = index
    }

    private mutating func unlink(_ index: Int32) {
        let (next, previous) = (entries[Int(index)].next, entries[Int(index)].previous)
        if next != Self.none { entries[Int(next)].previous = previous }
        if previous != Self.none {
            entries[Int(previous)].next = next
            return
        }
        let list = Int(entries[Int(index)].list)
        heads[list] = next
        if next == Self.none, list != Self.dueList {
            occupied[list / 64] &= ~(1 << UInt64(list % 64))
        }
    }

    // MARK: The slab

    private func scheduledIndex(of timer: Timer) -> Int32? {
        let position = Int(timer.index)
        guard position < entries.count, entries[position].generation == timer.generation,
            entries[position].list >= 0
        else { return nil }
        return Int32(timer.index)
    }

    private mutating func vacantIndex() -> Int32 {
        guard firstFree == Self.none else {
            let index = firstFree
            firstFree = entries[Int(index)].next
            return index
        }
        precondition(entries.count < Int(Int32.max), "A loop holds two thousand million timers.")
        entries.append(Entry())
        return Int32(entries.count - 1)
    }

    private mutating func vacate(_ index: Int32) -> Payload? {
        let position = Int(index)
        let payload = entries[position].payload.take()
        entries[position].generation &+= 1
        entries[position].list = -1
        entries[position].next = firstFree
        firstFree = index
        count -= 1
        return payload
    }
}

/// Takes the firing of timers.
package protocol TimerHandler: AnyObject {
    /// Called on the loop once the time has come, never before. `timer` is then no longer
    /// scheduled, and may be scheduled anew in here.
    func timerFired(_ timer: Timer, on loop: isolated EventLoop)
}

extension EventLoop {
    /// The number of timers that are scheduled.
    package var timerCount: Int { timers.count }

    /// Calls the handler once, after at least this time has passed since `now`; precise to 1 ms.
    /// The loop holds the handler until then.
    package func schedule(after duration: Duration, _ handler: any TimerHandler) -> Timer {
        schedule(at: now.advanced(by: duration), handler)
    }

    /// Calls the handler once, not before `instant`.
    package func schedule(at instant: Instant, _ handler: any TimerHandler) -> Timer {
        defer { nextTimers = timers.nextTurn ?? .never }
        return timers.schedule(at: instant, handler)
    }

    /// Moves a timer to another time without allocating, or schedules it anew when it has fired
    /// or was cancelled: what a deadline that is often put off uses.
    package func rearm(_ timer: inout Timer, at instant: Instant, _ handler: any TimerHandler) {
        guard !timers.reschedule(timer, at: instant) else {
            return nextTimers = timers.nextTurn ?? .never
        }
        timer = schedule(at: instant, handler)
    }

    /// Cancels a timer and lets go of its handler; nothing happens when it has fired.
    package func cancel(_ timer: Timer) {
        _ = timers.cancel(timer)
    }
}
