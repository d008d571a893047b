import Journaling
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite struct `With a journal that takes its time` {
    private static let session = "/notes/sessions/demo"

    private func withNotes(
        _ body: @Sendable (TestServer, ScriptedJournal) async throws -> Void
    ) async throws {
        let journal = ScriptedJournal()
        var configuration = TestServer.configuration
        configuration.journal = journal
        try await TestServer.run(
            configuration, serving: { Served("/notes", NotesApplication()) }
        ) { server in
            try server.create(Self.session)
            try await body(server, journal)
        }
    }

    private func add(_ text: String) -> String {
        "{\"type\":\"added\",\"payload\":\"\(text)\"}"
    }

    private func state(_ server: TestServer) throws -> String {
        try server.send("GET", Self.session + "/state?select=/notes").body
    }

    @Test func `nobody sees an action before it is durable`() async throws {
        try await withNotes { server, journal in
            let events = try server.events(Self.session, query: "?select=/notes")
            #expect(try events.next()?.data == "[]")
            let posted = try server.openPost(Self.session, add("a"))
            await journal.waitForAppends(1)
            #expect(try state(server) == "[]")
            journal.answer(.durable)
            #expect(try posted.answer().status == 200)
            #expect(try state(server) == "[\"a\"]")
            #expect(try events.next()?.data == "[\"a\"]")
            let bytes = try #require(journal.batches.first?.entries.first)
            let entry = String(decoding: bytes, as: UTF8.self)
            #expect(entry.contains("\"version\":1"))
            #expect(entry.contains("\"action\":{\"type\":\"added\",\"payload\":\"a\"}"))
        }
    }

    @Test func `a refusal waits for what it rests on`() async throws {
        try await withNotes { server, journal in
            let posted = try server.openPost(Self.session, add("a"))
            await journal.waitForAppends(1)
            let refused = try server.openPost(Self.session, "{\"type\":\"rejectMe\"}")
            let stale = try server.openPost(
                Self.session, add("b"), fields: ["If-Match": "\"x-0\""])
            journal.answer(.durable)
            #expect(try posted.answer().status == 200)
            let answer = try refused.answer()
            #expect(answer.status == 422)
            #expect(answer.etag?.hasSuffix("-1") == true)
            #expect(try stale.answer().status == 412)
        }
    }

    @Test func `an append that failed leaves everything as it was`() async throws {
        try await withNotes { server, journal in
            let events = try server.events(Self.session, query: "?select=/notes")
            #expect(try events.next()?.data == "[]")
            let posted = try server.openPost(
                Self.session, add("a"), fields: ["Idempotency-Key": "k"])
            await journal.waitForAppends(1)
            journal.answer(.failed)
            let answer = try posted.answer()
            #expect(answer.status == 503)
            #expect(answer.fields["retry-after"] != nil)
            #expect(try answer.json().root["type"]?.string == "/problems/journal-unavailable")
            #expect(try state(server) == "[]")
            let again = try server.openPost(
                Self.session, add("b"), fields: ["Idempotency-Key": "k"])
            await journal.waitForAppends(1)
            journal.answer(.durable)
            #expect(try again.answer().json().root["version"]?.integer == 1)
            #expect(try events.next()?.data == "[\"b\"]")
        }
    }

    @Test func `an append whose end nobody knows closes the session`() async throws {
        try await withNotes { server, journal in
            let events = try server.events(Self.session)
            let epoch = try #require(try events.next()?.id)
            let posted = try server.openPost(Self.session, add("a"))
            await journal.waitForAppends(1)
            journal.answer(.unknown)
            let answer = try posted.answer()
            #expect(answer.status == 503)
            #expect(try answer.json().root["type"]?.string == "/problems/outcome-unknown")
            #expect(try events.next()?.name == "busy")
            #expect(try events.next() == nil)
            #expect(try server.send("GET", Self.session + "/state").status == 404)
            #expect(try server.create(Self.session).etag != epoch)
        }
    }

    @Test func `a repeat in flight waits for the first and says the same`() async throws {
        try await withNotes { server, journal in
            let key = ["Idempotency-Key": "\"k\""]
            let first = try server.openPost(Self.session, add("a"), fields: key)
            await journal.waitForAppends(1)
            let again = try server.openPost(Self.session, add("a"), fields: key)
            let other = try server.openPost(Self.session, add("b"), fields: key)
            #expect(try other.answer().status == 422)
            journal.answer(.durable)
            let answer = try first.answer()
            #expect(answer.fields["idempotency-replayed"] == nil)
            let repeated = try again.answer()
            #expect(repeated.body == answer.body)
            #expect(repeated.fields["idempotency-replayed"] == "true")
            #expect(journal.batches.count == 1)
        }
    }

    @Test func `a session that ends answers those who wait`() async throws {
        try await withNotes { server, journal in
            let posted = try server.openPost(Self.session, add("a"))
            await journal.waitForAppends(1)
            #expect(try server.send("DELETE", Self.session).status == 204)
            #expect(try posted.answer().status == 410)
            journal.answer(.durable)
            #expect(try server.send("GET", Self.session + "/state").status == 410)
        }
    }

    @Test func `what effects report is journaled too, with its cause`() async throws {
        try await withNotes { server, journal in
            let posted = try server.openPost(
                Self.session, "{\"type\":\"loadRequested\",\"payload\":{\"count\":1}}",
                query: "?settle=20")
            await journal.waitForAppends(1)
            journal.answer(.durable)
            await journal.waitForAppends(1)
            journal.answer(.durable)
            let answer = try posted.answer()
            #expect(try answer.json().root["settled"]?.bool == true)
            #expect(try answer.json().root["version"]?.integer == 2)
            let bytes = try #require(journal.batches.last?.entries.first)
            let fact = String(decoding: bytes, as: UTF8.self)
            #expect(fact.contains("\"origin\":\"effect\",\"cause\":1"))
            #expect(fact.contains("\"type\":\"loaded\""))
        }
    }
}
