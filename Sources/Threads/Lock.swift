package import Bytes
public import Glibc
public import Synchronization

/// A value that one thread at a time reaches, behind a `pthread_mutex_t`.
///
/// Not `Synchronization.Mutex`, whose locking ThreadSanitizer cannot see on Linux: it reports
/// every second access as a race, and a run of it would say nothing.
///
/// Safety: the value is initialized here, reached only between lock and unlock (here and in
/// `Monitor`), and ended with its owner, of which there is one; being Sendable, it may be reached
/// by several threads in turn.
@usableFromInline @safe package struct Lock<Value: Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @inlinable
    package init(_ initial: Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe value = .allocate(capacity: 1)
        let failure = unsafe pthread_mutex_init(mutex, nil)
        precondition(failure == 0, "A mutex of the default kind can always be made.")
        unsafe value.initialize(to: initial)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value while no other thread has it. Must not be nested.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe try body(&value.pointee)
    }
}

/// A value behind a `Lock`, and threads that sleep until it is as they need it.
///
/// Safety: the value is reached only between lock and unlock, as in `Lock`; the condition variable
/// is initialized here and ended with its owner, of which there is one.
@safe package struct Monitor<Value: Sendable>: ~Copyable, @unchecked Sendable {
    private let lock: Lock<Value>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init(_ initial: Value) {
        lock = Lock(initial)
        unsafe condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        defer { unsafe pthread_condattr_destroy(&attributes) }
        let failure = unsafe pthread_cond_init(condition, &attributes)
        precondition(
            failure == 0, "A condition variable on the monotonic clock can always be made.")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
    }

    /// Calls `body` with the value while no other thread has it. Must not be nested. Threads that
    /// wait for the change are woken by `wakeOne` or `wakeAll`.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock(body)
    }

    /// Has one of the threads that wait look at the value again.
    package func wakeOne() {
        unsafe pthread_cond_signal(condition)
    }

    /// Has all threads that wait look at the value again.
    package func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }

    /// As `wait(for:)`, at most until `deadline`; nil where it has come before an answer.
    package func wait<Result>(
        until deadline: Instant, for body: (inout Value) -> Result?
    ) -> Result? {
        let (seconds, rest) = deadline.nanoseconds.quotientAndRemainder(
            dividingBy: 1_000_000_000)
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        unsafe pthread_mutex_lock(lock.mutex)
        defer { unsafe pthread_mutex_unlock(lock.mutex) }
        while true {
            if let result = unsafe body(&lock.value.pointee) { return result }
            guard unsafe pthread_cond_timedwait(condition, lock.mutex, &time) == 0 else {
                return unsafe body(&lock.value.pointee)
            }
        }
    }

    /// Blocks the calling thread until `body`, called with the value each time the thread is woken,
    /// answers something.
    package func wait<Result>(for body: (inout Value) -> Result?) -> Result {
        unsafe pthread_mutex_lock(lock.mutex)
        defer { unsafe pthread_mutex_unlock(lock.mutex) }
        while true {
            // Each look is an access of its own: others change the value while this thread sleeps.
            if let result = unsafe body(&lock.value.pointee) { return result }
            unsafe pthread_cond_wait(condition, lock.mutex)
        }
    }
}

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
