internal import CLinux
internal import Glibc

/// A thread of our own, detached, with a stack of a known size whatever `ulimit -s` says.
///
/// It takes no signals but those of its own faults: others go to the process's other threads, and a
/// write to a broken pipe or to a closed TLS connection is an error there, not the end of the process.
package enum NamedThread {
    /// The stack of a thread, unless another size is asked for.
    package static let defaultStackByteCount = 8 << 20

    /// Whoever handles a fault needs some stack, also where that of the thread is used up.
    private static let signalStackByteCount = 64 << 10

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs what may use up the stack of the thread that it is on.
    package static func withSignalStack<Value, Failure: Error>(
        _ run: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = unsafe withUnsafeTemporaryAllocation(
            byteCount: signalStackByteCount, alignment: 16
        ) { stack in
            let isNew = unsafe clinux_handle_signals_on(stack.baseAddress, stack.count)
            // A thread that goes on has no memory of this call's.
            defer { if isNew { clinux_handle_signals_on(nil, 0) } }
            return Result { () throws(Failure) in try run() }
        }
        return try result.get()
    }

    /// Starts a thread that runs the closure; a caller that needs to know its end has the closure
    /// report it.
    ///
    /// - Parameters:
    ///   - name: shown by a debugger, at most 15 bytes.
    ///   - stackByteCount: whole pages of memory.
    package static func start(
        name: String, stackByteCount: Int = defaultStackByteCount,
        _ run: @escaping @Sendable () -> Void
    ) throws(ThreadRefusal) {
        // Safety: the one retain made here is taken over by the thread, or released below where
        // there is none.
        let body = unsafe Unmanaged.passRetained(
            Body {
                unsafe clinux_name_thread(name)
                withSignalStack(run)
            })
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let refusal = unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
        precondition(refusal == 0, "A stack of \(stackByteCount) bytes is too small, or uneven.")
        let code = withoutSignals { unsafe create(&attributes, body.toOpaque()) }
        guard code == 0 else {
            unsafe body.release()
            throw ThreadRefusal(code: code)
        }
    }

    /// Blocks the signals of the calling thread meanwhile: a thread inherits the mask of the one that makes
    /// it, and none reaches it before it runs. Those of faults are not blocked: their handlers would not
    /// be called.
    private static func withoutSignals(_ body: () -> Int32) -> Int32 {
        var everything = sigset_t()
        unsafe sigfillset(&everything)
        for fault in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            unsafe sigdelset(&everything, fault)
        }
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_SETMASK, &everything, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    private static func create(
        _ attributes: inout pthread_attr_t, _ body: UnsafeMutableRawPointer
    ) -> Int32 {
        var thread = pthread_t()
        return unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body)
    }
}

/// A thread that the system refuses: `EAGAIN` at a limit of the user, of the container, or of
/// memory.
package struct ThreadRefusal: Error, Sendable, Hashable {
    /// The error number of `pthread_create(3)`.
    package let code: Int32
}

/// Runs each piece of a task on a thread of its own, so that the code of a test may block without
/// keeping the few threads of Swift's pool from all others.
package final class BlockingExecutor: TaskExecutor {
    /// The one of all tests.
    package static let shared = BlockingExecutor()

    package func enqueue(_ job: consuming ExecutorJob) {
        let work = UnownedJob(job)
        // Safety: the job is given once, and run once, here or there.
        let run = { @Sendable in
            unsafe work.runSynchronously(on: Self.shared.asUnownedTaskExecutor())
        }
        do throws(ThreadRefusal) {
            try NamedThread.start(name: "blocking", run)
        } catch {
            run()
        }
    }
}
