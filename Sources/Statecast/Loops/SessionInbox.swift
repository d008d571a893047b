import Sockets
import Synchronization

/// The jobs that effects and the journal leave for the sessions of a loop, which runs them once a
/// turn.
final class SessionInbox: Sendable {
    /// A job to do on the loop, with the sessions at hand.
    typealias Work = @Sendable (SessionRegistry, isolated EventLoop) -> Void

    private let loop: EventLoop
    private let jobs = Lock<[Work]>([])
    private let hasJobs = Atomic<Bool>(false)

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Leaves a job, from any thread.
    func post(_ job: @escaping Work) {
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        hasJobs.store(true, ordering: .releasing)
        if isFirst { loop.submit { _ in } }
    }

    /// No job was left.
    var isEmpty: Bool {
        !hasJobs.load(ordering: .acquiring)
    }

    /// Takes the jobs that were left.
    func takeAll() -> [Work] {
        jobs.withLock { jobs in
            hasJobs.store(false, ordering: .relaxed)
            defer { jobs = [] }
            return jobs
        }
    }
}
