package import Redux
package import Accounting
package import Journaling
package import StateCoding

/// The parts that the sessions of one loop share.
package final class SessionContext {
    /// An event in a session that its operator wants to know of.
    package enum Report {
        /// Nothing is accepted any more, for this reason.
        case frozen(String)
        /// An action or a state cannot be written as JSON.
        case notEncodable(EncodingFailure)
        /// What a view shows cannot be written as JSON; the view of no name stands for the state.
        case viewNotEncodable(name: String?, EncodingFailure)
    }

    package let limits: SessionLimits
    package let journal: any Journal
    /// The memory of all clients together.
    package let budget: MemoryBudget
    package let loopIndex: Int
    /// The bodies of actions that were judged, and those of them that were refused.
    package var actionCount: Int { judgedCount }
    package var rejectionCount: Int { refusedCount }
    /// The streams that watch the sessions.
    package internal(set) var watcherCount = 0
    /// The stores that have gone to rest since unused memory was given back last.
    package var restedCount = 0
    /// The journal's way back to this loop.
    let receiver: any AppendReceiver
    let readClock: () -> Instant
    let report: (SessionID, Report) -> Void
    /// The memory in which actions are decoded.
    let memory = ActionMemory()
    /// The sessions that wait for an outcome of the journal, by the ticket of the batch.
    private var waiting: [UInt64: Session] = [:]
    private var lastTicket: UInt64 = 0
    private var lastIncarnation: UInt64 = 0
    private var judgedCount = 0
    private var refusedCount = 0

    package init(
        limits: SessionLimits, journal: any Journal, receiver: any AppendReceiver,
        budget: MemoryBudget, loopIndex: Int, readClock: @escaping () -> Instant,
        report: @escaping (SessionID, Report) -> Void
    ) {
        self.limits = limits
        self.journal = journal
        self.receiver = receiver
        self.budget = budget
        self.loopIndex = loopIndex
        self.readClock = readClock
        self.report = report
    }

    // MARK: Numbers

    /// A number for a batch of entries, another one each time.
    func makeBatchTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// A ticket for a request, another one each time.
    func makeTicket() -> Ticket { Ticket(number: makeBatchTicket()) }

    /// A number for a store, another one each time.
    package func makeIncarnation() -> UInt64 {
        lastIncarnation += 1
        return lastIncarnation
    }

    func countAction() { judgedCount += 1 }
    func countRejection() { refusedCount += 1 }

    // MARK: Sessions

    /// A session waits for the outcome of a batch.
    func await(_ ticket: UInt64, for session: Session) {
        precondition(waiting[ticket] == nil, "A batch's ticket is given once.")
        waiting[ticket] = session
    }

    /// The journal has answered for a batch: its session takes that over.
    ///
    /// - Returns: the session, which may have to do something now.
    package func appended(_ outcome: TicketOutcome) -> Session? {
        guard let session = waiting.removeValue(forKey: outcome.ticket), !session.isEnded else {
            return nil
        }
        session.appended(outcome)
        return session
    }
}
