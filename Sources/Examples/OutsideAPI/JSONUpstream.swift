public import HTTPClient
import HTTPTypes
import StateCoding

/// JSON to and from one outside API.
public struct JSONUpstream: Sendable {
    private let client: HTTPClient
    private let base: String

    /// The outside API at `base`, for example `http://127.0.0.1:8081`, without a slash at its end.
    public init(client: HTTPClient, base: String) {
        self.client = client
        self.base = base
    }

    /// Gets and decodes; throws `UpstreamError`, `HTTPClientError` or `DecodingFailure`.
    public func get<Answer: Decodable>(_ path: String) async throws -> Answer {
        try await answer(to: OutboundRequest(url: base + path))
    }

    /// Posts a JSON body and decodes the answer.
    ///
    /// - Parameter authorization: the value of the field `Authorization`, if one is sent.
    public func post<Answer: Decodable>(
        _ path: String, _ body: some Encodable, authorization: String? = nil
    ) async throws -> Answer {
        var request = OutboundRequest(method: .post, url: base + path)
        request.fields[.contentType] = "application/json"
        request.fields[.authorization] = authorization
        try StateEncoder().encode(body, into: &request.body)
        return try await answer(to: request)
    }

    private func answer<Answer: Decodable>(to request: OutboundRequest) async throws -> Answer {
        let response = try await client.execute(request)
        guard response.status.kind == .successful else {
            throw UpstreamError(status: response.status.code)
        }
        return try StateDecoder().decode(Answer.self, from: response.body.span)
    }

    /// A path segment or a query's value, percent-encoded (RFC 3986 §2.3).
    public static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var escaped = String.UnicodeScalarView()
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                escaped.append(Unicode.Scalar(byte))
            default:
                escaped.append("%")
                escaped.append(digits[Int(byte >> 4)])
                escaped.append(digits[Int(byte & 15)])
            }
        }
        return String(escaped)
    }
}
