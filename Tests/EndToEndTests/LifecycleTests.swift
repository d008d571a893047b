import EpisodesModel
import Foundation
import FoundationNetworking
import TemporaryFolder
import Testing

@Suite(.serialized) struct `The running server` {
    @Test func `ends its streams, stops being ready and exits with 0 on SIGTERM`() async throws {
        let server = try StatecastServer()
        let (ready, _) = try await server.client.exchange("GET", "/readyz")
        #expect(ready.statusCode == 200)
        _ = try await server.client.exchange("PUT", "/counter/sessions/end")
        let curl = try CurlStream("\(server.base)/counter/sessions/end/events")
        _ = try curl.state { $0["count"] as? Int == 0 }
        #expect(server.running.terminate() == 0)
        #expect(throws: ProcessEnded.self) { try curl.line { _ in Bool?.none } }
    }

    @Test func `refuses to listen beyond this machine unless it is told to`() throws {
        let journal = TemporaryFolder()
        let refused = try RunningProcess(
            URL(filePath: "/bin/sh"),
            [
                "-c", "exec \"$0\" serve --host 0.0.0.0 --port 0 --journal \"$1\" 2>&1",
                Products.statecast.path, journal.path,
            ])
        let hint = try refused.firstLine { $0.contains("0.0.0.0") ? $0 : nil }
        #expect(hint.contains("add --insecure"))
        #expect(throws: ProcessEnded.self) { try refused.firstLine { _ in Bool?.none } }
        refused.process.waitUntilExit()
        #expect(refused.process.terminationStatus == 78)
        #expect(!FileManager.default.fileExists(atPath: journal.path))
    }

    @Test func `keeps its sessions below the folder that it is started in, for its user alone`()
        throws
    {
        let place = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: place.path, withIntermediateDirectories: true)
        let running = try RunningProcess(
            URL(filePath: "/bin/sh"),
            [
                "-c", "cd \"$1\" && exec \"$0\" serve --port 0 --public \"$2\"",
                Products.statecast.path, place.path, Products.publicDirectory.path,
            ])
        #expect(
            try running.firstLine { $0 }.hasSuffix("sessions are kept in ./.statecast/journal"))
        let made = try FileManager.default.attributesOfItem(
            atPath: "\(place.path)/.statecast/journal")
        #expect(made[.posixPermissions] as? Int == 0o700)
        #expect(running.terminate() == 0)
    }

    @Test(arguments: [
        ["-H", "Origin: https://evil.example"], ["-H", "Sec-Fetch-Site: cross-site"],
        ["-H", "Host: rebound.example"],
    ])
    func `keeps other sites' pages from changing anything`(fields: [String]) async throws {
        let server = try StatecastServer()
        let url = "\(server.base)/counter/sessions/mine"
        let (response, _) = try Curl.exchange(fields + ["-X", "PUT", url])
        #expect([403, 421].contains(response.statusCode))
        let (after, _) = try Curl.exchange([url])
        #expect(after.statusCode == 404)
    }

    @MainActor @Test func `ten watchers make the server fetch once`() async throws {
        let server = try StatecastServer()
        for _ in 0..<10 {
            let mirror = try await server.mirror(EpisodeGuide.self, of: "/episodes/sessions/many")
            try await mirror.first { $0.home?.episodes.isEmpty == false }
        }
        let upstream = try #require(server.upstream)
        let counts = try await JSONClient(base: upstream.absoluteString)
            .send("GET", "/mock/requests", nil)
        #expect(counts["/episodes"] as? Int == 1)
    }
}
