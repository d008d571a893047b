package import Accounting
import DequeModule

/// Things that are looked at again, each once a period, in the order in which that is due. A value
/// without a clock.
package struct CheckQueue<Item> {
    private struct Entry {
        var item: Item
        var due: Instant
    }

    private var entries = Deque<Entry>()
    /// The number of entries whose item has gone.
    private var goneCount = 0
    private let period: Duration

    package init(period: Duration) {
        self.period = period
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }

    /// Something is due.
    package func hasDue(at now: Instant) -> Bool { entries.first.map { $0.due <= now } ?? false }

    /// Adds an item that was looked at now.
    package mutating func add(_ item: Item, at now: Instant) {
        let due = now.advanced(by: period)
        precondition(entries.last.map { $0.due <= due } ?? true, "The time does not go back.")
        entries.append(Entry(item: item, due: due))
    }

    /// Takes the item that is due for the longest; nil where none is.
    ///
    /// - Parameter isGone: tells of an item that it was `noteGone`: it is passed over.
    package mutating func next(at now: Instant, isGone: (Item) -> Bool) -> Item? {
        while hasDue(at: now), let entry = entries.popFirst() {
            guard isGone(entry.item) else { return entry.item }
            goneCount -= 1
        }
        return nil
    }

    /// An item has gone: once they are many, those that have are forgotten.
    package mutating func noteGone(_ isGone: (Item) -> Bool) {
        goneCount += 1
        guard goneCount > 64, goneCount * 2 > entries.count else { return }
        entries.removeAll { isGone($0.item) }
        goneCount = 0
    }
}
