internal import CCurl
internal import Glibc

/// Runs `body` on a new thread, detached: whoever needs to know its end has `body` report it.
///
/// Signals are blocked there, so that they reach the threads that wait for them, and a write to
/// a closed TLS connection does not end the process by SIGPIPE.
public func startThread(name: String, _ body: @escaping @Sendable () -> Void) {
    var everything = sigset_t()
    unsafe sigfillset(&everything)
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_SETMASK, &everything, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

    let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, body))
    var thread = pthread_t()
    let status = unsafe pthread_create(
        &thread, nil,
        { context in
            guard let context = unsafe context else { return nil }
            // `context` is the box retained above; this is the one place that releases it.
            let box = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
            unsafe ccurl_name_thread(box.name)
            box.body()
            return nil
        }, box.toOpaque())
    precondition(status == 0, "no thread can be started: error \(status)")
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
