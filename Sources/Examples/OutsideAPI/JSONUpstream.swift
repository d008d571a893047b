import Bytes
package import HTTPClient
import HTTPTypes
import StateCoding

/// JSON to and from one outside API, whose paths are given by their segments:
///
///     try await api.get("episodes", id, "comments")               // /episodes/e7/comments
///     try await api.get("places", query: ["query": "tin can"])    // /places?query=tin%20can
///
/// The methods throw `UpstreamError`, `HTTPClientError` or `DecodingFailure`.
package struct JSONUpstream: Sendable {
    private let client: OutboundClient
    private let base: String
    /// The work on whose account a task makes requests. They count for the owner
    /// (`OutboundRequest.owner`), a session, which has its share of the client's transfers; and what is
    /// posted has the work's key, by which the other side tells a repeat after a crash.
    @TaskLocal package static var work: (owner: String, key: String)?
    private static let keyName = HTTPField.Name("Idempotency-Key")

    /// The outside API at `base`, for example `http://127.0.0.1:8081`, without a slash at its end.
    package init(client: OutboundClient, base: String) {
        self.client = client
        self.base = base
    }

    /// Gets and decodes.
    package func get<Answer: Decodable>(
        _ segments: String..., query: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        let path = try Self.path(segments, query: query)
        return try await answer(to: OutboundRequest(url: base + path))
    }

    /// Posts a JSON body and decodes the answer.
    ///
    /// - Parameter authorization: the value of the field `Authorization`, if one is sent.
    package func post<Answer: Decodable>(
        _ body: some Encodable, to segments: String..., authorization: String? = nil
    ) async throws -> Answer {
        var request = OutboundRequest(method: .post, url: base + (try Self.path(segments)))
        request.fields[.contentType] = "application/json"
        request.fields[.authorization] = authorization
        if let name = Self.keyName { request.fields[name] = Self.work?.key }
        try StateEncoder().encode(body, into: &request.body)
        return try await answer(to: request)
    }

    private func answer<Answer: Decodable>(to request: OutboundRequest) async throws -> Answer {
        var request = request
        request.owner = Self.work?.owner
        let response = try await client.execute(request)
        guard response.status.kind == .successful else {
            throw UpstreamError(status: response.status.code)
        }
        return try StateDecoder().decode(Answer.self, from: response.body.span)
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
        let path = segments.map { "/" + escaped($0) }.joined()
        let query = query.map { "\(escaped($0))=\(escaped($1))" }.joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    /// A text in which all but the unreserved characters is percent-encoded (RFC 3986 §2.3).
    private static func escaped(_ text: String) -> String {
        let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            if unreserved.contains(byte) { return [byte] }
            let digits = [byte >> 4, byte & 15].map(Hexadecimal.capitalDigit)
            return [UInt8(ascii: "%")] + digits
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// An answer of the outside API that is not a success.
package struct UpstreamError: Error, Hashable, Sendable {
    /// The status code, 300 to 599.
    package let status: Int

    /// A sentence for the person who looks at the screen, whatever the error is.
    package static func message(for error: any Error) -> String {
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
