package import Bytes
package import Journaling
package import Redux
package import StateCoding

/// The parts that the sessions of one loop share.
package final class SessionContext {
    package let limits: SessionLimits
    package let journal: any Journal
    /// The journal wants the bytes of entries.
    package let keepsEntries: Bool
    /// What a request has made and no client watches is kept for so long.
    package let cacheNanoseconds: Int64
    /// Another server may take a session over.
    package let isShared: Bool
    /// Makes names of selections and of clients' keys that last as long as the journal.
    package let hash: KeyedHash
    /// The memory of all clients together.
    package let budget: MemoryBudget
    package let loopIndex: Int
    /// The paths of the applications, in their order.
    package var mounts: [String] = []
    /// Of the applications' states, in their order, as far as one was measured.
    private var stateSizes: [StateSizes] = []
    /// The bodies of actions that were judged, and those of them that were refused.
    package var counts: (actions: Int, rejections: Int) { (actionCount, rejectionCount) }
    var actionCount = 0
    var rejectionCount = 0
    /// The streams that watch the sessions.
    package internal(set) var watcherCount = 0
    /// The stores that have gone to rest since unused memory was given back last.
    package var restedCount = 0
    /// The journal's way back to this loop.
    let receiver: any AppendReceiver
    let readClock: () -> Instant
    /// The time by which keys are old (`AgeClock`).
    package let readAge: () -> Timestamp
    /// Tells operators of a session in a sentence, and of what cannot be written.
    let report: (SessionID, String, EncodingFailure?) -> Void
    /// The memory in which actions are decoded.
    let memory = ActionMemory()
    /// The sessions that wait for an outcome of the journal, by the ticket of the batch.
    private var waiting: [UInt64: Session] = [:]
    /// Of the last batch: each has another one.
    var lastTicket: UInt64 = 0
    private var lastIncarnation: UInt64 = 0

    package init(
        limits: SessionLimits, journal: any Journal, receiver: any AppendReceiver,
        budget: MemoryBudget, loopIndex: Int, readClock: @escaping () -> Instant,
        readAge: @escaping () -> Timestamp = { Timestamp(milliseconds: .max) },
        report: @escaping (SessionID, String, EncodingFailure?) -> Void
    ) {
        self.limits = limits
        self.journal = journal
        (keepsEntries, isShared) = (journal.keepsEntries, journal.isShared)
        cacheNanoseconds =
            (keepsEntries ? Session.keptDuration : Session.cacheDuration).nanoseconds
        hash = journal.hash
        self.receiver = receiver
        self.budget = budget
        self.loopIndex = loopIndex
        self.readClock = readClock
        self.readAge = readAge
        self.report = report
    }

    // MARK: Numbers

    /// A number for a store, another one each time.
    package func makeIncarnation() -> UInt64 {
        lastIncarnation += 1
        return lastIncarnation
    }

    /// A state of the application at a place may have other bytes; see `StateSizes`.
    ///
    /// - Parameter counted: the bytes that are known of it.
    func resize(_ counted: inout UInt32, to next: Int, ofMount place: Int32) {
        while stateSizes.count <= place { stateSizes.append(StateSizes()) }
        stateSizes[Int(place)].change(from: Int(counted), to: next)
        counted = UInt32(clamping: next)
    }

    /// Of the states of each application, in their order, as far as one was measured.
    package func measureStates() -> [StateSizes.Figures] {
        stateSizes.indices.map { stateSizes[$0].figures() }
    }

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
