package import Sockets

/// The door through which other threads reach an object that lives on one loop, is not Sendable
/// and never leaves it.
///
/// The jobs that are left in one turn are done together at the end of a turn of the loop, in the
/// order of posting; only the first post wakes the loop.
package struct LoopMailbox<Resident>: Sendable {
    /// A piece of work for the resident, on its loop.
    package typealias Job = @Sendable (Resident, isolated EventLoop) -> Void

    package let loop: EventLoop
    private let jobs: Mailbox<Job>

    package init(loop: EventLoop) {
        self.loop = loop
        jobs = Mailbox { loop.submit { _ in } }
    }

    /// Leaves a job; from any thread.
    package func post(_ job: @escaping Job) {
        jobs.post(job)
    }

    /// No job was left.
    package var isEmpty: Bool { jobs.isEmpty }

    /// Takes the jobs that were left.
    package func takeAll() -> [Job] {
        jobs.takeAll()
    }
}
