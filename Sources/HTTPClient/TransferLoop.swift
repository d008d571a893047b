internal import Curl
internal import Threads

/// The thread's life: start and end transfers, wait.
///
/// Not Sendable: it is made on its thread and never leaves it.
final class TransferLoop {
    private let configuration: HTTPClientConfiguration
    private let inbox: Inbox
    private var multi: MultiHandle
    private var running: [UInt: Transfer] = [:]

    init(configuration: HTTPClientConfiguration, waker: MultiWaker, inbox: Inbox) {
        self.configuration = configuration
        self.inbox = inbox
        multi = MultiHandle(waker)
    }

    /// Returns when the inbox is closed and all jobs are answered.
    func run() {
        while true {
            let (cancelled, isClosed) = inbox.takeCancelled()
            for id in cancelled { cancel(id) }
            if isClosed { break }
            for job in inbox.withQueue({ $0.removeExpired(at: .now) }) {
                job.answer(.failure(.timedOut))
            }
            startWaiting()
            multi.perform()
            // What has ended made room: start the next before waiting.
            multi.wait(endDone() > 0 ? .zero : patience)
        }
        for job in inbox.withQueue({ $0.removeAll() }) {
            job.answer(.failure(.shutDown))
        }
        for transfer in running.values { abort(transfer, .shutDown) }
        inbox.finish()
    }

    private func cancel(_ id: UInt64) {
        if let transfer = running.values.first(where: { $0.job.id == id }) {
            abort(transfer, .cancelled)
        }
    }

    /// The time with nothing to do, unless something happens: until the first deadline in
    /// the queue. The deadlines of running transfers are libcurl's.
    private var patience: Duration {
        guard let deadline = inbox.withQueue({ $0.firstDeadline }) else { return .seconds(60) }
        return max(.zero, deadline - .now)
    }

    private func startWaiting() {
        while let job = inbox.withQueue({ $0.startNext() }) {
            do {
                let transfer = try Transfer(job, configuration: configuration)
                multi.add(transfer.easy)
                running[transfer.easy.id] = transfer
            } catch {
                answer(job, .failure(error))
            }
        }
    }

    /// Answers what libcurl has ended. Returns how many transfers that were.
    private func endDone() -> Int {
        var count = 0
        while let (id, failure) = multi.nextDone() {
            guard let transfer = running.removeValue(forKey: id) else { continue }
            count += 1
            multi.remove(transfer.easy)
            answer(transfer.job, transfer.result(failure))
        }
        return count
    }

    private func abort(_ transfer: Transfer, _ error: HTTPClientError) {
        running.removeValue(forKey: transfer.easy.id)
        multi.remove(transfer.easy)
        answer(transfer.job, .failure(error))
    }

    private func answer(_ job: TransferJob, _ result: TransferResult) {
        inbox.withQueue { $0.end(of: job.request.owner) }
        job.answer(result)
    }
}

/// The state that tasks and the thread share: the jobs that wait, and those that shall end.
final class Inbox: Sendable {
    private struct Content: Sendable {
        /// The jobs that wait, and how many run.
        var queue: TransferQueue
        /// Jobs that shall end though they run. Bounded: no more than two for each call.
        var cancelled: [UInt64] = []
        var isClosed = false
        var isDone = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let content: Lock<Content>
    private let waker: MultiWaker

    init(waker: MultiWaker, _ configuration: HTTPClientConfiguration) {
        self.waker = waker
        content = Lock(Content(queue: TransferQueue(configuration)))
    }

    // MARK: For tasks

    /// Enqueues the job, or answers it at once with `.overloaded`, `.ownerOverloaded` or
    /// `.shutDown`.
    func submit(_ job: TransferJob) {
        let refusal: HTTPClientError? = content.withLock { content in
            guard !content.isClosed else { return .shutDown }
            do throws(HTTPClientError) {
                try content.queue.enqueue(job)
                return nil
            } catch {
                return error
            }
        }
        if let refusal {
            job.answer(.failure(refusal))
        } else {
            waker.wake()
        }
    }

    /// Ends a job that waits, and asks for the end of one that runs; nothing happens if it is over
    /// or was refused.
    func cancel(_ id: UInt64, of owner: String?) {
        let job = content.withLock { content in
            let job = content.queue.remove(id, of: owner)
            if job == nil { content.cancelled.append(id) }
            return job
        }
        if let job { return job.answer(.failure(.cancelled)) }
        waker.wake()
    }

    /// Refuses all further jobs; the thread ends when it sees it.
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

    // MARK: For the thread

    /// The jobs that were cancelled since the last call, and whether no more jobs come.
    func takeCancelled() -> (ids: [UInt64], isClosed: Bool) {
        content.withLock { content in
            let ids = content.cancelled
            content.cancelled.removeAll(keepingCapacity: true)
            return (ids, content.isClosed)
        }
    }

    /// Calls `body` with the jobs that wait, and the count of those that run.
    func withQueue<Result>(_ body: (inout TransferQueue) -> Result) -> Result {
        content.withLock { body(&$0.queue) }
    }

    /// The thread's last word.
    func finish() {
        let waiting = content.withLock { content in
            content.isDone = true
            defer { content.waiting = [] }
            return content.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
