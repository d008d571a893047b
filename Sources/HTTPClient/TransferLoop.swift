internal import Curl

/// The thread's life: take commands, start and end transfers, wait.
///
/// Not Sendable: it is made on its thread and never leaves it.
final class TransferLoop {
    private let configuration: HTTPClientConfiguration
    private let inbox: Inbox
    private var multi: MultiHandle
    private var waiting: [Job] = []
    private var running: [UInt: Transfer] = [:]

    init(configuration: HTTPClientConfiguration, waker: MultiWaker, inbox: Inbox) {
        self.configuration = configuration
        self.inbox = inbox
        multi = MultiHandle(waker)
    }

    /// Returns when the inbox is closed and all jobs are answered.
    func run() {
        while true {
            let (commands, isClosed) = inbox.take()
            for command in commands { obey(command) }
            if isClosed { break }
            expireWaiting()
            startWaiting()
            multi.perform()
            endDone()
            // What has ended made room: start the next before waiting.
            multi.wait(canStart ? .zero : patience)
        }
        for job in waiting { answer(job, .failure(.shutDown)) }
        waiting = []
        for transfer in running.values { abort(transfer, .shutDown) }
        inbox.finish()
    }

    private func obey(_ command: Inbox.Command) {
        switch command {
        case .start(let job):
            waiting.append(job)
        case .cancel(let id):
            if let index = waiting.firstIndex(where: { $0.id == id }) {
                answer(waiting.remove(at: index), .failure(.cancelled))
            } else if let transfer = running.values.first(where: { $0.job.id == id }) {
                abort(transfer, .cancelled)
            }
        }
    }

    private var canStart: Bool {
        !waiting.isEmpty && running.count < configuration.transferLimit
    }

    /// How long there is nothing to do, unless something happens: until the first deadline in
    /// the queue. The deadlines of running transfers are libcurl's.
    private var patience: Duration {
        guard let deadline = waiting.map(\.deadline).min() else { return .seconds(60) }
        return max(.zero, deadline - .now)
    }

    private func expireWaiting() {
        guard !waiting.isEmpty else { return }
        let now = ContinuousClock.now
        for job in waiting where job.deadline <= now { answer(job, .failure(.timedOut)) }
        waiting.removeAll { $0.deadline <= now }
    }

    private func startWaiting() {
        while canStart {
            let job = waiting.removeFirst()
            do {
                let transfer = try Transfer(job, configuration: configuration)
                multi.add(transfer.easy)
                running[transfer.easy.id] = transfer
            } catch {
                answer(job, .failure(error))
            }
        }
    }

    private func endDone() {
        while let (id, failure) = multi.nextDone() {
            guard let transfer = running.removeValue(forKey: id) else { continue }
            multi.remove(transfer.easy)
            answer(transfer.job, transfer.result(failure))
        }
    }

    private func abort(_ transfer: Transfer, _ error: HTTPClientError) {
        running.removeValue(forKey: transfer.easy.id)
        multi.remove(transfer.easy)
        answer(transfer.job, .failure(error))
    }

    private func answer(_ job: Job, _ result: TransferResult) {
        inbox.release()
        job.continuation.resume(returning: result)
    }
}
