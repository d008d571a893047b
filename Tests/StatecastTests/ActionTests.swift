import Counter
import CounterModel
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `Posted actions` {
    @Test func `are answered with the version that they made`() async throws {
        try await Demo.counter { demo in
            let answer = try demo.increment(by: 2)
            #expect(answer.status == 200)
            let document = try answer.json()
            #expect(document["version"]?.integer == 1)
            #expect(document["token"]?.string == answer.etag)
            #expect(document["changed"]?.bool == true)
            let same = try demo.increment(by: 0)
            #expect(try same.json()["changed"]?.bool == false)
        }
    }

    @Test func `of a batch happen all or not at all`() async throws {
        try await Demo.counter { demo in
            let good = try demo.post(
                "[{\"type\":\"incremented\",\"payload\":{\"by\":2}},{\"type\":\"reset\"}]")
            #expect(try good.json()["version"]?.integer == 2)
            let bad = try demo.post(
                """
                [{"type":"incremented","payload":{"by":1}},\
                {"type":"incremented","payload":{"by":9223372036854775807}}]
                """)
            #expect(bad.status == 422)
            #expect(try bad.json()["index"]?.integer == 1)
            #expect(try demo.get("/state").body == "{\"count\":0}")
        }
    }

    @Test func `under If-Match are refused once the session has moved on`() async throws {
        try await Demo.counter { demo in
            let first = try demo.increment()
            let tag = try #require(first.etag)
            let second = try demo.increment(fields: ["If-Match": "W/\"\(tag)\""])
            #expect(second.status == 200)
            let stale = try demo.increment(fields: ["If-Match": "\"\(tag)\""])
            #expect(stale.status == 412)
            #expect(stale.etag == second.etag)
        }
    }

    @Test func `that are repeated are answered as the repeat asks, and happen once`() async throws {
        try await Demo.counter { demo in
            var fields = ["Idempotency-Key": "k"]
            for query in ["?settle=1", "?settle=1", ""] {
                let answer = try demo.increment(by: 2, query: query, fields: fields)
                #expect(answer.body.contains("\"settled\":true") == !query.isEmpty)
                #expect(answer.body.contains("\"version\":1,"))
            }
            fields["Prefer"] = "return=representation"
            let state = try demo.increment(by: 2, fields: fields)
            #expect(state.body == "{\"count\":2}")
            #expect(state.fields["preference-applied"] == "return=representation")
            #expect(state.fields["idempotency-replayed"] == "true")
        }
    }

    @Test func `under an idempotency key happen once`() async throws {
        try await Demo.counter { demo in
            let fields = ["Idempotency-Key": "\"8e03978e-40d5\""]
            let first = try demo.increment(fields: fields)
            let again = try demo.increment(fields: fields)
            #expect(again.body == first.body)
            #expect(again.fields["idempotency-replayed"] == "true")
            let other = try demo.increment(by: 2, fields: fields)
            #expect(other.status == 422)
            #expect(try demo.get("/state").body == "{\"count\":1}")
        }
    }

    @Test func `may be answered with the state`() async throws {
        try await Demo.counter { demo in
            let answer = try demo.increment(by: 7, fields: ["Prefer": "return=representation"])
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
        try await Demo.counter { demo in
            let answer = try demo.post(body)
            #expect(answer.status == status)
            #expect(try answer.json()["type"]?.string == "/problems/\(code)")
            #expect(answer.fields["content-type"] == "application/problem+json")
            #expect(try demo.get("/state").body == "{\"count\":0}")
        }
    }

    @Test func `of another media type are refused`() async throws {
        try await Demo.counter { demo in
            let answer = try demo.post(
                "{\"type\":\"reset\"}", fields: ["Content-Type": "text/plain"])
            #expect(answer.status == 415)
        }
    }
}
