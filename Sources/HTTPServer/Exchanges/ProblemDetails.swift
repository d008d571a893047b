internal import Bytes
internal import HTTPMessages
package import HTTPTypes

/// The body of an error answer (RFC 9457), `application/problem+json`:
///
///     {"type":"/problems/body-too-large","title":"Content Too Large","status":413,
///      "detail":"The body is larger than 1048576 bytes.","limit":1048576}
package struct ProblemDetails: Error, Sendable, Hashable {
    /// A further member of the problem.
    package enum Member: Sendable, Hashable {
        /// A string.
        case text(String)
        /// A list of strings.
        case texts([String])
        /// A number.
        case number(Int)
        /// JSON that is written as it stands.
        case json(String)
    }

    /// The status that it is answered with.
    package var status: HTTPResponse.Status
    /// A stable name in kebab case: the last part of `type`.
    package var code: String
    /// The fault in one sentence, made of nothing internal.
    package var detail: String?
    /// After how many seconds the client may try again (RFC 9110 §10.2.3); nil where another try
    /// would come to the same.
    package var retryAfterSeconds: Int?
    /// Further members in the order of writing: `pointer`, `known`, `limit`.
    package var members: [(name: String, value: Member)] {
        get { storage.map { ($0.name, $0.value) } }
        set { storage = newValue.map { NamedMember(name: $0.name, value: $0.value) } }
    }
    private var storage: [NamedMember] = []

    private struct NamedMember: Hashable {
        var name: String
        var value: Member
    }

    package init(
        _ status: HTTPResponse.Status, code: String, detail: String? = nil,
        members: [(name: String, value: Member)] = [], retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.members = members
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The media type of the body.
    package static var mediaType: String { "application/problem+json" }

    /// Appends the JSON.
    package func write(to output: inout [UInt8]) {
        output.append(contentsOf: "{\"type\":".utf8)
        output.append(jsonString: "/problems/\(code)")
        output.append(contentsOf: ",\"title\":".utf8)
        output.append(jsonString: title)
        output.append(contentsOf: ",\"status\":\(status.code)".utf8)
        if let detail {
            output.append(contentsOf: ",\"detail\":".utf8)
            output.append(jsonString: detail)
        }
        for member in storage {
            output.append(UInt8(ascii: ","))
            output.append(jsonString: member.name)
            output.append(UInt8(ascii: ":"))
            write(member.value, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Writes the fields and the body of an answer.
    func fill(_ writer: inout ResponseWriter) {
        var body: [UInt8] = []
        write(to: &body)
        writer.field("Content-Type", Self.mediaType)
        writer.field("Cache-Control", "no-store")
        if let retryAfterSeconds { writer.field("Retry-After", retryAfterSeconds) }
        writer.body(body)
    }

    /// The status in words.
    private var title: String {
        let phrase = ReasonPhrase.of(status.code)
        return phrase.isEmpty ? "Error \(status.code)" : phrase
    }

    private func write(_ value: Member, to output: inout [UInt8]) {
        switch value {
        case .text(let text): output.append(jsonString: text)
        case .number(let number): output.append(contentsOf: "\(number)".utf8)
        case .json(let json): output.append(contentsOf: json.utf8)
        case .texts(let texts):
            output.append(UInt8(ascii: "["))
            for (index, text) in texts.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output.append(jsonString: text)
            }
            output.append(UInt8(ascii: "]"))
        }
    }
}

extension ProblemDetails {
    /// The request did not come whole in time.
    package static let requestTimeout = ProblemDetails(
        .requestTimeout, code: "request-timeout", detail: "The request did not arrive in time.")
    /// Nothing is there.
    package static let notFound = ProblemDetails(
        .notFound, code: "not-found", detail: "There is nothing at this address.")
    /// The server is shutting down.
    package static let shuttingDown = ProblemDetails(
        .serviceUnavailable, code: "shutting-down", detail: "The server is shutting down.")

    /// The server holds as much as it may (`HTTPLimits.memoryByteCount`).
    package static let shortOfMemory = ProblemDetails(
        .serviceUnavailable, code: "short-of-memory",
        detail: "The server is short of memory; small requests are still answered.",
        retryAfterSeconds: 5)

    /// A body above the limit.
    package static func bodyTooLarge(limit: Int) -> ProblemDetails {
        var problem = ProblemDetails(RequestError.bodyTooLarge(limit: limit))
        problem.members = [("limit", .number(limit))]
        return problem
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

    /// A method that a resource does not have.
    package static func methodNotAllowed(allow: String) -> ProblemDetails {
        ProblemDetails(
            .methodNotAllowed, code: "method-not-allowed", detail: "Allowed here: \(allow).")
    }

    /// A request that only the loop of its session could answer so.
    static let wrongLoop = ProblemDetails(
        .serviceUnavailable, code: "try-again", detail: "The request came to a busy place: repeat.")
}
