internal import CLinux
internal import Glibc

/// A thread of our own, detached, with a stack of a known size whatever `ulimit -s` says.
///
/// It takes no signals: they go to the process's other threads, and a write to a broken pipe is
/// an error here, not the end.
enum LoopThread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    static func start(
        name: String, stackByteCount: Int = EventLoop.defaultStackByteCount,
        _ run: @escaping @Sendable () -> Void
    ) {
        // Safety: the one retain made here is taken over by the thread.
        let body = unsafe Unmanaged.passRetained(Body(name: name, run: run))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let refusal = unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
        precondition(refusal == 0, "A stack of \(stackByteCount) bytes is too small, or uneven.")
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                var signals = sigset_t()
                unsafe sigfillset(&signals)
                unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
                if let argument = unsafe argument {
                    let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                    unsafe clinux_name_thread(body.name)
                    body.run()
                }
                return nil
            }, body.toOpaque())
        unsafe pthread_attr_destroy(&attributes)
        precondition(failure == 0, "A thread for an event loop cannot be started: \(failure).")
    }
}
