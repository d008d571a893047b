internal import Sockets
internal import Synchronization

/// The way of other threads to the server's part on one loop, which is not Sendable and never
/// leaves it.
///
/// What is posted in one turn is carried out together at the end of a turn of the loop, in the
/// order of posting; only the first post wakes the loop.
final class LoopMailbox: Sendable {
    /// A piece of work for the server's part on the loop.
    typealias Job = @Sendable (LoopServer, isolated EventLoop) -> Void

    let loop: EventLoop
    private let jobs = Lock<[Job]>([])
    private let hasJobs = Atomic<Bool>(false)

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Leaves a job; from any thread.
    func post(_ job: @escaping Job) {
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        hasJobs.store(true, ordering: .releasing)
        if isFirst { loop.submit { _ in } }
    }

    var isEmpty: Bool {
        !hasJobs.load(ordering: .acquiring)
    }

    /// Takes what was left.
    func takeAll() -> [Job] {
        jobs.withLock { jobs in
            hasJobs.store(false, ordering: .relaxed)
            defer { jobs = [] }
            return jobs
        }
    }
}
