import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import StateCoding

extension ProblemDetails {
    /// The reason why a body holds no action.
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

    /// The rejection of an application.
    ///
    /// - Parameters:
    ///   - index: the action of a batch that it is about.
    ///   - part: the part of the body whose fields it names; nil: all of it.
    init(_ rejection: Rejection, index: Int? = nil, in part: String? = "payload") {
        let prefix = index.map { "/\($0)" } ?? ""
        var members: [(name: String, value: Member)] = []
        if let index { members = [("index", .number(index)), ("pointer", .text(prefix))] }
        let status: HTTPResponse.Status =
            switch rejection.kind {
            case .invalid: .unprocessableContent
            case .conflict: .conflict
            case .forbidden: .forbidden
            }
        guard !rejection.isOfLibrary else {
            self.init(
                status, code: rejection.code, detail: rejection.message, members: members)
            return
        }
        members.append(("code", .text(rejection.code)))
        members.append(("errors", .json(Self.errors(rejection.faults, below: prefix, in: part))))
        self.init(
            status, code: "rejected/\(rejection.code)", detail: rejection.message,
            members: members)
    }

    /// `[{"pointer":"/payload/email","code":"bad-email","detail":"Say an address."}]`
    private static func errors(
        _ faults: [Rejection.Fault], below prefix: String, in part: String?
    ) -> String {
        let part = part.map { "/\($0)" } ?? ""
        return errors(
            faults.map { fault in
                let field = fault.field.map { "\(part)/\($0)" } ?? ""
                return (prefix + field, fault.code, fault.message)
            })
    }

    private static func errors(
        _ faults: [(pointer: String, code: String, detail: String)]
    ) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for fault in faults {
            writer.beginObject()
            writer.member("pointer", fault.pointer)
            writer.member("code", fault.code)
            writer.member("detail", fault.detail)
            writer.endObject()
        }
        writer.endArray()
        return String(decoding: writer.finish(), as: UTF8.self)
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
        .notFound, code: "out-of-scope",
        detail: "This is not in the state now, as far as you see it.")
    static let versionNotReached = ProblemDetails(
        .notFound, code: "version-not-reached", detail: "The session has no such version yet.")
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
    static let tooManyCalls = ProblemDetails(
        .serviceUnavailable, code: "too-many-calls",
        detail: "The server's own code uses as many sessions at once as it may.",
        retryAfterSeconds: 1)
    static let tooManyWaiting = ProblemDetails(
        .serviceUnavailable, code: "too-many-waiting",
        detail: "Too many requests wait for this session.", retryAfterSeconds: 1)

    static let jsonExpected = ProblemDetails(
        .unsupportedMediaType, code: "json-expected",
        detail: "Actions, inputs and states are sent as application/json.")
    static let noInput = ProblemDetails(
        .unprocessableContent, code: "no-input",
        detail: "The application takes no input: a session is made without a body.")
    static let nothingToMatch = failedPrecondition(
        "If-Match asks for a session, and there is none.")
    static let partialPut = ProblemDetails(
        .badRequest, code: "content-range", detail: "A session is not made in parts.")
    static let badSessionID = ProblemDetails(
        .badRequest, code: "bad-session-id",
        detail: "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ -")
    static let unknownHost = ProblemDetails(
        .misdirectedRequest, code: "unknown-host",
        detail: "This server does not answer to that name.")
    static let crossOrigin = ProblemDetails(
        .forbidden, code: "cross-origin",
        detail: "Pages of other origins may not change anything here.")
    static let unauthenticated = ProblemDetails(
        .unauthorized, code: "unauthenticated", detail: "Say who you are by Authorization.")
    static let undecodablePath = ProblemDetails(
        .badRequest, code: "malformed-path", detail: "The path is percent-encoded UTF-8.")
    static let forbidden = ProblemDetails(
        .forbidden, code: "forbidden", detail: "You may not do this.")

    static let tooManyRoutesRunning = ProblemDetails(
        .serviceUnavailable, code: "too-many-routes-running",
        detail: "As many requests as may are being answered by the application.",
        retryAfterSeconds: 1)
    static let routeTimeout = ProblemDetails(
        .serviceUnavailable, code: "route-timeout",
        detail: "The application did not answer in time.", retryAfterSeconds: 10)
    static let routeFailed = ProblemDetails(
        .internalServerError, code: "route-failed", detail: "The application could not answer.")

    /// A body whose media type a route does not take; none is named where it takes no body.
    static func mediaTypeNotAccepted(_ accepted: String) -> ProblemDetails {
        ProblemDetails(
            .unsupportedMediaType, code: "media-type-not-accepted",
            detail: accepted.isEmpty
                ? "No body is taken here." : "The body has to be \(accepted).")
    }

    /// A body that is JSON of another shape than is taken.
    private static func badBody(_ failure: DecodingFailure) -> ProblemDetails {
        let errors = errors([("\(failure.pointer)", "bad-body", failure.detail)])
        return ProblemDetails(
            .unprocessableContent, code: "bad-body", detail: failure.detail,
            members: [("pointer", .text("\(failure.pointer)")), ("errors", .json(errors))])
    }

    /// A body that cannot be read as what is taken.
    static func unreadableBody(_ failure: DecodingFailure) -> ProblemDetails {
        switch failure.reason {
        case .syntax:
            ProblemDetails(.syntax(offset: failure.offset, detail: failure.detail), known: [])
        case .tooDeep:
            ProblemDetails(.tooDeep(limit: StateDecoder().maximumDepth), known: [])
        case .shape: badBody(failure)
        }
    }

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
    /// The reason why a session does not begin.
    init(_ refusal: StartRefusal) {
        switch refusal {
        case .noInput: self = .noInput
        case .unreadable(let failure): self = .unreadableBody(failure)
        case .rejected(let rejection): self.init(rejection, in: nil)
        }
    }

    /// The reason why a session does not do what it was asked for.
    ///
    /// - Parameter known: the names of the application's actions.
    init(_ refusal: Refusal, known: @autoclosure () -> [String] = []) {
        switch refusal {
        case .malformed(let failure): self.init(failure, known: known())
        case .preconditionFailed: self = .preconditionFailed
        case .rejected(let rejection, let index): self.init(rejection, index: index)
        case .keyReused: self = .idempotencyKeyReused
        case .tooManyKeys: self = .tooManyKeys
        case .shortOfMemory: self = .shortOfMemory
        case .frozen(let reason): self = .frozen(reason)
        case .replayed: self = ReplayRefusal.readOnly.problem
        case .notEncodable: self = .notEncodable
        case .stateTooLarge(let limit): self = .stateTooLarge(limit)
        case .stateAtLimit(let seconds): self = .stateAtLimit(seconds)
        case .unreadable(let failure): self = .unreadableBody(failure)
        case .notKept(let failure): self.init(failure)
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

    private static func stateTooLarge(_ limit: Int) -> ProblemDetails {
        ProblemDetails(
            .unprocessableContent, code: "state-too-large",
            detail: "The state would be larger than \(limit) bytes; nothing has changed.",
            members: [("limit", .number(limit))])
    }

    private static func stateAtLimit(_ seconds: Int) -> ProblemDetails {
        ProblemDetails(
            .serviceUnavailable, code: "state-at-limit",
            detail: "The state is about as large as it may be; nothing has changed.",
            retryAfterSeconds: seconds)
    }
}
