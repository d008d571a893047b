import CounterModel
import Foundation
import FoundationNetworking
import Redux
import RidesModel
import StatecastClient
import TemporaryFolder
import Testing

@Suite(.serialized) struct `A server that was killed` {
    @MainActor @Test func `has everything that it has acknowledged, exactly once`() async throws {
        let directory = TemporaryFolder()
        var server = try StatecastServer(journal: directory.path)
        let kills = Kills()
        var clients: [Task<Int, any Error>] = []
        for number in 0..<8 {
            let mirror = try await server.mirror(
                Counting.self, of: "/counter/sessions/kept\(number)")
            clients.append(Task { try await kills.count(by: mirror) })
        }
        for _ in 0..<3 {
            try await ContinuousClock().sleep(for: .milliseconds(.random(in: 50...250)))
            server.running.killNow()
            server = try StatecastServer(port: server.port, journal: directory.path)
        }
        kills.areOver = true
        for (number, client) in clients.enumerated() {
            let count = try await client.value
            let path = "/counter/sessions/kept\(number)/state"
            #expect(try await server.client.send("GET", path, nil)["count"] as? Int == count)
        }
    }

    @MainActor @Test func `knows who has signed in, and not who has signed out`() async throws {
        let directory = TemporaryFolder()
        let ride = "/rides/sessions/rosa"
        var cookie: [String: String] = [:]
        do {
            let server = try StatecastServer(delay: "0", journal: directory.path)
            let client = server.client
            let (answer, _) = try await client.exchange(
                "POST", "/cards/sign-in", ["name": "Alice"])
            let field = answer.value(forHTTPHeaderField: "Set-Cookie") ?? ""
            cookie = ["Cookie": String(field.prefix { $0 != ";" })]
            let mirror = try await server.mirror(RideOrder.self, of: ride)
            try await mirror.first { "\($0)".contains("welcoming") }
            mirror.send(.welcome(.signInChosen))
            mirror.send(
                .signIn(.submitted(email: "rosa@example.com", password: Secret("open-sesame"))))
            try await mirror.first { "\($0)".contains("Rosa Lindqvist") }
            server.running.killNow()
        }
        do {
            let server = try StatecastServer(delay: "0", journal: directory.path)
            let client = server.client
            let (me, _) = try await client.exchange("GET", "/cards/me", fields: cookie)
            #expect(me.statusCode == 200)
            let (state, data) = try await client.exchange("GET", "\(ride)/state")
            #expect(state.statusCode == 200)
            #expect(String(decoding: data, as: UTF8.self).contains("Rosa Lindqvist"))
            let (out, _) = try await client.exchange(
                "POST", "/cards/sign-out", fields: cookie)
            #expect(out.statusCode == 204)
            let (ended, _) = try await client.exchange("DELETE", ride)
            #expect(ended.statusCode == 204)
            server.running.killNow()
        }
        let server = try StatecastServer(delay: "0", journal: directory.path)
        let (me, _) = try await server.client.exchange("GET", "/cards/me", fields: cookie)
        #expect(me.statusCode == 401)
        let (gone, _) = try await server.client.exchange("GET", "\(ride)/state")
        #expect([404, 410].contains(gone.statusCode))
    }

    @Test func `sends a stream that comes back what it has missed`() async throws {
        let directory = TemporaryFolder()
        let session = "/counter/sessions/kept"
        var token = ""
        do {
            let server = try StatecastServer(journal: directory.path)
            _ = try await server.client.exchange("PUT", session)
            for number in 0..<20 {
                let (answer, _) = try await server.client.exchange(
                    "POST", "\(session)/actions",
                    ["type": "incremented", "payload": ["by": 1]])
                guard number == 18 else { continue }
                token = answer.value(forHTTPHeaderField: "ETag") ?? ""
            }
            server.running.killNow()
        }
        let server = try StatecastServer(journal: directory.path)
        let id = token.filter { $0 != "\"" }
        let stream = try CurlStream(
            "\(server.base)\(session)/events?patch=json-patch",
            ["-H", "Last-Event-ID: \(id)"])
        let data = try stream.line { $0.hasPrefix("data: ") ? $0 : nil }
        #expect(
            data == #"data: {"from":19,"version":20,"ops":"#
                + #"[{"op":"replace","path":"/count","value":20}]}"#)
    }

    @Test func `goes on with a call to the outside under the key that it had`() async throws {
        let directory = TemporaryFolder()
        let stage = try StatecastServer(delay: "0")
        let upstream = JSONClient(base: try #require(stage.upstream).absoluteString)
        let path = "/rides/sessions/kept"
        /// The keys that `POST /login` has come with, each so often.
        func calls() async throws -> [String: Int] {
            let counts = try await upstream.send("GET", "/mock/requests", nil)
            return counts.compactMapValues { $0 as? Int }
                .filter { $0.key.hasPrefix("/login ") }
        }
        func wait(_ isSo: () async throws -> Bool) async throws {
            for _ in 0..<400 {
                if try await isSo() { return }
                try await ContinuousClock().sleep(for: .milliseconds(20))
            }
            Issue.record("It does not come.")
        }
        for _ in 0..<2 {
            let held: [String: Any] = ["path": "/login", "delayMilliseconds": 600_000]
            _ = try await upstream.exchange("PUT", "/mock/failures", held)
        }
        for round in 1...3 {
            let server = try StatecastServer(
                ["--upstream", upstream.base], delay: "0", journal: directory.path)
            let client = server.client
            func post(_ type: String, _ payload: [String: Any]?) async throws -> Int {
                var action: [String: Any] = ["type": type]
                action["payload"] = payload
                return try await client.exchange("POST", "\(path)/actions", action).0.statusCode
            }
            if round == 1 {
                _ = try await client.exchange("PUT", path)
                try await wait { try await post("welcome/signInChosen", nil) == 200 }
                let person = ["email": "rosa@example.com", "password": "open-sesame"]
                #expect(try await post("signIn/submitted", person) == 200)
            }
            // Nobody asks for the session: the journal calls it, since its work is due.
            try await wait { try await calls().values.first == round }
            if round == 3 {
                try await wait {
                    let state = try await client.send("GET", "\(path)/state", nil)
                    return (state["running"] as? [String: Any])?["signedIn"] != nil
                }
            } else {
                // Entries behind the one that has begun it change nothing about its key.
                #expect(try await post("signIn/errorAcknowledged", ["id": "none"]) == 200)
            }
            server.running.killNow()
        }
        let counts = try await calls()
        #expect(counts.count == 1 && counts.values.first == 3, "\(counts)")
        #expect(counts.keys.first?.hasSuffix("/sign-in") == true)
    }
}

/// The time in which servers are killed.
@MainActor private final class Kills {
    var areOver = false

    /// Counts by single actions and by batches, all of which are confirmed once and in their order; how far.
    func count(by mirror: Mirror<Counting>) async throws -> Int {
        var count = 0
        while !areOver {
            for sent in (0..<3).map({ _ in mirror.send(.incremented(by: 1)) }) {
                count += 1
                let token = try #require(try await sent.confirmed())
                #expect(token.hasSuffix("-\(count)"))
            }
        }
        return count
    }
}
