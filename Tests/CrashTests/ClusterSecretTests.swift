import Bytes
import ClientWire
import Foundation
import PostgreSQLServer
import Sockets
import StatecastTesting
import Testing

/// What real servers say to each other, as who stands between them hears it.
@Suite(
    .enabled(
        if: PostgreSQLServer.isThere, "PostgreSQL 15 is not installed (Debian's package postgresql)"
    )) struct ClusterSecretTests
{
    private static let path = "/rides/sessions/s"
    private static let secret = "open-sesame"

    @Test func `a secret is in nothing that servers show each other`() throws {
        // The password stands in the state as long as nobody answers.
        let upstream = try Proxy(at: "127.0.0.1", to: "127.0.0.2")
        upstream.fallSilent()
        let servers = try ClusterServers(
            2, options: ["--upstream", "http://127.0.0.1:\(upstream.port)"])
        let (one, two) = (servers.processes[0], servers.processes[1])
        try servers.make(Self.path, at: 0)
        for peer in servers.peers { peer.listen() }
        // So many that the other server follows the session.
        let watchers = try (0..<20).map { _ in try watch(two) }
        for events in watchers { #expect(try events.next()?.name == "snapshot") }
        try until { try text("/metrics", at: two).contains("\nstatecast_followers 1\n") }
        try dispatch("welcome/signInChosen", at: one)
        let person = #"{"email":"rosa@example.com","password":"\#(Self.secret)"}"#
        try dispatch("signIn/submitted", person, at: one)
        // Who watches by then is led on by the server itself, which gives it up.
        for events in watchers {
            while let event = try events.next() { #expect(!event.data.contains(Self.secret)) }
        }
        let again = try (0..<20).map { _ in try watch(two) }
        for events in again {
            let data = try #require(try events.next()?.data)
            #expect(data.contains("rosa@") && !data.contains(Self.secret))
        }
        for resource in ["state", "log", "recording"] {
            let found = try text("\(Self.path)/\(resource)", at: two)
            #expect(!found.contains(Self.secret), "\(resource)")
        }
        let heard = servers.peers.map { String(decoding: $0.heard, as: UTF8.self) }.joined()
        // All of that was heard, and what stands in the secret's place.
        #expect(heard.contains("/events?build="))
        #expect(heard.contains("\(Self.path)/log") && heard.contains("rosa@example.com"))
        #expect(heard.contains("<redacted>"))
        #expect(!heard.contains(Self.secret))
    }

    private func watch(_ server: ServerProcess) throws -> TestEvents {
        let connection = try BlockingConnection(port: server.port)
        let request = ClientRequest.events(of: Self.path, query: "?patch=json-patch")
        try connection.send(request.bytes(to: "localhost"))
        return TestEvents(connection)
    }

    private func text(_ target: String, at server: ServerProcess) throws -> String {
        String(decoding: try server.answer(ClientRequest("GET", target)).body, as: UTF8.self)
    }

    private func dispatch(
        _ type: String, _ payload: String? = nil, at server: ServerProcess
    ) throws {
        let payload = payload.map { #","payload":\#($0)"# } ?? ""
        let body = Array(#"{"type":"\#(type)"\#(payload)}"#.utf8)
        #expect(try server.answer(.posting(body, to: Self.path)).status == 200)
    }

    /// Looks until something is so, for a minute at most.
    private func until(_ isSo: () throws -> Bool) throws {
        let end = Instant.read().advanced(by: .seconds(60))
        while try !isSo() { try #require(Instant.read() < end) }
    }
}
