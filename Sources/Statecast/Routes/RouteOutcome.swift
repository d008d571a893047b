import HTTPServer
import Logging
import Sockets

/// The end of a route's handler.
enum RouteOutcome: Sendable {
    /// It has answered.
    case answer(RouteAnswer)
    /// It has thrown an error that is its client's.
    case problem(ProblemDetails)
    /// It has failed, or made a response that is none; the operator was told.
    case failed

    /// Runs a handler to its end. What went wrong inside is logged, under the route's name.
    static func running(
        _ route: Route, _ request: RouteRequest, logger: Logger
    ) async -> RouteOutcome {
        do {
            return .answer(try RouteAnswer(try await route.handle(request)))
        } catch let fault as RouteAnswer.Fault {
            logger.error(
                "A route made a response that cannot be sent: \(fault)",
                metadata: ["route": "\(route.name)"])
        } catch is CancellationError where Task.isCancelled {
            return .problem(.shuttingDown)
        } catch {
            if let problem = RouteFailure.problem(of: error) { return .problem(problem) }
            let text = String("\(error)".prefix(1_000))
            logger.error("A route failed: \(text)", metadata: ["route": "\(route.name)"])
        }
        return .failed
    }

    /// The client gets 500.
    var isFailure: Bool {
        if case .failed = self { true } else { false }
    }

    /// Answers a request.
    func respond(to exchange: Exchange, on loop: isolated EventLoop) {
        switch self {
        case .answer(let answer): answer.respond(to: exchange, on: loop)
        case .problem(let problem): exchange.respond(problem, on: loop)
        case .failed: exchange.respond(.routeFailed, on: loop)
        }
    }
}
