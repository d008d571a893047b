import Sockets
import Testing

@testable import Statecast

@Suite struct `The table of idempotency keys` {
    private func entry(_ fingerprint: UInt64, at seconds: Int64) -> IdempotencyTable.Entry {
        .init(
            fingerprint: fingerprint, madeAt: Instant(nanoseconds: seconds * 1_000_000_000),
            answer: nil)
    }

    @Test func `forgets the oldest where there are too many`() {
        var limits = SessionLimits()
        limits.idempotencyKeyCount = 2
        var table = IdempotencyTable()
        for (index, key) in ["a", "b", "c"].enumerated() {
            table.insert(key, entry(UInt64(index), at: 0), limits)
        }
        #expect(table.entry("a") == nil)
        #expect(table.entry("b")?.fingerprint == 1)
        #expect(table.entry("c")?.fingerprint == 2)
    }

    @Test func `forgets what is too old`() {
        var limits = SessionLimits()
        limits.idempotencyDuration = .seconds(10)
        var table = IdempotencyTable()
        table.insert("a", entry(1, at: 0), limits)
        table.insert("b", entry(2, at: 9), limits)
        #expect(table.entry("a") != nil)
        table.insert("c", entry(3, at: 10), limits)
        #expect(table.entry("a") == nil)
        #expect(table.entry("b") != nil)
    }

    @Test func `forgets what was not kept`() {
        var table = IdempotencyTable()
        table.insert("a", entry(1, at: 0), SessionLimits())
        table.remove("a")
        #expect(table.entry("a") == nil)
    }
}
