import Dispatch

/// Runs a test's own code on threads that may block, so that clients that wait do not keep the
/// few threads of Swift's pool from everybody else.
final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global().async {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
