import Foundation
import FoundationNetworking
import HTTPClient
import HTTPTypes
import Testing

/// A client of servers that answer in JSON. It goes over libcurl: Foundation's own client may end
/// the whole process (swift-corelibs-foundation, issue 5469).
struct JSONClient {
    private static let outbound = Result {
        var configuration = HTTPClientConfiguration()
        configuration.totalTimeout = .seconds(90)
        configuration.responseLimit = 64 << 20
        return try OutboundClient(configuration: configuration)
    }

    let base: String

    /// Sends one request and decodes the answer's object; `[:]` where the body is none.
    func send(_ method: String, _ path: String, _ body: [String: Any]?) async throws
        -> [String: Any]
    {
        let (_, data) = try await exchange(method, path, body)
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    /// Sends one request; the whole answer.
    func exchange(
        _ method: String, _ path: String, _ body: [String: Any]? = nil,
        fields: [String: String] = [:]
    ) async throws -> (HTTPURLResponse, Data) {
        let data = try body.map {
            try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)
        }
        return try await exchange(method, path, data, of: "application/json", fields: fields)
    }

    /// Sends one request whose body, if any, is of a media type; the whole answer.
    func exchange(
        _ method: String, _ path: String, _ body: Data?, of type: String,
        fields: [String: String] = [:]
    ) async throws -> (HTTPURLResponse, Data) {
        let method = try #require(HTTPRequest.Method(method))
        var request = OutboundRequest(method: method, url: base + path)
        if let body {
            request.body = Array(body)
            request.fields[.contentType] = type
        }
        for (name, value) in fields {
            request.fields[try #require(HTTPField.Name(name))] = value
        }
        let answer = try await Self.outbound.get().execute(request)
        return (try response(answer, to: request.url), Data(answer.body))
    }

    private func response(
        _ answer: OutboundResponse, to url: String
    ) throws -> HTTPURLResponse {
        var fields: [String: String] = [:]
        for field in answer.fields { fields[field.name.rawName] = field.value }
        let url = try #require(URL(string: url))
        return try #require(
            HTTPURLResponse(
                url: url, statusCode: answer.status.code, httpVersion: "HTTP/1.1",
                headerFields: fields))
    }

    /// Posts one action in the Flux form.
    @discardableResult
    func dispatch(_ path: String, _ type: String, _ payload: Any? = nil) async throws
        -> (HTTPURLResponse, Data)
    {
        var action: [String: Any] = ["type": type]
        if let payload { action["payload"] = payload }
        return try await exchange("POST", path + "/actions", action)
    }
}
