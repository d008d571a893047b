import Foundation
import FoundationNetworking

/// A client that is not ours, for answers in JSON.
struct JSONClient {
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
        guard let url = URL(string: base + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url, timeoutInterval: 70)
        request.httpMethod = method
        if let body {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else {
            throw URLError(.badServerResponse)
        }
        return (response, data)
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
