import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

extension ProblemDetails {
    /// A problem of a state that has this tag.
    func with(tag: [UInt8]) -> ProblemDetails {
        with("ETag", "\"\(String(decoding: tag, as: UTF8.self))\"")
    }

    static let sessionNotFound = ProblemDetails(code: "session-not-found")
    static let tooManyEndings = ProblemDetails(
        code: "too-many-endings",
        detail: "What ended sessions have left is still being deleted; try again later.",
        retryAfterSeconds: 10)
    static let sessionEnded = ProblemDetails(
        code: "session-ended", detail: "This session has ended.")
    static let outOfScope = ProblemDetails(
        code: "out-of-scope", detail: "This is not in the state now, as far as you see it.")
    static let versionNotReached = ProblemDetails(code: "version-not-reached")
    static let preconditionFailed = failedPrecondition(
        "The session has moved on; its current version is in ETag.")
    static let sessionExists = ProblemDetails(
        code: "session-exists", detail: "The session exists already.")
    static let sessionMoved = ProblemDetails(code: "moved")
    static let alone = ProblemDetails(
        code: "moved", detail: "None of the other servers is reached from here.")
    static let busy = ProblemDetails(code: "busy")
    /// The answers that clients do not take are as many bytes as `history-bytes` allows.
    static let pastIsFull = ProblemDetails(
        code: "busy", detail: "Other answers about the session's past wait for their clients.")
    static let unreadable = ProblemDetails(code: "unreadable")
    /// It is one of those by which a session cannot be read.
    var isUnreadable: Bool { code == Self.unreadable.code }
    /// The application's code is not asked about such a session.
    static let unsafeToOpen = ProblemDetails(
        code: "unreadable",
        detail: "Opening it has ended the server twice. POST …/revert goes on from a version.")
    static let notEncodable = ProblemDetails(code: "not-encodable")
    static let tooManySessions = ProblemDetails(code: "too-many-sessions", retryAfterSeconds: 10)
    static let tooManyCalls = ProblemDetails(code: "too-many-calls")
    static let tooManyWaiting = ProblemDetails(code: "too-many-waiting")
    static let tooManyRecordings = ProblemDetails(code: "too-many-recordings")
    static let replay = ProblemDetails(code: "replay")
    static let noReplay = ProblemDetails(code: "no-replay")

    static let jsonExpected = ProblemDetails(
        code: "json-expected", detail: "Actions, inputs and states are sent as application/json."
    ).with("Accept", "application/json")
    static let nothingToMatch = failedPrecondition(
        "If-Match asks for a session, and there is none.")
    static let partialPut = ProblemDetails(code: "content-range")
    static let badSessionID = ProblemDetails(
        code: "bad-session-id", detail: "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ -")
    static let unknownHost = ProblemDetails(
        code: "unknown-host", detail: "This server does not answer to that name.")
    static let crossOrigin = ProblemDetails(
        code: "cross-origin", detail: "Pages of other origins may not change anything here.")
    static let unauthenticated = ProblemDetails(
        code: "unauthenticated",
        detail: "Say who you are: the credentials are missing, unknown, or no longer good."
    ).with("WWW-Authenticate", "Bearer")
    static let undecodablePath = ProblemDetails(
        code: "malformed-path", detail: "The path is percent-encoded UTF-8.")
    static let forbidden = ProblemDetails(code: "forbidden", detail: "You may not do this.")

    static let tooManyRoutesRunning = ProblemDetails(
        code: "too-many-routes-running",
        detail: "As many requests as may are being answered by the application.")
    static let routeTimeout = ProblemDetails(
        code: "route-timeout", detail: "The application did not answer in time.",
        retryAfterSeconds: 10)
    static let routeFailed = ProblemDetails(
        code: "route-failed", detail: "The application could not answer.")

    /// A body whose media type is not taken; none is named where no body is.
    static func mediaTypeNotAccepted(_ accepted: String) -> ProblemDetails {
        ProblemDetails(
            code: "media-type-not-accepted",
            detail: accepted.isEmpty
                ? "No body is taken here." : "The body has to be \(accepted)."
        ).with("Accept", accepted)
    }

