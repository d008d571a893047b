import Testing
import Threads

@Suite struct LockTests {
    private struct Failure: Error {}

    private final class Tally: Sendable {
        let count = Lock(0)
    }

    @Test func `additions of many tasks are all there`() async {
        let tally = Tally()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { tally.count.withLock { $0 += 1 } }
                }
            }
        }
        #expect(tally.count.withLock { $0 } == 8000)
    }

    @Test func `an error leaves the lock open and the value as it was changed`() {
        let tally = Tally()
        #expect(throws: Failure.self) {
            try tally.count.withLock { count throws(Failure) in
                count = 5
                throw Failure()
            }
        }
        #expect(tally.count.withLock { $0 } == 5)
    }
}
