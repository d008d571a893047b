internal import Curl

/// What tasks tell the thread: the only state that both touch.
final class Inbox: Sendable {
    /// One message to the thread.
    enum Command: Sendable {
        case start(Job)
        case cancel(UInt64)
    }

    private struct Content: Sendable {
        /// Bounded: one start for each admitted job, and no more than two cancels.
        var commands: [Command] = []
        /// Jobs handed in and not yet answered.
        var admitted = 0
        var isClosed = false
        var isDone = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let content = Guarded(Content())
    private let waker: MultiWaker
    private let limit: Int

    /// `limit`: the most jobs that run and wait.
    init(waker: MultiWaker, limit: Int) {
        self.waker = waker
        self.limit = limit
    }

    /// Takes the job, or answers it at once with `.overloaded` or `.shutDown`.
    func submit(_ job: Job) {
        let refusal: HTTPClientError? = content.withLock { content in
            guard !content.isClosed else { return .shutDown }
            guard content.admitted < limit else { return .overloaded(limit: limit) }
            content.admitted += 1
            content.commands.append(.start(job))
            return nil
        }
        if let refusal {
            job.continuation.resume(returning: .failure(refusal))
        } else {
            waker.wake()
        }
    }

    /// Asks for the end of a job; nothing happens if it is over or was refused.
    func cancel(_ id: UInt64) {
        content.withLock { $0.commands.append(.cancel(id)) }
        waker.wake()
    }

    /// No more jobs; the thread ends when it sees it.
    func close() {
        content.withLock { $0.isClosed = true }
        waker.wake()
    }

    /// Closes, and returns when the thread has ended its work.
    func closeAndWait() async {
        await withCheckedContinuation { continuation in
            let isDone = content.withLock { content in
                content.isClosed = true
                if !content.isDone { content.waiting.append(continuation) }
                return content.isDone
            }
            if isDone { continuation.resume() } else { waker.wake() }
        }
    }

    /// For the thread: what has come since the last call, and whether it is the last.
    func take() -> (commands: [Command], isClosed: Bool) {
        content.withLock { content in
            let commands = content.commands
            content.commands.removeAll(keepingCapacity: true)
            return (commands, content.isClosed)
        }
    }

    /// For the thread: room for one more job.
    func release() {
        content.withLock { $0.admitted -= 1 }
    }

    /// For the thread: its last word.
    func finish() {
        let waiting = content.withLock { content in
            content.isDone = true
            defer { content.waiting = [] }
            return content.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
