import HTTPMessages
import HTTPServer
import Sockets

/// The refusal of a request: its problem, and the field that belongs to it.
struct ProblemAnswer: Error {
    var problem: ProblemDetails
    /// `Allow: GET, HEAD`
    var field: (name: String, value: String)?

    init(_ problem: ProblemDetails) {
        self.problem = problem
    }

    init(_ problem: ProblemDetails, _ name: String, _ value: String) {
        self.problem = problem
        field = (name, value)
    }

    /// A problem of a state that has this tag.
    init(_ problem: ProblemDetails, tag: [UInt8]) {
        self.init(problem, "ETag", "\"\(String(decoding: tag, as: UTF8.self))\"")
    }

    /// A method that the resource does not have.
    static func methodNotAllowed(allow: String) -> ProblemAnswer {
        ProblemAnswer(.methodNotAllowed(allow: allow), "Allow", allow)
    }

    /// Does what answers a request; answers with the problem where that throws.
    static func catching(
        _ exchange: Exchange, on loop: isolated EventLoop,
        _ body: () throws(ProblemAnswer) -> Void
    ) {
        do throws(ProblemAnswer) {
            try body()
        } catch {
            exchange.respond(error.problem, on: loop) { writer in
                if let field = error.field { writer.field(field.name, field.value) }
            }
        }
    }
}
