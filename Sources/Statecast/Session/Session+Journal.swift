import HTTPMessages
import HTTPServer
import Journaling
import Logging
import Sockets

extension Session {
    /// Hands what is decided and not yet handed over to the journal.
    func journalUncommitted(_ context: SessionContext, on loop: isolated EventLoop) {
        let first = max(journaled, store.version) + 1
        guard store.headVersion >= first else { return }
        do throws(EncodingFailure) {
            let entries = try store.entries(after: first - 1, at: context.now())
            journaled = store.headVersion
            let last = journaled
            let (id, epoch) = (id, epoch)
            let inbox = context.inbox
            let mount = mountName
            context.journal.append(
                JournalBatch(session: "\(mount)/\(id)", first: first, entries: entries)
            ) { outcome in
                inbox.post { registry, loop in
                    registry.journaled(
                        mount, id, epoch: epoch, through: last, outcome, on: loop)
                }
            }
        } catch {
            store.revert()
            freeze("An action cannot be written as JSON: \(error.detail)", context, on: loop)
        }
    }

    /// The journal has answered for everything up to a version. False where the session cannot go
    /// on: nobody knows what was kept.
    func journalAnswered(
        _ outcome: AppendOutcome, through version: UInt64, _ context: SessionContext,
        on loop: isolated EventLoop
    ) -> Bool {
        switch outcome {
        case .durable:
            store.commit(through: version)
            if store.stageFollowUps() { journalUncommitted(context, on: loop) }
            publish(context, on: loop)
            answerCommitted(context, on: loop)
            return true
        case .failed where journaled == version:
            store.revert()
            journaled = store.version
            refuseUncommitted(.journalUnavailable, on: loop)
            return true
        case .failed, .unknown:
            // What follows may be kept or not: only the journal knows, so the session is over here.
            return false
        }
    }

    private func answerCommitted(_ context: SessionContext, on loop: isolated EventLoop) {
        while let held = uncommitted.first, held.version <= store.version {
            uncommitted.removeFirst()
            answer(held.result, held.request, context, on: loop)
        }
    }

    /// Answers all who wait for the journal.
    func refuseUncommitted(_ problem: ProblemDetails, on loop: isolated EventLoop) {
        let refused = uncommitted
        uncommitted = []
        for held in refused {
            if let key = held.request.key { idempotency.remove(key) }
            held.request.exchange.respond(problem, on: loop) { $0.field("Retry-After", "1") }
        }
    }

    /// Nothing is accepted any more; what was committed can still be read.
    func freeze(_ reason: String, _ context: SessionContext, on loop: isolated EventLoop) {
        guard frozen == nil else { return }
        frozen = reason
        context.logger.error("A session is frozen: \(reason)", metadata: ["session": "\(id)"])
        store.cancelEffects()
    }
}
