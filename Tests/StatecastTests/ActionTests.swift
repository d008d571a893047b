import Counter
import CounterModel
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `Posted actions` {
    private static let session = "/counter/sessions/demo"

    private func withCounter(
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await MemoryServer.run(serving: { Served("/counter", CounterApplication()) }) {
            server in
            try server.create(Self.session)
            try await body(server)
        }
    }

    @Test func `are answered with the version that they made`() async throws {
        try await withCounter { server in
            let answer = try server.dispatch(Self.session, "incremented", "{\"by\":2}")
            #expect(answer.status == 200)
            let document = try answer.json()
            #expect(document.root["version"]?.integer == 1)
            #expect(document.root["token"]?.string == answer.etag)
            #expect(document.root["changed"]?.bool == true)
            let same = try server.dispatch(Self.session, "incremented", "{\"by\":0}")
            #expect(try same.json().root["changed"]?.bool == false)
        }
    }

    @Test func `of a batch happen all or not at all`() async throws {
        try await withCounter { server in
            let good = try server.post(
                Self.session,
                "[{\"type\":\"incremented\",\"payload\":{\"by\":2}},{\"type\":\"reset\"}]")
            #expect(try good.json().root["version"]?.integer == 2)
            let bad = try server.post(
                Self.session,
                """
                [{"type":"incremented","payload":{"by":1}},\
                {"type":"incremented","payload":{"by":9223372036854775807}}]
                """)
            #expect(bad.status == 422)
            #expect(try bad.json().root["index"]?.integer == 1)
            #expect(try server.send("GET", Self.session + "/state").body == "{\"count\":0}")
        }
    }

    @Test func `under If-Match are refused once the session has moved on`() async throws {
        try await withCounter { server in
            let first = try server.dispatch(Self.session, "incremented", "{\"by\":1}")
            let tag = try #require(first.etag)
            let second = try server.dispatch(
                Self.session, "incremented", "{\"by\":1}", fields: ["If-Match": "W/\"\(tag)\""])
            #expect(second.status == 200)
            let stale = try server.dispatch(
                Self.session, "incremented", "{\"by\":1}", fields: ["If-Match": "\"\(tag)\""])
            #expect(stale.status == 412)
            #expect(stale.etag == second.etag)
        }
    }

    @Test func `that are repeated are answered as the repeat asks, and happen once`() async throws {
        try await withCounter { server in
            var fields = ["Idempotency-Key": "k"]
            for query in ["?settle=1", "?settle=1", ""] {
                let answer = try server.dispatch(
                    Self.session, "incremented", "{\"by\":2}", query: query, fields: fields)
                #expect(answer.body.contains("\"settled\":true") == !query.isEmpty)
                #expect(answer.body.contains("\"version\":1,"))
            }
            fields["Prefer"] = "return=representation"
            let state = try server.dispatch(
                Self.session, "incremented", "{\"by\":2}", fields: fields)
            #expect(state.body == "{\"count\":2}")
            #expect(state.fields["preference-applied"] == "return=representation")
            #expect(state.fields["idempotency-replayed"] == "true")
        }
    }

    @Test func `under an idempotency key happen once`() async throws {
        try await withCounter { server in
            let fields = ["Idempotency-Key": "\"8e03978e-40d5\""]
            let first = try server.dispatch(
                Self.session, "incremented", "{\"by\":1}", fields: fields)
            let again = try server.dispatch(
                Self.session, "incremented", "{\"by\":1}", fields: fields)
            #expect(again.body == first.body)
            #expect(again.fields["idempotency-replayed"] == "true")
            let other = try server.dispatch(
                Self.session, "incremented", "{\"by\":2}", fields: fields)
            #expect(other.status == 422)
            #expect(try server.send("GET", Self.session + "/state").body == "{\"count\":1}")
        }
    }

    @Test func `may be answered with the state`() async throws {
        try await withCounter { server in
            let answer = try server.dispatch(
                Self.session, "incremented", "{\"by\":7}",
                fields: ["Prefer": "return=representation"])
            #expect(answer.body == "{\"count\":7}")
            #expect(answer.fields["preference-applied"] == "return=representation")
        }
    }

    @Test(arguments: [
        ("{", 400, "malformed-json"), ("[]x", 400, "malformed-json"),
        ("{\"type\":\"incrementd\"}", 422, "unknown-action"),
        ("{\"type\":7}", 422, "not-an-action"),
        ("{\"type\":\"incremented\",\"payload\":{\"by\":\"x\"}}", 422, "bad-payload"),
        ("{\"type\":\"incremented\"}", 422, "bad-payload"),
    ])
    func `that make no sense are refused and change nothing`(
        body: String, status: Int, code: String
    ) async throws {
        try await withCounter { server in
            let answer = try server.post(Self.session, body)
            #expect(answer.status == status)
            #expect(try answer.json().root["type"]?.string == "/problems/\(code)")
            #expect(answer.fields["content-type"] == "application/problem+json")
            #expect(try server.send("GET", Self.session + "/state").body == "{\"count\":0}")
        }
    }

    @Test func `of another media type are refused`() async throws {
        try await withCounter { server in
            let answer = try server.post(
                Self.session, "{\"type\":\"reset\"}", fields: ["Content-Type": "text/plain"])
            #expect(answer.status == 415)
        }
    }
}