    static func badParameter(_ name: String, _ detail: String) -> ProblemDetails {
        ProblemDetails(
            code: "bad-parameter", detail: "\(name): \(detail)",
            members: [.text("parameter", name)])
    }

    /// A version that the session does not know any more.
    static func versionGone(oldest: UInt64) -> ProblemDetails {
        ProblemDetails(
            code: "version-gone",
            detail: "That version is not kept; the oldest one that is has number \(oldest).",
            members: [.number("oldest", Int(clamping: oldest))])
    }

    /// A version whose state the application cannot read.
    static let versionNotShown = ProblemDetails(
        code: "version-not-shown",
        detail: "The application cannot read the state of that version to make a view of it.")

    static func badRecording(_ fault: RecordingFault) -> ProblemDetails {
        ProblemDetails(
            code: "bad-recording", detail: "Line \(fault.line): \(fault.detail)",
            members: [
                .number("line", fault.line),
                .text("pointer", String(fault.pointer.prefix(200))),
            ])
    }

    static func foreignRecording(_ detail: String) -> ProblemDetails {
        ProblemDetails(code: "foreign-recording", detail: detail)
    }
}

extension MemoryBudget {
    /// Throws where something of so many bytes, not made yet, would take more memory than there is.
    func checkRoom(for byteCount: Int) throws(ProblemDetails) {
        guard hasRoom(for: byteCount) else { throw .shortOfMemory }
    }
}

// MARK: Reasons of other layers

extension ProblemDetails {
    /// The reason why a body holds no action.
    ///
    /// - Parameter known: the names of the application's actions.
    init(_ failure: ActionFailure, known: [String]) {
        func pointer(_ pointer: JSONPointer) -> Member { .text("pointer", "\(pointer)") }
        let (code, detail, members): (String, String, [Member]) =
            switch failure {
            case .syntax(let offset, let detail):
                ("malformed-json", detail, [.number("offset", offset)])
            case .tooDeep(let limit):
                (
                    "nested-too-deep", "The JSON nests deeper than \(limit) levels.",
                    [.number("limit", limit)]
                )
            case .tooManyActions(let limit):
                (
                    "batch-too-large", "A batch holds at most \(limit) actions.",
                    [.number("limit", limit)]
                )
            case .badEnvelope(let place, let detail): ("not-an-action", detail, [pointer(place)])
            case .unknownType(let type, let nearest, let place):
                (
                    "unknown-action", "There is no action \(type.prefix(100)).",
                    [
                        pointer(place),
                        .texts("known", nearest.isEmpty ? Array(known.prefix(20)) : nearest),
                    ]
                )
            case .badPayload(let place, let detail):
                (
                    "bad-payload", detail,
                    [pointer(place), Self.errors([("\(place)", "bad-payload", detail)])]
                )
            case .factNotAllowed(let type, let place):
                (
                    "fact-not-allowed", "\(type.prefix(100)) is reported by the server only.",
                    [pointer(place)]
                )
            }
        self.init(code: code, detail: detail, members: members)
    }

    /// A body that cannot be read as what is taken.
    static func unreadableBody(_ failure: DecodingFailure) -> ProblemDetails {
        switch failure.reason {
        case .syntax:
            return ProblemDetails(
                .syntax(offset: failure.offset, detail: failure.detail), known: [])
        case .tooDeep:
            return ProblemDetails(.tooDeep(limit: StateDecoder().maximumDepth), known: [])
        case .shape:
            let pointer = "\(failure.pointer)"
            return ProblemDetails(
                code: "bad-body", detail: failure.detail,
                members: [
                    .text("pointer", pointer), errors([(pointer, "bad-body", failure.detail)]),
                ])
        }
    }

