/// Runs code that blocks, a test's client for instance, each piece of it on a thread of its own,
/// so that it does not keep the few threads of Swift's pool from everybody else.
///
///     try await withTaskExecutorPreference(BlockingExecutor.shared) { … }
public final class BlockingExecutor: TaskExecutor {
    /// The only one that is needed: it has no state.
    public static let shared = BlockingExecutor()

    /// Starts a thread for a piece of a task.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        LoopThread.start(name: "blocking") {
            // Safety: the job is run exactly once, here.
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
