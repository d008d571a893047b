import Sockets

/// The jobs that effects and the journal leave for the sessions of a loop, which runs them once a
/// turn.
struct SessionInbox: Sendable {
    /// A job to do on the loop, with the sessions at hand.
    typealias Work = @Sendable (SessionRegistry, isolated EventLoop) -> Void

    private let jobs: Mailbox<Work>

    init(loop: EventLoop) {
        jobs = Mailbox { loop.submit { _ in } }
    }

    /// Leaves a job, from any thread.
    func post(_ job: @escaping Work) {
        jobs.post(job)
    }

    /// No job was left.
    var isEmpty: Bool { jobs.isEmpty }

    /// Takes the jobs that were left.
    func takeAll() -> [Work] {
        jobs.takeAll()
    }
}
