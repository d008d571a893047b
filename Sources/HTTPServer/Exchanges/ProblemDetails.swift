internal import Bytes
internal import HTTPMessages
package import HTTPTypes

/// The refusal of a request, and the body of its answer (RFC 9457), `application/problem+json`:
///
///     {"type":"/problems/body-too-large","title":"Content Too Large","status":413,
///      "detail":"The body is larger than 1048576 bytes.","limit":1048576}
package struct ProblemDetails: Error, Sendable, Hashable {
    /// A further member of the problem, `"limit":1048576`, with its value as JSON.
    package struct Member: Sendable, Hashable {
        fileprivate let name: String
        fileprivate let value: String

        /// JSON is written as it stands.
        package static func json(_ name: String, _ value: String) -> Member {
            Member(name: name, value: value)
        }

        package static func text(_ name: String, _ value: String) -> Member {
            json(name, quoted(value))
        }

        package static func number(_ name: String, _ value: Int) -> Member {
            json(name, "\(value)")
        }

        package static func texts(_ name: String, _ values: [String]) -> Member {
            json(name, "[\(values.map(quoted).joined(separator: ","))]")
        }

        private static func quoted(_ text: String) -> String {
            var bytes: [UInt8] = []
            bytes.append(jsonString: text)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The status that it is answered with.
    package var status: HTTPResponse.Status
    /// A stable name in kebab case: the last part of `type`.
    package var code: String
    /// The fault in one sentence, made of nothing internal.
    package var detail: String?
    /// After how many seconds the client may try again (RFC 9110 §10.2.3), one for 503 unless set; nil where
    /// another try would come to the same.
    package var retryAfterSeconds: Int?
    /// In the order of writing: `pointer`, `known`, `limit`.
    private let members: [Member]
    /// The field of the answer that belongs to the problem: its name, and its value; or nothing.
    package private(set) var field: [String] = []

    package init(
        _ status: HTTPResponse.Status, code: String, detail: String? = nil,
        members: [Member] = [], retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.members = members
        self.retryAfterSeconds = retryAfterSeconds ?? (status == .serviceUnavailable ? 1 : nil)
    }

    /// The problem with a field that belongs to it: `Allow: GET, HEAD`.
    package func with(_ name: String, _ value: String) -> ProblemDetails {
        var problem = self
        problem.field = [name, value]
        return problem
    }

    /// The media type of the body.
    package static var mediaType: String { "application/problem+json" }

    /// Appends the JSON.
    package func write(to output: inout [UInt8]) {
        let phrase = ResponseHead.reasonPhrase(status.code)
        let known: [Member] = [
            .text("type", "/problems/\(code)"),
            .text("title", phrase.isEmpty ? "Error \(status.code)" : phrase),
            .number("status", status.code),
        ]
        let all = known + (detail.map { [.text("detail", $0)] } ?? []) + members
        let text = all.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",")
        output.append(contentsOf: "{\(text)}".utf8)
    }

    /// Writes the fields and the body of an answer.
    func fill(_ writer: inout ResponseWriter) {
        var body: [UInt8] = []
        write(to: &body)
        if !field.isEmpty { writer.field(field[0], field[1]) }
        writer.field("Content-Type", Self.mediaType)
        writer.field("Cache-Control", "no-store")
        if let retryAfterSeconds { writer.field("Retry-After", retryAfterSeconds) }
        writer.body(body)
    }
}

extension ProblemDetails {
    package static let requestTimeout = ProblemDetails(
        .requestTimeout, code: "request-timeout", detail: "The request did not arrive in time.")
    package static let notFound = ProblemDetails(
        .notFound, code: "not-found", detail: "There is nothing at this address.")
    package static let shuttingDown = ProblemDetails(
        .serviceUnavailable, code: "shutting-down", detail: "The server is shutting down.")

    package static let outcomeUnknown = ProblemDetails(
        .serviceUnavailable, code: "outcome-unknown",
        detail: "It is not known whether the action was kept; repeat it with the same key.",
        retryAfterSeconds: 1)

    /// Who answers so may not have looked for the key of the request.
    static func leavesDoubt(_ status: Int, isRejection: Bool) -> Bool {
        [401, 403, 423, 503].contains(status) && !isRejection
    }

    /// Of a request that was sent before, and may be done, only who has looked for its key tells that it
    /// is not.
    package func told(behind mayBeDone: Bool) -> ProblemDetails {
        let isRejection = code.hasPrefix("rejected/")
        return mayBeDone && Self.leavesDoubt(status.code, isRejection: isRejection)
            ? .outcomeUnknown : self
    }

    /// The server holds as much as it may (`HTTPLimits.memoryByteCount`).
    package static let shortOfMemory = ProblemDetails(
        .serviceUnavailable, code: "short-of-memory",
        detail: "The server is short of memory; small requests are still answered.",
        retryAfterSeconds: 5)

    package static func bodyTooLarge(limit: Int) -> ProblemDetails {
        ProblemDetails(RequestError.bodyTooLarge(limit: limit))
    }

    /// A body whose coding makes very much of very little.
    static func bodyInflates(_ ratio: Int, limit: Int) -> ProblemDetails {
        ProblemDetails(
            .contentTooLarge, code: "body-too-large",
            detail: "Of this gzip data at most \(ratio) times as much is taken, \(limit) bytes.",
            members: [.number("limit", limit)])
    }

    /// A condition of the request (RFC 9110 §13.1) that does not hold.
    package static func failedPrecondition(_ detail: String) -> ProblemDetails {
        ProblemDetails(.preconditionFailed, code: "precondition-failed", detail: detail)
    }

    /// A content coding that the server does not take off.
    package static let unknownCoding = ProblemDetails(
        .unsupportedMediaType, code: "unsupported-content-coding",
        detail: "A body may be sent as it is or with Content-Encoding: gzip.")

    /// A method that no resource has (RFC 9110 §9.1).
    package static let methodNotImplemented = ProblemDetails(
        .notImplemented, code: "method-not-implemented",
        detail: "No resource here has this method.")

    /// A method that a resource does not have (RFC 9110 §15.5.6).
    package static func methodNotAllowed(allow: String) -> ProblemDetails {
        ProblemDetails(
            .methodNotAllowed, code: "method-not-allowed", detail: "Allowed here: \(allow)."
        ).with("Allow", allow)
    }

    /// A request that only the loop of its session could answer so.
    static let wrongLoop = ProblemDetails(
        .serviceUnavailable, code: "try-again", detail: "The request came to a busy place: repeat.",
        retryAfterSeconds: 0)
}
