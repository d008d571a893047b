import HTTPServer
import HTTPTypes
import Journaling

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
    static let tooManyEndings = ProblemDetails(
        .serviceUnavailable, code: "too-many-endings",
        detail: "What ended sessions have left is still being deleted; try again later.",
        retryAfterSeconds: 10)
    static let sessionEnded = ProblemDetails(
        .gone, code: "session-ended", detail: "This session has ended.")
    static let outOfScope = ProblemDetails(
        .notFound, code: "out-of-scope", detail: "The selected part is not in the state now.")
    static let preconditionFailed = failedPrecondition(
        "The session has moved on; its current version is in ETag.")
    static let sessionExists = ProblemDetails(
        .preconditionFailed, code: "session-exists", detail: "The session exists already.")
    static let idempotencyKeyReused = ProblemDetails(
        .unprocessableContent, code: "idempotency-key-reused",
        detail: "This key was used with another body.")
    static let journalUnavailable = ProblemDetails(
        .serviceUnavailable, code: "journal-unavailable",
        detail: "The action was not kept; nothing has changed.", retryAfterSeconds: 1)
    static let journalBusy = ProblemDetails(
        .serviceUnavailable, code: "journal-busy",
        detail: "More waits for the journal than it may hold; nothing has changed.",
        retryAfterSeconds: 1)
    static let outcomeUnknown = ProblemDetails(
        .serviceUnavailable, code: "outcome-unknown",
        detail: "It is not known whether the action was kept; repeat it with the same key.",
        retryAfterSeconds: 1)
    static let sessionMoved = ProblemDetails(
        .serviceUnavailable, code: "moved",
        detail: "Another server has this session; nothing has changed here.", retryAfterSeconds: 1)
    static let busy = ProblemDetails(
        .serviceUnavailable, code: "busy", detail: "The session is being opened.",
        retryAfterSeconds: 1)
    static let unreadable = ProblemDetails(
        .init(code: 423, reasonPhrase: "Locked"), code: "unreadable",
        detail: "The session was kept, and this server cannot read it.")
    static let notEncodable = ProblemDetails(
        .internalServerError, code: "not-encodable",
        detail: "The action, or the state after it, cannot be written as JSON; nothing has changed."
    )
    static let tooManyKeys = ProblemDetails(
        .serviceUnavailable, code: "too-many-keys",
        detail: "The session remembers no more idempotency keys for now.", retryAfterSeconds: 600)
    static let tooManySessions = ProblemDetails(
        .serviceUnavailable, code: "too-many-sessions",
        detail: "The server keeps no more sessions now.", retryAfterSeconds: 10)
    static let tooManyWaiting = ProblemDetails(
        .serviceUnavailable, code: "too-many-waiting",
        detail: "Too many requests wait for this session.", retryAfterSeconds: 1)

    static func frozen(_ reason: String) -> ProblemDetails {
        ProblemDetails(.init(code: 423, reasonPhrase: "Locked"), code: "frozen", detail: reason)
    }

    static func badParameter(_ name: String, _ detail: String) -> ProblemDetails {
        ProblemDetails(
            .badRequest, code: "bad-parameter", detail: "\(name): \(detail)",
            members: [("parameter", .text(name))])
    }
}

extension ProblemDetails {
    /// The reason why an answer that rested on an entry cannot be given.
    init(_ loss: Durability<HeldAnswer>.Loss) {
        switch loss {
        case .refused(let failure): self.init(failure)
        case .unknown: self = .outcomeUnknown
        case .moved: self = .sessionMoved
        case .ended: self = .sessionEnded
        }
    }

    /// The reason why a journal did not do what it was asked for.
    init(_ failure: JournalFailure) {
        switch failure {
        case .busy: self = .journalBusy
        case .damaged: self = .unreadable
        case .full, .unavailable, .heldElsewhere: self = .journalUnavailable
        }
    }

    /// The reason why entries were not appended at once.
    init(_ problem: AppendProblem) {
        switch problem {
        case .journal(let failure): self.init(failure)
        case .lost(let loss): self.init(loss)
        case .notEncodable: self = .notEncodable
        case .stateTooLarge(let limit):
            self.init(
                .unprocessableContent, code: "state-too-large",
                detail: "The state would be larger than \(limit) bytes; nothing has changed.",
                members: [("limit", .number(limit))])
        case .shortOfMemory: self = .shortOfMemory
        case .stateAtLimit(let seconds):
            self.init(
                .serviceUnavailable, code: "state-at-limit",
                detail: "The state is about as large as it may be; nothing has changed.",
                retryAfterSeconds: seconds)
        }
    }
}
