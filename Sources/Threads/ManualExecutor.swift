/// Keeps the pieces of tasks until somebody runs them, one by one, on their own thread: a test that
/// runs them until none is left knows that nothing is under way.
///
/// First come, first run. What a piece starts or wakes comes behind what waits already. Child
/// tasks, and the actors that they call, stay on the executor; a bare `Task { … }` does not.
package final class ManualExecutor: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])

    /// With nothing to run.
    package init() {}

    /// Keeps a piece of a task until its turn.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs the piece that has waited longest; false where none waits.
    package func runNext() -> Bool {
        guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        // Safety: the job was taken from the queue just now, and is run exactly once, here.
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
