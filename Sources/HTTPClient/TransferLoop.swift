internal import Curl

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
                job.continuation.resume(returning: .failure(.timedOut))
            }
            startWaiting()
            multi.perform()
            // What has ended made room: start the next before waiting.
            multi.wait(endDone() > 0 ? .zero : patience)
        }
        for job in inbox.withQueue({ $0.removeAll() }) {
            job.continuation.resume(returning: .failure(.shutDown))
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
        job.continuation.resume(returning: result)
    }
}
