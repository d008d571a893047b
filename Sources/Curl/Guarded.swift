internal import Glibc

/// A value that one thread at a time can touch.
///
/// What `Synchronization.Mutex` does, over a POSIX mutex, because ThreadSanitizer does not see
/// that one's futex on Linux and would report every use as a race: here it can tell.
///
/// Sendable though it holds mutable state: `value` is touched between lock and unlock only.
@safe package final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Holds the value from now on.
    package init(_ value: Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread is inside. Must not be called from within itself.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
