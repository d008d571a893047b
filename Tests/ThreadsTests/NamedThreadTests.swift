import Testing

@testable import Threads

@Suite struct NamedThreadTests {
    @Test func `a thread runs its closure once`() async throws {
        let ran = await withCheckedContinuation { continuation in
            do throws(ThreadRefusal) {
                try NamedThread.start(name: "one") { continuation.resume(returning: true) }
            } catch {
                continuation.resume(returning: false)
            }
        }
        #expect(ran)
    }

    @Test func `a thread that the system refuses is an error, and its closure is let go`() {
        final class Kept: Sendable {}
        weak var kept: Kept?
        do {
            let held = Kept()
            kept = held
            #expect(throws: ThreadRefusal.self) {
                // More than the address space has.
                try NamedThread.start(name: "huge", stackByteCount: 1 << 46) { _ = held }
            }
        }
        #expect(kept == nil)
    }
}
