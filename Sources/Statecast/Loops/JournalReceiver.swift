import HTTPServer
import Journaling

/// Brings the outcomes of a journal to the loop of their sessions.
final class JournalReceiver: AppendReceiver {
    private let inbox: LoopMailbox<SessionRegistry>

    init(inbox: LoopMailbox<SessionRegistry>) {
        self.inbox = inbox
    }

    func appended(_ outcomes: [TicketOutcome]) {
        inbox.post { registry, loop in registry.appended(outcomes, on: loop) }
    }
}
