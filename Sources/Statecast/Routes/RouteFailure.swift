import HTTPServer
import Redux
import StateCoding

/// The place where an error that a route throws becomes the problem that its client gets.
enum RouteFailure {
    /// The problem that an error stands for; nil where it says nothing to a client.
    static func problem(of error: any Error) -> ProblemDetails? {
        switch error {
        case let rejection as Rejection: ProblemDetails(rejection)
        case let problem as Problem: ProblemDetails(Rejection(problem.code, problem.message))
        case let error as RouteBodyError: .unreadableBody(error.failure)
        case let error as SessionError: error.problem
        default: nil
        }
    }
}
