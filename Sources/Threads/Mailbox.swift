public import Synchronization

/// Messages that any thread leaves for the one that lives here.
///
/// Messages that are posted before the resident takes them are taken together, in the order of
/// posting; only the first of them rings.
@usableFromInline
package final class Mailbox<Message: Sendable>: Sendable {
    @usableFromInline let messages = Lock<[Message]>([])
    @usableFromInline let hasMessages = Atomic<Bool>(false)
    @usableFromInline let ring: @Sendable () -> Void

    /// An empty mailbox whose bell, rung on the thread of the first post, wakes the resident.
    @inlinable
    package init(ring: @escaping @Sendable () -> Void) {
        self.ring = ring
    }

    /// Leaves a message, from any thread.
    @inlinable
    package func post(_ message: Message) {
        let isFirst = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        hasMessages.store(true, ordering: .releasing)
        if isFirst { ring() }
    }

    /// Takes all messages out; without the lock where there are none.
    @inlinable
    package func takeAll() -> [Message] {
        guard hasMessages.load(ordering: .acquiring) else { return [] }
        return messages.withLock { messages in
            hasMessages.store(false, ordering: .relaxed)
            defer { messages = [] }
            return messages
        }
    }
}
