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

    /// Starts a thread that runs the closure. Throws a `SystemError` that names the thread where
    /// the system refuses one (`EAGAIN`: a limit of the user, of the container or of memory).
    ///
    /// - Parameters:
    ///   - name: what a debugger shows, at most 15 bytes.
    ///   - stackByteCount: whole pages of memory.
    static func start(
        name: String, stackByteCount: Int = EventLoop.defaultStackByteCount,
        system: SystemCalls = SystemCalls(), _ run: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        // Safety: the one retain made here is taken over by the thread, or released below where
        // there is none.
        let body = unsafe Unmanaged.passRetained(Body(name: name, run: run))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let refusal = unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
        precondition(refusal == 0, "A stack of \(stackByteCount) bytes is too small, or uneven.")
        do throws(SystemError) {
            try system.check(.startThread, subject: name) {
                unsafe create(&attributes, body.toOpaque())
            }
        } catch {
            unsafe body.release()
            throw error
        }
    }

    /// 0, or -1 with `errno` set.
    private static func create(
        _ attributes: inout pthread_attr_t, _ body: UnsafeMutableRawPointer
    ) -> Int {
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
            }, body)
        errno = failure
        return failure == 0 ? 0 : -1
    }
}
