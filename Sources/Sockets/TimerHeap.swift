/// Timers by the instants at which they are due, without a clock. An object, so that the run time checks
/// no access to it.
///
/// A binary heap of instants, each with the number of a slot that holds what is due and knows its
/// place in the heap, so that any timer is moved or cancelled in O(log n). A timer takes 40 bytes
/// with a class-bound existential as payload. No order is promised between timers of one instant.
package final class TimerHeap<Payload> {
    struct Slot {
        var payload: Payload?
        var generation: UInt32 = 0
        /// Where the timer stands in the heap; -1 where the slot is vacant.
        var place: Int32 = -1
    }

    struct Item {
        var instant: Instant
        var slot: Int
    }

    private var slots: [Slot] = []
    private var vacant: [Int] = []
    private var heap: [Item] = []

    package init() {}

    /// The number of timers that are scheduled.
    package var count: Int { heap.count }

    /// When the first timer is due.
    var next: Instant? { heap.first?.instant }

    func removeAll() {
        heap = []
        vacant = []
        // What goes may cancel its timer.
        _ = exchange(&slots, with: [])
    }

    /// Adds a timer; a time in the past is due at once.
    package func schedule(at instant: Instant, _ payload: Payload) -> Timer {
        precondition(heap.count < Int(Int32.max), "A loop holds two thousand million timers.")
        if vacant.isEmpty {
            vacant.append(slots.count)
            slots.append(Slot())
        }
        let slot = vacant.removeLast()
        slots[slot].payload = payload
        heap.append(Item(instant: instant, slot: slot))
        settle(heap.count - 1)
        return timer(of: slot)
    }

    /// Moves a scheduled timer to another time; false when it is not scheduled any more.
    package func reschedule(_ timer: Timer, at instant: Instant) -> Bool {
        guard let place = place(of: timer) else { return false }
        heap[place].instant = instant
        settle(place)
        return true
    }

    /// Removes a timer; nil when it is not scheduled any more.
    @discardableResult
    package func cancel(_ timer: Timer) -> Payload? {
        place(of: timer).flatMap { remove(at: $0) }
    }

    /// Takes one timer whose time has come, nil when none has: called until nil. Timers scheduled
    /// meanwhile for a time not after `now` come, too.
    package func popDue(at now: Instant) -> (timer: Timer, payload: Payload)? {
        guard let first = heap.first, first.instant <= now else { return nil }
        let timer = timer(of: first.slot)
        return remove(at: 0).map { (timer, $0) }
    }

    private func timer(of slot: Int) -> Timer {
        Timer(index: UInt32(slot), generation: slots[slot].generation)
    }

    private func place(of timer: Timer) -> Int? {
        guard let slot = slots.dropFirst(Int(timer.index)).first, slot.place >= 0,
            slot.generation == timer.generation
        else { return nil }
        return Int(slot.place)
    }

    private func remove(at place: Int) -> Payload? {
        let slot = heap[place].slot
        let last = heap.removeLast()
        if place < heap.count {
            heap[place] = last
            settle(place)
        }
        vacant.append(slot)
        slots[slot].place = -1
        slots[slot].generation &+= 1
        return slots[slot].payload.take()
    }

    /// Moves an item up or down to where none above it is due later, and none below it earlier.
    private func settle(_ start: Int) {
        let item = heap[start]
        var place = start
        while place > 0, item.instant < heap[(place - 1) / 2].instant {
            put(heap[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        while let child = firstChild(of: place), heap[child].instant < item.instant {
            put(heap[child], at: place)
            place = child
        }
        put(item, at: place)
    }

    private func firstChild(of place: Int) -> Int? {
        let child = 2 * place + 1
        guard child < heap.count else { return nil }
        let isSecond = child + 1 < heap.count && heap[child + 1].instant < heap[child].instant
        return isSecond ? child + 1 : child
    }

    private func put(_ item: Item, at place: Int) {
        heap[place] = item
        slots[item.slot].place = Int32(place)
    }
}

/// Takes the firing of timers.
package protocol TimerHandler: AnyObject {
    /// Called on the loop once the time has come, never before. `timer` is then no longer
    /// scheduled, and may be scheduled anew in here.
    func timerFired(_ timer: Timer, on loop: isolated EventLoop)
}
