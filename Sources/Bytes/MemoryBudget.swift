import Synchronization

/// The memory that a server's clients may hold in all: bounds that are each finite do not bound
/// their product.
///
/// Each loop tells what it holds now and then, roughly; large bytes that are shared count from their
/// making to their end. Beyond the limit a server takes no new sessions and no large bodies; before
/// that, from nine tenths on, it lets go of what it can make again.
package final class MemoryBudget: Sendable {
    /// The bytes that one loop holds.
    private final class Count: Sendable {
        let byteCount = Atomic<Int>(0)
    }

    /// The limit, in bytes.
    package let limit: Int
    private let accounts = Mutex(Accounts())
    /// The order of the accesses, which ThreadSanitizer sees here, and not in a mutex.
    private let order = Atomic<Bool>(false)
    private let counts: [Count]

    /// A budget for so many loops.
    package init(limit: Int, loopCount: Int) {
        precondition(loopCount >= 1, "A budget is for one loop at least.")
        self.limit = limit
        counts = (0..<Part.allCases.count * loopCount).map { _ in Count() }
    }

    /// Lends what each client has of what is the server's.
    package func withAccounts<Result: Sendable>(
        _ body: (inout Accounts) -> Result
    ) -> Result {
        accounts.withLock { accounts in
            _ = order.load(ordering: .acquiring)
            defer { order.store(true, ordering: .releasing) }
            return body(&accounts)
        }
    }

    /// The bytes that are held now.
    package var used: Int {
        counts.reduce(SharedBytes.largeByteCount) { sum, count in
            sum + count.byteCount.load(ordering: .relaxed)
        }
    }

    /// More is held than the limit: new sessions and large bodies are refused.
    package var isExceeded: Bool { used > limit }

    /// The scarcity of memory.
    package enum Scarcity: Sendable, Hashable {
        /// The limit is not reached.
        case none
        /// More is held than the limit.
        case exceeded
        /// A quarter more is held than the limit.
        case farExceeded
    }

    /// The scarcity of memory now.
    package var scarcity: Scarcity {
        let used = used
        guard used > limit else { return .none }
        return used - limit > limit / 4 ? .farExceeded : .exceeded
    }

    /// Something of so many bytes may be made: with it no more is held than the limit. What is small may
    /// always be.
    package func hasRoom(for byteCount: Int) -> Bool {
        byteCount < Self.largeByteCount || used + byteCount <= limit
    }

    private static let largeByteCount = 16 * 1024

    /// Nearly as much is held as the limit: what can be made again goes.
    package var isTight: Bool { used > limit / 10 * 9 }

    /// A part of the memory that a loop holds, told by its owner.
    package enum Part: Int, Sendable, CaseIterable {
        /// Requests that are incomplete or wait for their turn, and what open streams keep of theirs.
        case input
        /// Answers and events that find no room.
        case output
        /// States and what is kept beside them.
        case sessions
    }

    /// Takes over what one part of a loop holds.
    package func update(_ part: Part, of loop: Int, _ byteCount: Int) {
        count(part, loop).byteCount.store(byteCount, ordering: .relaxed)
    }

    /// Adds to what one part of a loop holds, between two updates; called on that loop.
    package func add(_ part: Part, of loop: Int, _ byteCount: Int) {
        count(part, loop).byteCount.add(byteCount, ordering: .relaxed)
    }

    private func count(_ part: Part, _ loop: Int) -> Count {
        counts[Part.allCases.count * loop + part.rawValue]
    }
}
