package import HTTPClient
import HTTPTypes
import StateCoding

/// JSON to and from one outside API.
package struct JSONUpstream: Sendable {
    private let client: OutboundClient
    private let base: String
    private var owner: String?

    /// The outside API at `base`, for example `http://127.0.0.1:8081`, without a slash at its end.
    package init(client: OutboundClient, base: String) {
        self.client = client
        self.base = base
    }

    /// The same outside API, whose requests count for an owner (`OutboundRequest.owner`).
    package func asked(for owner: String) -> JSONUpstream {
        var api = self
        api.owner = owner
        return api
    }

    /// Gets and decodes; throws `UpstreamError`, `HTTPClientError` or `DecodingFailure`.
    package func get<Answer: Decodable>(_ path: UpstreamPath) async throws -> Answer {
        try await answer(to: OutboundRequest(url: base + path.text))
    }

    /// Posts a JSON body and decodes the answer.
    ///
    /// - Parameter authorization: the value of the field `Authorization`, if one is sent.
    package func post<Answer: Decodable>(
        _ path: UpstreamPath, _ body: some Encodable, authorization: String? = nil
    ) async throws -> Answer {
        var request = OutboundRequest(method: .post, url: base + path.text)
        request.fields[.contentType] = "application/json"
        request.fields[.authorization] = authorization
        try StateEncoder().encode(body, into: &request.body)
        return try await answer(to: request)
    }

    private func answer<Answer: Decodable>(to request: OutboundRequest) async throws -> Answer {
        var request = request
        request.owner = owner
        let response = try await client.execute(request)
        guard response.status.kind == .successful else {
            throw UpstreamError(status: response.status.code)
        }
        return try StateDecoder().decode(Answer.self, from: response.body.span)
    }
}
