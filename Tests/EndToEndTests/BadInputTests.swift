import EpisodesModel
import Foundation
import FoundationNetworking
import TemporaryFolder
import Testing

@Suite(.serialized) struct `Bad input to the running server` {
    struct Case: Sendable {
        let name: String
        let body: String
        let status: Int
        var mediaType = "application/json"
        var hint = ""
    }

    static let cases = [
        Case(name: "malformed JSON", body: "{\"type\":", status: 400),
        Case(
            name: "an unknown action", body: "{\"type\":\"home/searchEditd\"}", status: 422,
            hint: "home/searchEdited"),
        Case(
            name: "an internal fact", body: "{\"type\":\"splash/ended\"}", status: 422,
            hint: "/problems/fact-not-allowed"),
        Case(
            name: "a payload of the wrong shape",
            body: "{\"type\":\"home/searchEdited\",\"payload\":{\"text\":7}}", status: 422,
            hint: "/payload/text"),
        Case(
            name: "an oversize body",
            body: "{\"type\":\"home/searchEdited\",\"payload\":{\"text\":\""
                + String(repeating: "x", count: 1_100_000) + "\"}}", status: 413),
        Case(
            name: "deep nesting",
            body: "{\"type\":\"home/refreshed\",\"meta\":" + String(repeating: "[", count: 5000)
                + String(repeating: "]", count: 5000) + "}", status: 400),
        Case(
            name: "another media type", body: "{\"type\":\"home/refreshed\"}", status: 415,
            mediaType: "text/plain"),
    ]

    @MainActor @Test func `is refused with a problem, changes nothing, and the process lives`()
        async throws
    {
        let server = try StatecastServer()
        let mirror = try await server.mirror(EpisodeGuide.self, of: "/episodes/sessions/bad")
        try await mirror.first { $0.home?.episodes.isEmpty == false }
        let before = try await server.client.exchange("GET", "/episodes/sessions/bad").0
        for input in Self.cases {
            let (response, body) = try await post(input, to: server)
            #expect(response.statusCode == input.status, "\(input.name)")
            let type = response.value(forHTTPHeaderField: "Content-Type")
            #expect(type?.hasPrefix("application/problem+json") == true, "\(input.name)")
            let problem = try #require(
                try JSONSerialization.jsonObject(with: body) as? [String: Any])
            #expect(problem["status"] as? Int == input.status, "\(input.name)")
            let text = String(decoding: body, as: UTF8.self)
            #expect(text.contains(input.hint) || input.hint.isEmpty, "\(text)")
            let after = try await server.client.exchange("GET", "/episodes/sessions/bad").0
            let tags = [before, after].map { $0.value(forHTTPHeaderField: "ETag") }
            #expect(tags[0] == tags[1], "\(input.name)")
        }
        #expect(server.running.terminate() == 0)
    }

    private func post(_ input: Case, to server: StatecastServer) async throws -> (
        HTTPURLResponse, Data
    ) {
        let folder = try TemporaryFolder(["body": input.body])
        return try Curl.exchange([
            "-X", "POST", "-H", "Content-Type: \(input.mediaType)", "-H", "Expect:",
            "--data-binary", "@\(folder.path)/body", "\(server.base)/episodes/sessions/bad/actions",
        ])
    }
}
