import HTTPMessages
import HTTPServer
import Journaling
import Logging
import Redux
import Sockets

/// The own routes of a server, on one loop: hands requests to their handlers, which run in Swift's
/// pool, and gives the answers back.
final class RoutesResource {
    private let context: ServingContext
    private var shared: ServerParts { context.shared }
    /// The requests whose handlers run for a client that is there.
    private var runs: [UInt64: (exchange: Exchange, held: Held)] = [:]
    private var lastNumber: UInt64 = 0

    init(context: ServingContext) { self.context = context }

    /// Has the handler of a route answer; throws where it cannot be asked.
    func handle(
        _ call: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let place = shared.table.places[Int(call.plan.place)]
        guard let entry = place.entry(for: call.head.method) else { throw .notFound }
        let request = try RouteRequest(
            call, in: bytes, to: entry.route, at: place.path,
            for: shared.gate.client(of: call, in: bytes), context.handles)
        context.metrics.routes[entry.number].requests += 1
        // One that goes on although it was cancelled counts until it has ended.
        let (client, limits) = (request.client, shared.configuration)
        let hasRoom = context.sessions.budget.withAccounts {
            $0.enter(
                .routes, of: client, limit: limits.routeLimits.runningCount,
                share: limits.limits.clientShare)
        }
        guard hasRoom else { throw .tooManyRoutesRunning }
        lastNumber += 1
        let number = lastNumber
        // What it is held by cancels it.
        let task = Task { [inbox = context.inbox, logger = context.logger] in
            let outcome = await entry.route.run(request, logger: logger)
            inbox.post {
                $0.routes.end(number, of: entry.number, client, with: outcome, on: $1)
            }
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
        _ number: UInt64, of route: Int, _ client: Accounts.Client,
        with outcome: Result<RouteResponse, ProblemDetails>, on loop: isolated EventLoop
    ) {
        context.sessions.budget.withAccounts { $0.add(-1, .routes, of: client) }
        if case .failure(.routeFailed) = outcome { context.metrics.routes[route].failures += 1 }
        guard let run = runs.removeValue(forKey: number) else { return }
        run.held.end(on: loop)
        switch outcome {
        case .success(let response): response.respond(to: run.exchange, on: loop)
        case .failure(let problem): run.exchange.respond(problem, on: loop)
        }
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
            let text = StateDiff.escaped(String("\(error)".prefix(1_000)))
            logger.error("A route failed: \(text)", metadata: ["route": "\(name)"])
        }
        return .failure(.routeFailed)
    }

    /// The problem that an error stands for; nil where it says nothing to a client.
    private static func problem(of error: any Error) -> ProblemDetails? {
        switch error {
        case let problem as ProblemDetails: problem
        case let rejection as Rejection: ProblemDetails(rejection, in: nil)
        case let problem as Problem: ProblemDetails(Rejection(problem.code, problem.message))
        case let error as RouteBodyError: .unreadableBody(error.failure)
        case let error as SessionError: error.problem
        default: nil
        }
    }
}
