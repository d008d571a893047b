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
        let options = try job.request.options(
            configuration: configuration, timeLeft: job.deadline - .now)
        easy = EasyHandle(
            receiver: Receiver(
                fieldsLimit: configuration.fieldsLimit, bodyLimit: configuration.responseLimit))
        do {
            try easy.configure(options)
        } catch {
            throw error.kind == .badURL
                ? .invalidURL(job.request.url)
                : .failed(code: error.code, detail: error.detail)
        }
    }

    /// The answer to the job, once libcurl has ended the transfer.
    func result(_ failure: CurlFailure?) -> TransferResult {
        if let failure { return .failure(error(failure)) }
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
    /// Called exactly once: by the inbox if it refuses the job, else by the one that takes the job
    /// out of the queue for good: a cancelled task, or the loop.
    let answer: @Sendable (TransferResult) -> Void
}

extension OutboundRequest {
    /// The fields that the client sets itself.
    private static let ownFields: Set<HTTPField.Name> = [
        .acceptEncoding, .connection, .contentLength, .expect, .transferEncoding,
    ]

    /// Those that may be repeated without being asked (RFC 9110 §9.2.2).
    private static let idempotentMethods: Set<HTTPRequest.Method> = [
        .get, .head, .put, .delete, .options, .trace,
    ]

    /// The request in libcurl's terms.
    func options(
        configuration: HTTPClientConfiguration, timeLeft: Duration
    ) throws(HTTPClientError) -> TransferOptions {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https",
            url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { throw .invalidURL(url) }
        var options = TransferOptions(
            url: url, method: method.rawValue, connectTimeout: configuration.connectTimeout,
            totalTimeout: timeLeft)
        options.redirectLimit = redirectLimit
        options.isRepeatable = Self.idempotentMethods.contains(method)
        options.fields = fields.filter {
            !Self.ownFields.contains($0.name) && $0.name.rawName != "Host"
        }
        .map { ($0.name.rawName, $0.value) }
        options.fields.append(("Accept-Encoding", "gzip"))
        if fields[.userAgent] == nil {
            options.fields.append(("User-Agent", configuration.userAgent))
        }
        let takesBody: Set<HTTPRequest.Method> = [.post, .put, .patch]
        if !body.isEmpty || takesBody.contains(method) { options.body = body }
        return options
    }
}
