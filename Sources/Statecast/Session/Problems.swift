import HTTPServer
import HTTPTypes

extension ProblemDetails {
    /// Why a body holds no action.
    init(_ failure: ActionFailure, known: [String]) {
        switch failure {
        case .syntax(let offset, let detail):
            self.init(
                .badRequest, code: "malformed-json", detail: detail,
                members: [("offset", .number(offset))])
        case .tooDeep(let limit):
            self.init(
                .badRequest, code: "nested-too-deep",
                detail: "The JSON nests deeper than \(limit) levels.",
                members: [("limit", .number(limit))])
        case .tooManyActions(let limit):
            self.init(
                .contentTooLarge, code: "batch-too-large",
                detail: "A batch holds at most \(limit) actions.",
                members: [("limit", .number(limit))])
        case .badEnvelope(let pointer, let detail):
            self.init(
                .unprocessableContent, code: "not-an-action", detail: detail,
                members: [("pointer", .text("\(pointer)"))])
        case .unknownType(let type, let nearest, let pointer):
            let names = nearest.isEmpty ? Array(known.prefix(20)) : nearest
            self.init(
                .unprocessableContent, code: "unknown-action",
                detail: "There is no action \(type.prefix(100)).",
                members: [("pointer", .text("\(pointer)")), ("known", .texts(names))])
        case .badPayload(let pointer, let detail):
            self.init(
                .unprocessableContent, code: "bad-payload", detail: detail,
                members: [("pointer", .text("\(pointer)"))])
        case .factNotAllowed(let type, let pointer):
            self.init(
                .unprocessableContent, code: "fact-not-allowed",
                detail: "\(type.prefix(100)) is reported by the server only.",
                members: [("pointer", .text("\(pointer)"))])
        }
    }

    /// An application's no; `index` tells which action of a batch it is about.
    init(_ rejection: Rejection, index: Int? = nil) {
        self.init(
            rejection.kind == .conflict ? .conflict : .unprocessableContent,
            code: rejection.code, detail: rejection.message,
            members: index.map {
                [("index", .number($0)), ("pointer", .text("/\($0)"))]
            } ?? [])
    }

    static let sessionNotFound = ProblemDetails(
        .notFound, code: "session-not-found",
        detail: "There is no such session; PUT makes it.")
    static let sessionEnded = ProblemDetails(
        .gone, code: "session-ended", detail: "This session has ended.")
    static let outOfScope = ProblemDetails(
        .notFound, code: "out-of-scope", detail: "The selected part is not in the state now.")
    static let preconditionFailed = ProblemDetails(
        .preconditionFailed, code: "precondition-failed",
        detail: "The session has moved on; its current version is in ETag.")
    static let sessionExists = ProblemDetails(
        .preconditionFailed, code: "session-exists", detail: "The session exists already.")
    static let idempotencyKeyReused = ProblemDetails(
        .unprocessableContent, code: "idempotency-key-reused",
        detail: "This key was used with another body.")
    static let journalUnavailable = ProblemDetails(
        .serviceUnavailable, code: "journal-unavailable",
        detail: "The action was not kept; nothing has changed.")
    static let outcomeUnknown = ProblemDetails(
        .serviceUnavailable, code: "outcome-unknown",
        detail: "It is not known whether the action was kept; repeat it with the same key.")
    static let tooManySessions = ProblemDetails(
        .serviceUnavailable, code: "too-many-sessions",
        detail: "The server keeps no more sessions now.")
    static let tooManyWaiting = ProblemDetails(
        .serviceUnavailable, code: "too-many-waiting",
        detail: "Too many requests wait for this session.")

    static func frozen(_ reason: String) -> ProblemDetails {
        ProblemDetails(.init(code: 423, reasonPhrase: "Locked"), code: "frozen", detail: reason)
    }

    static func badParameter(_ name: String, _ detail: String) -> ProblemDetails {
        ProblemDetails(
            .badRequest, code: "bad-parameter", detail: "\(name): \(detail)",
            members: [("parameter", .text(name))])
    }
}
