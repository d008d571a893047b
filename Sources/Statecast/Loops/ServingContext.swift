import HTTPServer
import Journaling
import Logging
import Redux
import Sessions
import Sockets

/// The parts that the server's side of one loop shares.
final class ServingContext {
    /// Those of all loops.
    let shared: ServerParts
    let sessions: SessionContext
    let inbox: LoopMailbox<SessionRegistry>
    /// The server's sessions, for the work of each.
    let handles: Sessions
    var logger: Logger { shared.configuration.logger }
    let diagnostics: DiagnosticLog
    let performer: StepPerformer
    /// Where it is noted what is reduced; nil: nowhere.
    let reducing: CrashPage.LastActions?
    /// The values of sessions that handles read.
    let feeds = SessionFeeds()
    var metrics: LoopMetrics
    /// By itself, as the run time checks each access to the metrics.
    var requestCount = 0
    /// The parts that the stores of each mounted application share, by its name.
    var applications: [String: (context: AnyObject, counts: ActionCounts)] = [:]
    /// The stores of which work has ended that a version has led to, and nobody was told.
    var settled: [(mount: String, id: SessionID, incarnation: UInt64)] = []

    init(_ shared: ServerParts, on loop: isolated EventLoop) {
        let (configuration, logger) = (shared.configuration, shared.configuration.logger)
        inbox = shared.directory.inbox(of: loop)
        handles = Sessions(shared.directory)
        self.shared = shared
        metrics = LoopMetrics(shared.table)
        reducing = shared.crashPage.withLock { $0?.part(of: loop.index) }
        diagnostics = DiagnosticLog(logger: logger)
        performer = StepPerformer(limits: configuration.sessionLimits)
        let lead = configuration.journal.status.lead
        sessions = SessionContext(
            limits: configuration.sessionLimits, journal: configuration.journal,
            receiver: JournalReceiver(inbox: inbox), budget: shared.lifecycle.budget,
            loopIndex: loop.index,
            readClock: { .read() },
            readAge: { Timestamp(milliseconds: Instant.readAgeClock(lead: lead)) },
            report: { id, sentence, failure in
                var metadata: Logger.Metadata = ["session": "\(id)"]
                if let failure {
                    metadata["pointer"] = "\(StateDiff.escaped("\(failure.pointer)"))"
                }
                let detail = failure.map { ": \(StateDiff.escaped($0.detail))" } ?? ""
                logger.error("\(sentence)\(detail)", metadata: metadata)
            })
        sessions.mounts = shared.mounts.map(\.name)
    }

    /// Tells the other loops what this one has counted.
    func publishMetrics(on loop: isolated EventLoop) {
        metrics.batchedSends = loop.batchedSendCount
        metrics.batchedReceives = loop.batchedReceiveCount
        metrics.requests = requestCount
        (metrics.submissions, metrics.rejections) = sessions.counts
        metrics.events = performer.eventCount
        metrics.joinedEvents = performer.joinedCount
        metrics.states = sessions.measureStates()
        shared.lifecycle.update(
            sessions.loopIndex, metrics, applications.mapValues(\.counts.cells))
    }

    /// The wall clock.
    func now() -> Timestamp { Timestamp(milliseconds: Instant.readWallClock()) }
}

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
