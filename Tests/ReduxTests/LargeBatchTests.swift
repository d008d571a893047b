import Redux
import Synchronization
import Testing

/// A record, of which each comparison counts.
private struct Record: Sendable, Equatable {
    static let comparisonCount = Atomic(0)
    var number = 0

    static func == (one: Record, other: Record) -> Bool {
        comparisonCount.add(1, ordering: .relaxed)
        return one.number == other.number
    }
}

@Suite(.serialized) struct `A batch beside a large state` {
    /// Adds to the last record, which a comparison comes to last; nothing is more than 9.
    private let ledger = Ledger<[Record], Int>(
        initial: Array(repeating: Record(), count: 100),
        reducer: { (state, number, _) throws(Rejection) in
            guard number < 10 else { throw Rejection("large", "Too large.") }
            state[99].number += number
        },
        environment: Environment(now: { Timestamp(milliseconds: 0) }))

    private func submit(_ numbers: [Int], comparing count: Int) -> BatchOutcome {
        ledger.submit(batch: numbers, comparing: count) { _ in .kept }
    }

    private func accepted(_ changes: [Bool]) -> BatchOutcome {
        .accepted(
            changes.enumerated().map { index, changed in
                .accepted(first: UInt64(index) + 1, last: UInt64(index) + 1, changed: changed)
            })
    }

    @Test func `is reduced in one state, which is compared once`() {
        let before = Record.comparisonCount.load(ordering: .relaxed)
        let outcome = submit(Array(repeating: 1, count: 50) + [0], comparing: 50)
        #expect(Record.comparisonCount.load(ordering: .relaxed) - before == 100)
        #expect(outcome == accepted(Array(repeating: true, count: 51)))
        #expect(ledger.state[99].number == 50 && ledger.lastChange == 51)
    }

    @Test func `tells of each action whether it has changed anything, where they are few`() {
        #expect(submit([1, 0, 1], comparing: 3) == accepted([true, false, true]))
    }

    @Test func `that leaves the state as it was changes nothing`() {
        #expect(submit([1, -1, 0], comparing: 2) == accepted([false, false, false]))
        #expect(ledger.version == 3 && ledger.lastChange == 0)
    }

    @Test func `of which one action is rejected leaves nothing behind`() {
        guard case .rejected(let index, let rejection) = submit([1, 10, 1], comparing: 0) else {
            Issue.record("It was taken.")
            return
        }
        #expect(index == 1 && rejection.code == "large")
        #expect(ledger.version == 0 && ledger.state[99].number == 0)
    }
}