    /// The rejection of an application.
    ///
    /// - Parameters:
    ///   - index: the action of a batch that it is about.
    ///   - part: the part of the body whose fields it names; nil: all of it.
    init(_ rejection: Rejection, index: Int? = nil, in part: String? = "payload") {
        let prefix = index.map { "/\($0)" } ?? ""
        var code = rejection.code
        var members: [Member] = []
        if let index { members = [.number("index", index), .text("pointer", prefix)] }
        let status: HTTPResponse.Status =
            switch rejection.kind {
            case .invalid: .unprocessableContent
            case .conflict: .conflict
            case .forbidden: .forbidden
            }
        if !rejection.isOfLibrary {
            let part = part.map { "\(prefix)/\($0)" } ?? prefix
            let faults = rejection.faults.map { fault in
                (fault.field.map { "\(part)/\($0)" } ?? prefix, fault.code, fault.message)
            }
            members += [.text("code", code), Self.errors(faults)]
            code = "rejected/\(code)"
        }
        self.init(status, code: code, detail: rejection.message, members: members)
    }

    /// `"errors":[{"pointer":"/payload/email","code":"bad-email","detail":"Say an address."}]`
    private static func errors(
        _ faults: [(pointer: String, code: String, detail: String)]
    ) -> Member {
        var writer = JSONWriter()
        writer.beginArray()
        for fault in faults {
            writer.object { writer in
                writer.member("pointer", fault.pointer)
                writer.member("code", fault.code)
                writer.member("detail", fault.detail)
            }
        }
        writer.endArray()
        return .json("errors", String(decoding: writer.finish(), as: UTF8.self))
    }

    /// The reason why a session does not do what it was asked for.
    ///
    /// - Parameters:
    ///   - known: the names of the application's actions.
    ///   - part: see the problem of a rejection.
    init(
        _ refusal: Refusal, known: @autoclosure () -> [String] = [], in part: String? = "payload"
    ) {
        switch refusal {
        case .malformed(let failure): self.init(failure, known: known())
        case .preconditionFailed: self = .preconditionFailed
        case .rejected(let rejection, let index): self.init(rejection, index: index, in: part)
        case .noInput: self.init(code: "no-input")
        case .keyReused:
            self.init(
                code: "idempotency-key-reused", detail: "This key was used with another body.")
        case .tooManyKeys: self.init(code: "too-many-keys", retryAfterSeconds: 600)
        case .tooOften(let limit, let seconds):
            self.init(
                code: "too-often", detail: limit.sentence, retryAfterSeconds: seconds)
        case .shortOfMemory: self = .shortOfMemory
        case .frozen(let reason): self.init(code: "frozen", detail: reason)
        case .replayed: self = .replay
        case .notEncodable: self = .notEncodable
        case .stateTooLarge(let limit):
            self.init(
                code: "state-too-large",
                detail: "The state would be larger than \(limit) bytes; nothing has changed.",
                members: [.number("limit", limit)])
        case .stateAtLimit(let seconds):
            self.init(
                code: "state-at-limit",
                detail: "The state is about as large as it may be; nothing has changed.",
                retryAfterSeconds: seconds)
        case .unreadable(let failure): self = .unreadableBody(failure)
        case .gone(let oldest): self = .versionGone(oldest: oldest)
        case .notReached: self = .versionNotReached
        case .notKept(let failure): self.init(failure)
        case .unknown: self = .outcomeUnknown
        case .moved: self = .sessionMoved
        case .ended: self = .sessionEnded
        }
    }

    /// The reason why a journal did not do what it was asked for.
    init(_ failure: JournalFailure) {
        switch failure {
        case .busy: self.init(code: "journal-busy")
        case .damaged(let good):
            self.init(
                code: "unreadable",
                members: good.map { [.number("good", Int(clamping: $0))] } ?? [])
        case .missingKey: self = .unreadable
        case .ended: self = .sessionEnded
        case .heldElsewhere: self = .sessionMoved
        case .tooManySessions: self = .tooManySessions
        case .unknown: self = .outcomeUnknown
        default: self.init(code: "journal-unavailable")
        }
    }
}
