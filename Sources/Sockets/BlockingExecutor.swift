internal import DequeModule

/// Runs code that blocks, the reading of files or a test's client for instance, on threads of its
/// own, so that it does not keep the few threads of Swift's pool from all others.
///
///     let disk = try BlockingExecutor(threadLimit: 2)
///     try await withTaskExecutorPreference(disk) { … }
///
/// The first thread is started with the executor, the others when all are busy. A thread that the
/// system refuses is done without: its work waits for those that run, so that every job is run
/// whatever the system has left. The queue of jobs is as long as the work that is given to the
/// executor: an executor may drop none, so its user bounds how much is under way.
package final class BlockingExecutor: TaskExecutor {
    private let workers: BlockingWorkers

    /// Starts the first thread; throws where the system refuses it.
    ///
    /// - Parameters:
    ///   - threadLimit: how many threads there are at most, 1 or more.
    ///   - faults: makes the starting of threads fail, in tests.
    package init(threadLimit: Int, faults: SystemCalls.Faults? = nil) throws(SystemError) {
        precondition(threadLimit >= 1, "An executor needs a thread.")
        workers = BlockingWorkers(limit: threadLimit, system: SystemCalls(faults: faults))
        try workers.startFirst()
    }

    deinit {
        workers.close()
    }

    /// The number of threads, busy or not.
    var threadCount: Int { workers.count }

    /// Hands a piece of a task to a thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        workers.enqueue(BlockingWork(job: UnownedJob(job), executor: self))
    }
}

/// A piece of a task, and the executor that it runs on, which it keeps alive.
private struct BlockingWork: Sendable {
    let job: UnownedJob
    let executor: BlockingExecutor

    func run() {
        // Safety: the job was given to the executor once and taken out of the queue once.
        unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }
}

/// The threads of a `BlockingExecutor` and what waits for them. A thread holds this, not the
/// executor, so that an executor that is let go ends its threads.
private final class BlockingWorkers: Sendable {
    private struct State: Sendable {
        var waiting: Deque<BlockingWork> = []
        var threadCount = 0
        /// Threads that look for work, or are about to.
        var idleCount = 0
        var isClosed = false
    }

    private let state = Monitor(State())
    private let limit: Int
    private let system: SystemCalls

    init(limit: Int, system: SystemCalls) {
        self.limit = limit
        self.system = system
    }

    var count: Int { state.withLock { $0.threadCount } }

    func startFirst() throws(SystemError) {
        state.withLock { $0.threadCount = 1 }
        try startThread()
    }

    func enqueue(_ work: BlockingWork) {
        let needsThread = state.withLock { state in
            state.waiting.append(work)
            guard state.waiting.count > state.idleCount, state.threadCount < limit else {
                return false
            }
            state.threadCount += 1
            return true
        }
        state.wakeOne()
        guard needsThread else { return }
        do throws(SystemError) {
            try startThread()
        } catch {
            // The threads that run take the work, and the next work asks for a thread again.
            state.withLock { $0.threadCount -= 1 }
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }

    private func startThread() throws(SystemError) {
        try system.startThread(name: "blocking") { [self] in
            while let work = next() { work.run() }
        }
    }

    private func next() -> BlockingWork? {
        state.withLock { $0.idleCount += 1 }
        return state.wait { state -> BlockingWork?? in
            if let work = state.waiting.popFirst() {
                state.idleCount -= 1
                return work
            }
            return state.isClosed ? .some(nil) : nil
        }
    }
}
