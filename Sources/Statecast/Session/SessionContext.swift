import HTTPServer
import Journaling
import Logging
import Sockets

/// What the sessions of one loop share.
final class SessionContext {
    let limits: SessionLimits
    let journal: any Journal
    let inbox: SessionInbox
    /// The memory of all clients together.
    let budget: MemoryBudget
    let logger: Logger
    /// Whether stores check their reducers.
    let checksReducers: Bool
    let diagnostics: DiagnosticLog
    var metrics = LoopMetrics()
    /// Where actions are decoded.
    let memory = ActionMemory()
    /// Where small bodies are written before they are sent.
    var scratch: [UInt8] = []
    /// The sessions that wait for an outcome of the journal, by its ticket.
    var tickets: [UInt64: Session] = [:]
    /// The sessions that have to be opened again.
    var doubtful: [Session] = []
    /// The sessions that another server has taken over.
    var lost: [Session] = []
    /// The journal's way back to this loop.
    let receiver: JournalReceiver
    private var lastTicket: UInt64 = 0
    private var lastIncarnation: UInt64 = 0

    private let lifecycle: ServerLifecycle
    let loopIndex: Int

    init(
        limits: SessionLimits, journal: any Journal, inbox: SessionInbox, budget: MemoryBudget,
        logger: Logger, checksReducers: Bool, lifecycle: ServerLifecycle, loopIndex: Int
    ) {
        self.checksReducers = checksReducers
        diagnostics = DiagnosticLog(logger: logger)
        self.lifecycle = lifecycle
        self.loopIndex = loopIndex
        self.limits = limits
        self.journal = journal
        self.inbox = inbox
        self.budget = budget
        self.logger = logger
        receiver = JournalReceiver(inbox: inbox)
    }

    /// A ticket for a batch of entries, another one each time.
    func makeTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// A number for a store, another one each time.
    func makeIncarnation() -> UInt64 {
        lastIncarnation += 1
        return lastIncarnation
    }

    /// Tells the other loops what this one has counted.
    func publishMetrics(on loop: isolated EventLoop) {
        metrics.batchedSends = loop.batchedSendCount
        lifecycle.update(loopIndex, metrics)
    }

    /// The wall clock.
    func now() -> Timestamp {
        Timestamp(milliseconds: Instant.readWallClock())
    }
}

/// What one loop has counted.
struct LoopMetrics: Sendable {
    var requests = 0
    var actions = 0
    var rejections = 0
    var events = 0
    var batchedSends = 0
    var slowTurns = 0
    var sessions = 0
    var watchers = 0
}

/// Brings the outcomes of a journal to the loop of their sessions.
final class JournalReceiver: AppendReceiver {
    private let inbox: SessionInbox

    init(inbox: SessionInbox) {
        self.inbox = inbox
    }

    func appended(_ outcomes: [TicketOutcome]) {
        inbox.post { registry, loop in registry.appended(outcomes, on: loop) }
    }
}
