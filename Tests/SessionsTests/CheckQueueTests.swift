import Accounting
import Sessions
import Testing

@Suite struct `A queue of checks` {
    private final class Item {
        let number: Int
        var isGone = false

        init(_ number: Int) { self.number = number }
    }

    private var queue = CheckQueue<Item>(period: .seconds(60))

    private func time(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private mutating func take(at seconds: Int64) -> [Int] {
        var numbers: [Int] = []
        while let item = queue.next(at: time(seconds), isGone: \.isGone) {
            numbers.append(item.number)
        }
        return numbers
    }

    @Test mutating func `gives each item once its period is over, in order`() {
        for number in 1...3 { queue.add(Item(number), at: time(Int64(number))) }
        #expect(!queue.hasDue(at: time(60)))
        #expect(take(at: 60) == [])
        #expect(queue.hasDue(at: time(61)))
        #expect(take(at: 62) == [1, 2])
        #expect(take(at: 62) == [])
        #expect(take(at: 1_000) == [3])
        #expect(queue.isEmpty)
    }

    @Test mutating func `gives an item again a period after it was added again`() {
        queue.add(Item(1), at: time(0))
        while let item = queue.next(at: time(75), isGone: \.isGone) {
            queue.add(item, at: time(75))
        }
        #expect(take(at: 134) == [])
        #expect(take(at: 135) == [1])
    }

    @Test mutating func `passes over what has gone`() {
        let items = (1...4).map { Item($0) }
        for item in items { queue.add(item, at: time(0)) }
        for index in [0, 2] {
            items[index].isGone = true
            queue.noteGone(\.isGone)
        }
        #expect(take(at: 60) == [2, 4])
    }

    @Test mutating func `keeps no more that has gone than what is there, but for a few`() {
        var here: [Item] = []
        for number in 0..<10_000 {
            let item = Item(number)
            queue.add(item, at: time(0))
            if number % 100 == 0 {
                here.append(item)
            } else {
                item.isGone = true
                queue.noteGone(\.isGone)
            }
            #expect(queue.count <= 2 * here.count + 130)
        }
        #expect(take(at: 60) == here.map(\.number))
    }
}
