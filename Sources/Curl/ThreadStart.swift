internal import CCurl
internal import Glibc

/// A thread that the system refuses: `EAGAIN` at a limit of the user, of the container, or of
/// memory.
package struct ThreadRefusal: Error, Sendable, Hashable {
    /// The error number of `pthread_create(3)`.
    package let code: Int
}

/// Runs `body` on a new thread, detached: a caller that needs to know its end has `body` report it.
///
/// Signals are blocked there, so that they reach the threads that wait for them, and a write to
/// a closed TLS connection does not end the process by SIGPIPE.
///
/// - Parameter stackByteCount: whole pages of memory.
package func startThread(
    name: String, stackByteCount: Int, _ body: @escaping @Sendable () -> Void
) throws(ThreadRefusal) {
    var everything = sigset_t()
    unsafe sigfillset(&everything)
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_SETMASK, &everything, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    let refusal = unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
    precondition(refusal == 0, "A stack of \(stackByteCount) bytes is too small, or uneven.")

    let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, body))
    var thread = pthread_t()
    let status = unsafe pthread_create(
        &thread, &attributes,
        { context in
            guard let context = unsafe context else { return nil }
            // `context` is the box retained above, which the thread takes over.
            let box = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
            unsafe ccurl_name_thread(box.name)
            box.body()
            return nil
        }, box.toOpaque())
    guard status == 0 else {
        unsafe box.release()
        throw ThreadRefusal(code: Int(status))
    }
    pthread_detach(thread)
}

/// What travels to the new thread.
private final class ThreadBody: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
