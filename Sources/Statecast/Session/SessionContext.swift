import HTTPServer
import Journaling
import Logging
import Sockets

/// What the sessions of one loop share.
final class SessionContext {
    let limits: SessionLimits
    let journal: any Journal
    let inbox: SessionInbox
    let logger: Logger
    /// Whether stores check their reducers.
    let checksReducers: Bool
    let diagnostics: DiagnosticLog
    var metrics = LoopMetrics()
    /// Where actions are decoded.
    let memory = ActionMemory()
    /// Where small bodies are written before they are sent.
    var scratch: [UInt8] = []

    private let lifecycle: ServerLifecycle
    private let loopIndex: Int

    init(
        limits: SessionLimits, journal: any Journal, inbox: SessionInbox, logger: Logger,
        checksReducers: Bool, lifecycle: ServerLifecycle, loopIndex: Int
    ) {
        self.checksReducers = checksReducers
        diagnostics = DiagnosticLog(logger: logger)
        self.lifecycle = lifecycle
        self.loopIndex = loopIndex
        self.limits = limits
        self.journal = journal
        self.inbox = inbox
        self.logger = logger
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
    var sessions = 0
    var watchers = 0
}
