import HTTPMessages
import HTTPServer
import Logging
import Sockets

/// The own routes of a server, on one loop: hands requests to their handlers, which run in Swift's
/// pool, and gives the answers back.
final class RoutesResource {
    /// A request, and who sends it.
    struct Call {
        let head: RequestHead
        let body: Range<Int>
        let exchange: Exchange
        let principal: Principal?
    }

    private let table: RouteTable
    private let tally: RouteTally
    private let sessions: Sessions
    private let limits: RouteLimits
    private let logger: Logger
    private let inbox: LoopMailbox<RoutesResource>
    /// The requests whose handlers run for a client that is there.
    private var runs: [UInt64: RouteRun] = [:]
    private var lastNumber: UInt64 = 0

    init(
        _ table: RouteTable, _ tally: RouteTally, _ sessions: Sessions,
        _ configuration: ServerConfiguration,
        on loop: EventLoop
    ) {
        self.table = table
        self.tally = tally
        self.sessions = sessions
        limits = configuration.routeLimits
        logger = configuration.logger
        inbox = LoopMailbox(loop: loop)
    }

    /// Has the handler of a place answer; throws where it cannot be asked.
    func handle(
        _ call: Call, at place: Int, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemAnswer) {
        let place = table[place]
        guard let entry = place.entry(for: call.head.method) else {
            throw .methodNotAllowed(allow: place.allowedMethods)
        }
        let request = try RouteRequest(
            call.head, in: bytes, body: call.body, to: entry.route, at: place.path,
            by: call.principal, from: call.exchange.remoteAddress, sessions)
        guard tally.enter(entry.number) == .entered else {
            throw ProblemAnswer(.tooManyRoutesRunning)
        }
        lastNumber += 1
        let number = lastNumber
        let task = Self.start(entry, request, tally, logger) { [inbox] outcome in
            inbox.post { resource, loop in resource.end(number, with: outcome, on: loop) }
        }
        let run = RouteRun(number, call.exchange, task, of: self)
        runs[number] = run
        run.hold(for: limits.duration, on: loop)
    }

    /// Runs a handler in the pool; its run cancels it.
    private static func start(
        _ entry: RoutePlace.Entry, _ request: RouteRequest, _ tally: RouteTally, _ logger: Logger,
        _ end: @escaping @Sendable (RouteOutcome) -> Void
    ) -> Task<Void, Never> {
        Task {
            let outcome = await RouteOutcome.running(entry.route, request, logger: logger)
            tally.leave(entry.number, hasFailed: outcome.isFailure)
            end(outcome)
        }
    }

    /// Gives the answers of the handlers that have ended.
    func takeMessages(on loop: isolated EventLoop) {
        guard !inbox.isEmpty else { return }
        for job in inbox.takeAll() { job(self, loop) }
    }

    private func end(
        _ number: UInt64, with outcome: RouteOutcome, on loop: isolated EventLoop
    ) {
        runs.removeValue(forKey: number)?.end(with: outcome, on: loop)
    }

    /// No one waits for the handler of this run any more.
    func forget(_ number: UInt64) {
        runs[number] = nil
    }
}
