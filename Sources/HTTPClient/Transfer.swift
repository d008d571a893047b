internal import Bytes
internal import Curl
internal import HTTPTypes

/// A job that has been started.
final class Transfer {
    let job: TransferJob
    private(set) var easy: EasyHandle
    private let configuration: HTTPClientConfiguration

    /// Throws `.invalidURL` without having sent anything.
    init(_ job: TransferJob, configuration: HTTPClientConfiguration) throws(HTTPClientError) {
        self.job = job
        self.configuration = configuration
        let request = job.request
        let (fields, body) = try request.sent(
            userAgent: configuration.userAgent, isStreamed: job.pass != nil)
        easy = EasyHandle(
            receiver: Receiver(
                fieldsLimit: configuration.fieldsLimit, bodyLimit: configuration.responseLimit))
        do {
            try easy.setRules(
                redirectLimit: request.redirectLimit, isRepeatable: request.isIdempotent,
                connectTimeout: configuration.connectTimeout, totalTimeout: job.deadline - .now,
                trusting: configuration.trustedFile)
            try easy.configure(
                url: request.url, method: request.method.rawValue, fields: fields, body: body)
        } catch {
            throw error.kind == .badURL
                ? .invalidURL(job.request.url)
                : .failed(code: error.code, detail: error.detail)
        }
        if let pass = job.pass {
            easy.receiver.pass = { [unowned self] bytes in
                pass(head(), [UInt8](copying: bytes))
            }
        }
    }

    /// The answer to the job, once libcurl has ended the transfer.
    func result(_ failure: CurlFailure?) -> TransferResult {
        if let failure { .failure(error(failure)) } else { head() }
    }

    /// The answer as far as it is there.
    private func head() -> TransferResult {
        guard easy.receiver.isHeadComplete else {
            return .failure(.connectionLost(detail: "The answer's head was cut short"))
        }
        guard (100...599).contains(easy.status) else {
            return .failure(.malformedResponse(detail: "status \(easy.status)"))
        }
        var fields = HTTPFields()
        for (name, value) in easy.receiver.fields {
            guard let name = HTTPField.Name(name) else {
                return .failure(.malformedResponse(detail: "a field without a lawful name"))
            }
            fields.append(HTTPField(name: name, value: value))
        }
        let status = HTTPResponse.Status(code: easy.status)
        return .success(
            OutboundResponse(status: status, fields: fields, body: easy.receiver.body))
    }

    private func error(_ failure: CurlFailure) -> HTTPClientError {
        let text = easy.failureDetail
        let detail = text.isEmpty ? failure.detail : text
        switch failure.kind {
        case .badURL: return .invalidURL(job.request.url)
        case .notConnected: return .notConnected(detail: detail)
        case .connectionLost: return .connectionLost(detail: detail)
        case .timedOut: return timeout
        case .badAnswer: return .malformedResponse(detail: detail)
        case .tooManyRedirects: return .tooManyRedirects(limit: job.request.redirectLimit)
        case .cutByReceiver, .other: break
        }
        switch easy.receiver.excess {
        case .body: return .responseTooLarge(limit: configuration.responseLimit)
        case .fields: return .fieldsTooLarge(limit: configuration.fieldsLimit)
        case nil: return .failed(code: failure.code, detail: detail)
        }
    }

    private var timeout: HTTPClientError {
        !easy.hasConnected && job.deadline > .now ? .connectTimedOut : .timedOut
    }
}

/// The end of a transfer.
typealias TransferResult = Result<OutboundResponse, HTTPClientError>

/// A request on its way to the thread, and whom to tell.
struct TransferJob: Sendable {
    let id: UInt64
    let request: OutboundRequest
    let deadline: ContinuousClock.Instant
    /// Is handed each piece of the body, with the head, in place of the answer's body; false ends the
    /// transfer.
    var pass: (@Sendable (TransferResult, [UInt8]) -> Bool)?
    /// Called exactly once: by the inbox if it refuses the job, else by the one that takes the job
    /// out of the queue for good: a cancelled task, or the loop.
    let answer: @Sendable (TransferResult) -> Void
}

extension OutboundRequest {
    /// The fields that the client sets itself.
    private static let ownFields: Set<HTTPField.Name> = [
        .acceptEncoding, .connection, .contentLength, .expect, .transferEncoding,
    ]

    /// The request may be repeated without being asked (RFC 9110 §9.2.2).
    var isIdempotent: Bool { [.get, .head, .put, .delete, .options, .trace].contains(method) }

    /// The fields and the body as they are sent; throws where the URL is none.
    func sent(
        userAgent: String, isStreamed: Bool
    ) throws(HTTPClientError) -> (fields: [(name: String, value: String)], body: [UInt8]?) {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https",
            url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { throw .invalidURL(url) }
        var sent = fields.filter {
            !Self.ownFields.contains($0.name) && $0.name.rawName != "Host"
        }.map { (name: $0.name.rawName, value: $0.value) }
        if !isStreamed { sent.append(("Accept-Encoding", "gzip")) }
        if fields[.userAgent] == nil { sent.append(("User-Agent", userAgent)) }
        let takesBody = [.post, .put, .patch].contains(method)
        return (sent, body.isEmpty && !takesBody ? nil : body)
    }
}
