import StatecastTesting
import Testing

@testable import Redux

@Suite struct `A chain from another session` {
    private enum Hop: Sendable, Equatable {
        case began, followed
    }

    /// Each action dispatches the next one, for ever.
    private func makeLedger(limit: Int) -> Ledger<Int, Hop> {
        var limits = StoreLimits()
        limits.chainLength = limit
        return Ledger(
            initial: 0, reducer: { count, _, _ in count += 1 },
            middleware: [Middleware("follow", effectsAfter: { _ in [.send(.followed)] })],
            environment: ManualClock().environment(), limits: limits)
    }

    private func chain(_ depth: Int) -> OuterChain { OuterChain(depth: depth, tally: ChainTally()) }

    private let time = Timestamp(milliseconds: 7)

    @Test(arguments: [(nil, 11), (0, 11), (3, 8), (9, 2), (10, 1)] as [(Int?, Int)])
    func `goes on where the other one was`(depth: Int?, count: Int) {
        let ledger = makeLedger(limit: 10)
        let outcome = ledger.submit(
            [.began], by: nil, at: time, after: depth.map { chain($0) }
        ) { _ in .kept }
        #expect(outcome == .accepted([.accepted(first: 1, last: 1, changed: true)]))
        #expect(ledger.state == count)
    }

    @Test func `leaves its dispatch an action from outside`() {
        let ledger = makeLedger(limit: 0)
        var entries: [Entry] = []
        _ = ledger.submit([.began, .began], by: Principal("a"), at: time, after: chain(4)) {
            entries += $0.entries.map(\.entry)
            return .kept
        }
        #expect(entries.map(\.cause) == [nil, nil])
        #expect(entries.map(\.origin) == [.server, .server])
        #expect(entries.map(\.by) == [Principal("a"), Principal("a")])
        #expect(entries.map(\.at) == [time, time])
    }

    @Test func `counts what it has led to, up to a limit`() {
        let tally = ChainTally()
        for _ in 0..<3 { #expect(tally.tryEnter(limit: 3)) }
        for _ in 0..<3 { #expect(!tally.tryEnter(limit: 3)) }
        #expect(tally.tryEnter(limit: 4))
        #expect(tally != ChainTally())
    }

    @Test func `is part of what its causes pass on, until one comes late`() {
        let outer = chain(5)
        let entry = Cause(version: 1, origin: .server, in: outer)
        #expect(entry.depth == 5)
        var next = Cause(version: 2, origin: .effect, after: entry)
        #expect(next.depth == 6)
        #expect(next.outer == outer)
        next.isLate = true
        #expect(Cause(version: 3, origin: .effect, after: next).outer == nil)
        #expect(next.ofUndecided.outer == nil)
    }
}
