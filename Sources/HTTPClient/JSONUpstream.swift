internal import Bytes
public import HTTPTypes
internal import StateCoding

/// JSON to and from one outside service, whose paths are given by their segments:
///
///     let api = JSONUpstream(client: client, base: "https://payments.example")
///     try await api.get("charges", id, "refunds")               // /charges/c7/refunds
///     try await api.get("places", query: ["query": "tin can"])  // /places?query=tin%20can
///
/// JSON is read and written as that of states; members that a type does not know are ignored. The methods
/// throw ``UpstreamError`` for an answer that is no success, ``HTTPClientError`` where there is none, and
/// `DecodingFailure` of StateCoding where it cannot be read.
public struct JSONUpstream: Sendable {
    /// Sent with every request: `[.authorization: "Bearer …"]`.
    public var fields: HTTPFields = [:]
    /// In place of the client's, for each request: from the call to the last byte.
    public var totalTimeout: Duration?
    private let client: OutboundClient
    private let base: String
    @TaskLocal private static var work: (owner: String, key: String)?
    private static let keyName = HTTPField.Name("Idempotency-Key")

    /// The service at `base`, for example `http://127.0.0.1:8081`, without a slash at its end.
    public init(client: OutboundClient, base: String) {
        self.client = client
        self.base = base
    }

    /// Asks on account of a piece of an application's work: all requests that the closure makes, of
    /// any service.
    ///
    ///     try await JSONUpstream.onBehalf(of: "\(context.session)", key: context.key) {
    ///         try await api.post(order, to: "orders")
    ///     }
    ///
    /// - Parameters:
    ///   - owner: has a share of the client's transfers (``OutboundRequest/owner``): a session, for
    ///     instance, so that one with a thousand requests delays no other.
    ///   - key: sent as `Idempotency-Key` with what is posted: the service tells a repeat by it, after
    ///     a crash as well.
    public static func onBehalf<Output>(
        of owner: String, key: String, _ body: () async throws -> Output
    ) async rethrows -> Output {
        try await $work.withValue((owner, key), operation: body)
    }

    /// Gets a value. An answer without a body is read as `null`.
    public func get<Answer: Decodable>(
        _ segments: String..., query: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        let path = try Self.path(segments, query: query)
        return try await answer(to: OutboundRequest(url: base + path, fields: fields))
    }

    /// Posts a JSON body, and reads the answer as ``get(_:query:)`` does.
    ///
    /// - Parameter authorization: the value of the field `Authorization`; nil: that of ``fields``.
    public func post<Answer: Decodable>(
        _ body: some Encodable, to segments: String..., authorization: String? = nil
    ) async throws -> Answer {
        var request = OutboundRequest(
            method: .post, url: base + (try Self.path(segments)), fields: fields)
        request.fields[.contentType] = "application/json"
        if let authorization { request.fields[.authorization] = authorization }
        if let name = Self.keyName, let work = Self.work { request.fields[name] = work.key }
        try StateEncoder().encode(body, into: &request.body)
        return try await answer(to: request)
    }

    private func answer<Answer: Decodable>(to request: OutboundRequest) async throws -> Answer {
        var request = request
        request.owner = Self.work?.owner
        request.totalTimeout = totalTimeout
        let response = try await client.execute(request)
        guard response.status.kind == .successful else {
            throw UpstreamError(status: response.status.code, body: response.body)
        }
        let body = response.body.isEmpty ? Array("null".utf8) : response.body
        return try StateDecoder().decode(Answer.self, from: body.span)
    }

    /// A path with a slash before each segment, and its query. Every segment and value is
    /// percent-encoded, whatever it holds, so that none can become another path than is meant.
    ///
    /// Throws 404 where no encoding makes a segment harmless (RFC 3986 §3.3): it is empty, `.` or `..`.
    static func path(
        _ segments: [String], query: KeyValuePairs<String, String> = [:]
    ) throws(UpstreamError) -> String {
        guard segments.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw UpstreamError(status: 404)
        }
        let path = segments.map { "/" + Hexadecimal.percentEncoded($0) }.joined()
        let pairs = query.map { [$0, $1].map(Hexadecimal.percentEncoded).joined(separator: "=") }
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }
}

/// An answer of an outside service that is not a success.
public struct UpstreamError: Error, Hashable, Sendable {
    /// The status code, 300 to 599; 404 also for a path with a segment that no service can have.
    public let status: Int
    /// The content, for what the service tells there of the reason.
    public let body: [UInt8]

    /// An answer by hand, for tests of code that meets one.
    public init(status: Int, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    /// A sentence for the person who looks at the screen, whatever the error is.
    public static func message(for error: any Error) -> String {
        switch error {
        case let error as UpstreamError where error.status == 404:
            "The service does not know this."
        case let error as UpstreamError:
            "The service answered with an error (\(error.status)). Try again."
        case HTTPClientError.timedOut, HTTPClientError.connectTimedOut:
            "The service took too long to answer. Try again."
        case HTTPClientError.overloaded, HTTPClientError.ownerOverloaded:
            "Too much is asked of the service at once. Try again."
        case is HTTPClientError:
            "The service cannot be reached. Try again."
        default:
            "The service's answer made no sense. Try again."
        }
    }
}
