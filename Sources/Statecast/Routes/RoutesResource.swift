import HTTPMessages
import HTTPServer
import Logging
import Redux
import Sockets

/// The own routes of a server, on one loop: hands requests to their handlers, which run in Swift's
/// pool, and gives the answers back.
final class RoutesResource {
    private let shared: ServerParts
    private let inbox: LoopMailbox<RoutesResource>
    /// The requests whose handlers run for a client that is there.
    private var runs: [UInt64: (exchange: Exchange, held: Held)] = [:]
    private var lastNumber: UInt64 = 0

    init(_ shared: ServerParts, on loop: EventLoop) {
        self.shared = shared
        inbox = LoopMailbox(loop: loop)
    }

    /// Has the handler of a route answer; throws where it cannot be asked.
    func handle(
        _ call: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let place = shared.table.places[Int(call.plan.place)]
        guard let entry = place.entry(for: call.head.method) else {
            throw .methodNotAllowed(allow: place.allowedMethods)
        }
        let request = try RouteRequest(
            call, in: bytes, to: entry.route, at: place.path,
            Sessions(shared.directory))
        let tally = shared.lifecycle.routes
        guard tally.enter(entry.number) else { throw .tooManyRoutesRunning }
        lastNumber += 1
        let number = lastNumber
        // What it is held by cancels it.
        let task = Task { [inbox, logger = shared.configuration.logger] in
            let outcome = await entry.route.run(request, logger: logger)
            tally.leave(entry.number, hasFailed: outcome.isFailure)
            inbox.post { $0.end(number, with: outcome, on: $1) }
        }
        let exchange = call.exchange
        let held = Held(
            exchange, for: shared.configuration.routeLimits.duration, endsWithInput: true, on: loop
        ) {
            [self] _, interruption in
            task.cancel()
            // What the handler then answers still reaches the client, where the server stops.
            guard interruption != .draining else { return }
            runs[number] = nil
            if interruption == .timeout { exchange.respond(.routeTimeout, on: loop) }
        }
        runs[number] = (exchange, held)
    }

    /// A handler has ended.
    private func end(
        _ number: UInt64, with outcome: Result<RouteResponse, ProblemDetails>,
        on loop: isolated EventLoop
    ) {
        guard let run = runs.removeValue(forKey: number) else { return }
        run.held.end(on: loop)
        switch outcome {
        case .success(let response): response.respond(to: run.exchange, on: loop)
        case .failure(let problem): run.exchange.respond(problem, on: loop)
        }
    }

    /// Gives the answers of the handlers that have ended.
    func takeMessages(on loop: isolated EventLoop) {
        for job in inbox.takeAll() { job(self, loop) }
    }
}

extension Route {
    /// Runs the handler to its end. What went wrong inside is logged, under the route's name, and is
    /// `routeFailed` to the client.
    fileprivate func run(
        _ request: RouteRequest, logger: Logger
    ) async -> Result<RouteResponse, ProblemDetails> {
        do {
            let response = try await handle(request)
            guard let refusal = response.refusal else { return .success(response) }
            logger.error(
                "A route made a response that cannot be sent: \(refusal)",
                metadata: ["route": "\(name)"])
        } catch is CancellationError where Task.isCancelled {
            return .failure(.shuttingDown)
        } catch {
            if let problem = Self.problem(of: error) { return .failure(problem) }
            let text = String("\(error)".prefix(1_000))
            logger.error("A route failed: \(text)", metadata: ["route": "\(name)"])
        }
        return .failure(.routeFailed)
    }

    /// The problem that an error stands for; nil where it says nothing to a client.
    private static func problem(of error: any Error) -> ProblemDetails? {
        switch error {
        case let rejection as Rejection: ProblemDetails(rejection)
        case let problem as Problem: ProblemDetails(Rejection(problem.code, problem.message))
        case let error as RouteBodyError: .unreadableBody(error.failure)
        case let error as SessionError: error.problem
        default: nil
        }
    }
}

extension Result<RouteResponse, ProblemDetails> {
    /// The client gets 500.
    fileprivate var isFailure: Bool {
        if case .failure(.routeFailed) = self { true } else { false }
    }
}

/// Counts the requests of all routes, on all loops, and how many handlers run.
final class RouteTally: Sendable {
    private let limit: Int
    private let names: [String]
    /// The requests and failures by the numbers of the routes.
    private let counts: Lock<(requests: [Int], failures: [Int], running: Int)>

    /// - Parameter names: those of the routes, `POST /hooks/{name}`, by number.
    init(names: [String], limit: Int) {
        precondition(limit >= 1, "One handler at least may run.")
        self.names = names
        self.limit = limit
        let zeros = names.map { _ in 0 }
        counts = Lock((zeros, zeros, 0))
    }

    /// Counts a request to the route of this number; answers false where as many handlers run as may.
    func enter(_ number: Int) -> Bool {
        counts.withLock { counts in
            counts.requests[number] += 1
            guard counts.running < limit else { return false }
            counts.running += 1
            return true
        }
    }

    /// A handler has ended.
    func leave(_ number: Int, hasFailed: Bool) {
        counts.withLock { counts in
            counts.running -= 1
            if hasFailed { counts.failures[number] += 1 }
        }
    }

    /// Nothing where there are no routes.
    var metrics: [Metric] {
        guard !names.isEmpty else { return [] }
        let counts = counts.withLock { $0 }
        func rows(_ counts: [Int]) -> [Metric.Row] {
            zip(names, counts).map { ([("route", $0)], $1) }
        }
        return [
            Metric(
                "statecast_route_requests", .counter, "Requests to a route of the application.",
                rows(counts.requests)),
            Metric(
                "statecast_route_failures", .counter, "Of these, answered by 500.",
                rows(counts.failures)),
            Metric(
                "statecast_routes_running", .gauge, "Handlers of routes that run.", counts.running),
        ]
    }
}
