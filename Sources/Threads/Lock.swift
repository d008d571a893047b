public import Glibc

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
