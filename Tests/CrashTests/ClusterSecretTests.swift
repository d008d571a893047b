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

    @Test func `a server with another key is told nothing, and sends nothing`() throws {
        let servers = try ClusterServers(2)
        try servers.make(Self.path, at: 0)
        #expect(servers.processes[1].terminate() == 0)
        try servers.start(1, key: Array(2...17))
        let (one, two) = (servers.processes[0], servers.processes[1])
        let (moved, tag) = (#""type":"/problems/moved""#, try tag(at: one))
        #expect(try text("\(Self.path)/state", at: two).contains(moved))
        let body = Array(#"{"type":"welcome/signInChosen"}"#.utf8)
        let refused = try two.answer(.posting(body, to: Self.path))
        #expect(refused.status == 503 && refused.fields["retry-after"] != nil)
        #expect(String(decoding: refused.body, as: UTF8.self).contains(moved))
        #expect(try self.tag(at: one) == tag)
        #expect(two.terminate() == 0)
        try servers.start(1)
        try dispatch("welcome/signInChosen", at: servers.processes[1])
        #expect(try self.tag(at: one) != tag)
    }

    @Test func `a request as large as it may be is no larger for who passes it on`() throws {
        let servers = try ClusterServers(2)
        try servers.make(Self.path, at: 0)
        // One less, for the host.
        let many = (0..<99).map { ("x-\($0)", "1") }
        let long = [("x-long", String(repeating: "x", count: (32 << 10) - 100))]
        for fields in [many, long] {
            let request = ClientRequest(
                "GET", "\(Self.path)/state", fields: Dictionary(uniqueKeysWithValues: fields))
            for server in servers.processes { #expect(try server.answer(request).status == 200) }
        }
    }

    private func tag(at server: ServerProcess) throws -> String {
        let answer = try server.answer(ClientRequest("GET", "\(Self.path)/state"))
        #expect(answer.status == 200)
        return answer.fields["etag"] ?? ""
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
