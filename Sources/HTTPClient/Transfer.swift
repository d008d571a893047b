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
