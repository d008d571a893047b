internal import Sockets

/// The door through which other threads reach the server's part on one loop, which is not
/// Sendable and never leaves it.
///
/// The jobs of one turn are done together at the end of a turn of the loop, in the order of
/// posting; only the first post wakes the loop.
struct LoopMailbox: Sendable {
    /// A piece of work for the server's part on the loop.
    typealias Job = @Sendable (LoopServer, isolated EventLoop) -> Void

    let loop: EventLoop
    private let jobs: Mailbox<Job>

    init(loop: EventLoop) {
        self.loop = loop
        jobs = Mailbox { loop.submit { _ in } }
    }

    /// Leaves a job; from any thread.
    func post(_ job: @escaping Job) {
        jobs.post(job)
    }

    /// No job was left.
    var isEmpty: Bool { jobs.isEmpty }

    /// Takes the jobs that were left.
    func takeAll() -> [Job] {
        jobs.takeAll()
    }
}
