import HTTPServer
import Journaling
import Logging
import Redux
import Sessions
import Sockets

/// The parts that the server's side of one loop shares.
final class ServingContext {
    let sessions: SessionContext
    let inbox: LoopMailbox<SessionRegistry>
    /// The server's sessions, for the work of each.
    let handles: Sessions
    let logger: Logger
    /// Stores check their reducers.
    let checksReducers: Bool
    let diagnostics: DiagnosticLog
    let performer: StepPerformer
    var deadlines: SessionDeadlines {
        get { performer.deadlines }
        _modify { yield &performer.deadlines }
    }
    /// The values of sessions that handles read.
    let feeds = SessionFeeds()
    var metrics = LoopMetrics()
    /// The counts of each application's actions.
    private let counts: [ActionCounts]
    /// The parts that the stores of each mounted application share, by its name.
    var applications: [String: AnyObject] = [:]
    /// The stores of which work has ended that a version has led to, and nobody was told.
    var settled: [(mount: String, id: SessionID, incarnation: UInt64)] = []
    private let lifecycle: ServerLifecycle

    init(
        _ configuration: ServerConfiguration, inbox: LoopMailbox<SessionRegistry>,
        handles: Sessions, budget: MemoryBudget,
        lifecycle: ServerLifecycle, loopIndex: Int
    ) {
        let logger = configuration.logger
        self.inbox = inbox
        self.handles = handles
        self.logger = logger
        self.lifecycle = lifecycle
        counts = lifecycle.actions.makeCounts()
        checksReducers = configuration.checksReducers
        diagnostics = DiagnosticLog(logger: logger)
        performer = StepPerformer(limits: configuration.sessionLimits, at: .read())
        sessions = SessionContext(
            limits: configuration.sessionLimits, journal: configuration.journal,
            receiver: JournalReceiver(inbox: inbox), budget: budget, loopIndex: loopIndex,
            readClock: { .read() }, report: { id, report in Self.log(report, of: id, to: logger) })
    }

    /// The counts of an application's actions.
    ///
    /// - Parameter name: the application's: `/counter`, or nothing for the root.
    func counts(ofMount name: String) -> ActionCounts {
        counts[lifecycle.actions.place(ofMount: name)]
    }

    private static func log(
        _ report: SessionContext.Report, of id: SessionID, to logger: Logger
    ) {
        switch report {
        case .frozen(let reason):
            logger.error("A session is frozen: \(reason)", metadata: ["session": "\(id)"])
        case .notEncodable(let failure):
            logger.error(
                "An action or its state cannot be written as JSON: \(failure.detail)",
                metadata: ["session": "\(id)", "pointer": "\(failure.pointer)"])
        case .viewNotEncodable(let name, let failure):
            let view = name.map { "The view \"\($0)\"" } ?? "The view of the state"
            logger.error(
                "\(view) cannot be written as JSON, and shows nothing: \(failure.detail)",
                metadata: ["session": "\(id)", "pointer": "\(failure.pointer)"])
        }
    }

    /// Tells the other loops what this one has counted.
    func publishMetrics(on loop: isolated EventLoop) {
        metrics.batchedSends = loop.batchedSendCount
        metrics.batchedReceives = loop.batchedReceiveCount
        metrics.submissions = sessions.actionCount
        metrics.rejections = sessions.rejectionCount
        metrics.events = performer.eventCount
        lifecycle.update(sessions.loopIndex, metrics)
        lifecycle.actions.update(sessions.loopIndex, counts)
    }

    /// The wall clock.
    func now() -> Timestamp { Timestamp(milliseconds: Instant.readWallClock()) }
}
