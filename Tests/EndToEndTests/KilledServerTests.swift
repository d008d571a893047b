import Foundation
import FoundationNetworking
import TemporaryFolder
import Testing

@Suite(.serialized) struct `A server that was killed` {
    private static let sessionCount = 8
    private static let requestCount = 400

    private static func path(_ number: Int) -> String {
        "/counter/sessions/kept\(number % sessionCount)"
    }

    /// Posts a numbered action with a key; nil where no answer comes.
    private static func post(
        _ number: Int, to client: JSONClient
    ) async -> (status: Int, version: Int, isRepeated: Bool)? {
        let answer = try? await client.exchange(
            "POST", "\(path(number))/actions",
            Data(#"{"type":"incremented","payload":{"by":1}}"#.utf8), of: "application/json",
            fields: ["Idempotency-Key": "key-\(number)"])
        guard let (response, data) = answer,
            let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        else { return nil }
        return (
            response.statusCode, object["version"] as? Int ?? 0,
            response.value(forHTTPHeaderField: "Idempotency-Replayed") == "true"
        )
    }

    /// Posts numbered actions, several at a time, and answers with the versions of those that were
    /// acknowledged.
    private static func postAll(_ numbers: Range<Int>, to client: JSONClient) async -> [Int: Int] {
        await withTaskGroup(of: [Int: Int].self) { group in
            for worker in 0..<16 {
                group.addTask {
                    var acknowledged: [Int: Int] = [:]
                    for number in numbers where number % 16 == worker {
                        guard let answer = await post(number, to: client) else { break }
                        if answer.status == 200 { acknowledged[number] = answer.version }
                    }
                    return acknowledged
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
    }

    @Test func `has everything that it has acknowledged, exactly once`() async throws {
        let directory = TemporaryFolder()
        var acknowledged: [Int: Int] = [:]
        for round in 0..<4 {
            let server = try StatecastServer(journal: directory.path)
            let client = server.client
            for number in 0..<Self.sessionCount {
                let (made, _) = try await client.exchange("PUT", Self.path(number))
                #expect(made.statusCode == (round == 0 ? 201 : 200))
            }
            // All that were acknowledged before have their first answer.
            for (number, version) in acknowledged {
                let again = try #require(await Self.post(number, to: client))
                #expect(again.isRepeated && again.version == version, "round \(round): \(number)")
            }
            let delay = Duration.milliseconds(Int.random(in: 50...400))
            let killer = Task {
                try? await ContinuousClock().sleep(for: delay)
                server.running.killNow()
            }
            let range = round * Self.requestCount..<(round + 1) * Self.requestCount
            acknowledged.merge(await Self.postAll(range, to: client)) { first, _ in first }
            await killer.value
        }
        #expect(!acknowledged.isEmpty)
        let server = try StatecastServer(journal: directory.path)
        // Whatever became of those without an answer, their repeats act once.
        let all = await Self.postAll(0..<4 * Self.requestCount, to: server.client)
        #expect(all.count == 4 * Self.requestCount)
        for (number, version) in acknowledged { #expect(all[number] == version) }
        for session in 0..<Self.sessionCount {
            let versions = all.filter { $0.key % Self.sessionCount == session }.values.sorted()
            #expect(versions == Array(1...versions.count), "A version for each request.")
            let state = try await server.client.send("GET", "\(Self.path(session))/state", nil)
            #expect(state["count"] as? Int == versions.count)
        }
    }

    @Test func `knows who has signed in, and not who has signed out`() async throws {
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
            _ = try await client.exchange("PUT", ride)
            let stream = try CurlStream("\(server.base)\(ride)/events")
            _ = try stream.line { $0.contains("welcoming") ? true : nil }
            try await client.dispatch(ride, "welcome/signInChosen", nil)
            try await client.dispatch(
                ride, "signIn/submitted", ["email": "rosa@example.com", "password": "open-sesame"])
            _ = try stream.line { $0.contains("Rosa Lindqvist") ? true : nil }
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
        var token = ""
        do {
            let server = try StatecastServer(journal: directory.path)
            _ = try await server.client.exchange("PUT", Self.path(0))
            for number in 0..<20 {
                let (answer, _) = try await server.client.exchange(
                    "POST", "\(Self.path(0))/actions",
                    ["type": "incremented", "payload": ["by": 1]])
                guard number == 18 else { continue }
                token = answer.value(forHTTPHeaderField: "ETag") ?? ""
            }
            server.running.killNow()
        }
        let server = try StatecastServer(journal: directory.path)
        let id = token.filter { $0 != "\"" }
        let stream = try CurlStream(
            "\(server.base)\(Self.path(0))/events?patch=json-patch",
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
