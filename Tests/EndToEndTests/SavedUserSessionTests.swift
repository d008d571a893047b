import Foundation
import FoundationNetworking
import Testing

@Suite(.serialized) struct `A server that keeps who is signed in` {
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "statecast-\(UUID().uuidString)")

    /// A session of Rides, made or made anew, with its newest state.
    private final class Ride {
        private let server: StatecastServer
        private let client: JSONClient
        private let path: String
        private let stream: CurlStream

        init(_ directory: URL, _ session: String) async throws {
            path = "/rides/sessions/\(session)"
            server = try StatecastServer(["--user-sessions", directory.path], delay: "0")
            client = server.client
            _ = try await client.exchange("PUT", path)
            stream = try CurlStream("\(server.base)\(path)/events")
        }

        func wait(for text: String) throws {
            _ = try stream.line { $0.contains(text) ? true : nil }
        }

        func dispatch(_ type: String, _ payload: Any? = nil) async throws {
            try await client.dispatch(path, type, payload)
        }

        /// Ends the session for good.
        func delete() async throws {
            let (response, _) = try await client.exchange("DELETE", path)
            #expect(response.statusCode == 204)
        }

        func end() { server.running.killNow() }
    }

    @Test func `greets them after it was killed, and forgets who has signed out`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let first = try await signedIn()
        first.end()

        let second = try await Ride(directory, "rosa")
        try second.wait(for: "Rosa Lindqvist")
        let other = try await Ride(directory, "other")
        try other.wait(for: "welcoming")
        other.end()
        try await second.dispatch("signedOut")
        try second.wait(for: "welcoming")
        try await awaitFiles { $0.isEmpty }
        second.end()

        let third = try await Ride(directory, "rosa")
        try third.wait(for: "welcoming")
        third.end()
    }

    @Test func `forgets them with a session that they end, though it is killed thereafter`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: directory) }
        let first = try await signedIn()
        try await first.delete()
        first.end()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        let second = try await Ride(directory, "rosa")
        try second.wait(for: "welcoming")
        second.end()
    }

    @Test func `lets nobody else read them`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let ride = try await Ride(directory, "rosa")
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        ride.end()
    }

    /// A session in which Rosa has signed in, which is kept.
    private func signedIn() async throws -> Ride {
        let ride = try await Ride(directory, "rosa")
        try ride.wait(for: "welcoming")
        try await ride.dispatch("welcome/signInChosen")
        try await ride.dispatch(
            "signIn/submitted", ["email": "rosa@example.com", "password": "open-sesame"])
        try ride.wait(for: "Rosa Lindqvist")
        try await awaitFiles { $0.count == 1 && $0[0].hasSuffix(".saved") && $0[0].first != "." }
        return ride
    }

    private struct FilesMissing: Error {
        let names: [String]
    }

    /// Deleting goes on after the state is shown.
    private func awaitFiles(_ isWanted: ([String]) -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            if isWanted(names) { return }
            guard ContinuousClock.now < end else { throw FilesMissing(names: names) }
            await Task.yield()
        }
    }
}
