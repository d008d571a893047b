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
        case let failure as DecodingFailure: bodyProblem(failure)
        default: nil
        }
    }

    private static func bodyProblem(_ failure: DecodingFailure) -> ProblemDetails {
        switch failure.reason {
        case .syntax:
            ProblemDetails(.syntax(offset: failure.offset, detail: failure.detail), known: [])
        case .tooDeep:
            ProblemDetails(.tooDeep(limit: StateDecoder().maximumDepth), known: [])
        case .shape: .badBody(failure)
        }
    }
}
