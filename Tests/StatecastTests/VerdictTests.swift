import StateCoding
import Journaling
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `What middleware and reducer decide` {
    @Test func `dropped is told, and moves nothing`() async throws {
        try await Demo.notes { demo in
            let answer = try demo.dispatch("dropMe")
            #expect(answer.status == 200)
            #expect(answer.body.contains("\"changed\":false,\"dropped\":true"))
            #expect(answer.etag?.hasSuffix("-0") == true)
        }
    }

    @Test func `delayed is accepted and happens later`() async throws {
        try await Demo.notes { demo in
            let events = try demo.events()
            #expect(try events.next()?.id?.hasSuffix("-0") == true)
            let answer = try demo.dispatch("delayMe")
            #expect(answer.status == 202)
            #expect(answer.body.contains("\"delayed\":true"))
        }
    }

    @Test func `expanded into several is answered with the last of them`() async throws {
        try await Demo.notes { demo in
            let answer = try demo.dispatch("doubled", "\"a\"")
            #expect(try answer.json()["version"]?.integer == 2)
            let notes = try demo.get("/state?select=/notes").body
            #expect(notes == "[\"a\",\"a\"]")
        }
    }

    @Test(arguments: [("rejectMe", 422, "no-such-thing"), ("conflictMe", 409, "too-late")])
    func `refused keeps the reducer's own code`(
        type: String, status: Int, code: String
    ) async throws {
        try await Demo.notes { demo in
            let answer = try demo.dispatch(type)
            #expect(answer.status == status)
            #expect(try answer.json()["type"]?.string == "/problems/rejected/\(code)")
            #expect(try answer.json()["code"]?.string == code)
            #expect(answer.etag?.hasSuffix("-0") == true)
        }
    }

    @Test func `a batch answers for each of its actions`() async throws {
        try await Demo.notes { demo in
            let answer = try demo.post(
                """
                [{"type":"added","payload":"a"},{"type":"dropMe"},{"type":"closed"}]
                """)
            let results = try #require(try answer.json()["results"]?.elements)
            #expect(results[0]["version"]?.integer == 1)
            #expect(results[1]["dropped"]?.bool == true)
            #expect(results[2]["version"]?.integer == 2)
            #expect(results[2]["changed"]?.bool == false)
            #expect(try answer.json()["version"]?.integer == 2)
        }
    }

    @Test func `a batch above the limit is too large`() async throws {
        try await Demo.notes(changing: { $0.sessionLimits.batchCount = 2 }) { demo in
            let one = "{\"type\":\"closed\"}"
            #expect(try demo.post("[\(one),\(one)]").status == 200)
            let answer = try demo.post("[\(one),\(one),\(one)]")
            #expect(answer.status == 413)
            #expect(try answer.json()["limit"]?.integer == 2)
        }
    }

    @Test func `a state is bounded although nobody reads it`() async throws {
        try await Demo.notes(changing: { $0.sessionLimits.stateByteCount = 100_000 }) { demo in
            let text = "\"\(String(repeating: "x", count: 1_000))\""
            var statuses: [Int] = []
            for _ in 1...200 {
                statuses.append(try demo.dispatch("added", text).status)
            }
            #expect(Set(statuses) == [200, 422])
            #expect((90...112).contains(statuses.count { $0 == 200 }))
            let refused = try demo.dispatch("added", text)
            #expect(try refused.json()["type"]?.string == "/problems/state-too-large")
            #expect(try refused.json()["limit"]?.integer == 100_000)
            let state = try demo.get("/state")
            #expect(state.status == 200)
            #expect(state.body.utf8.count < 112_500)
            #expect(try demo.dispatch("filled", #"{"bytes":10}"#).status == 200)
            #expect(try demo.dispatch("added", text).status == 200)
        }
    }

    @Test func `a state that an action makes too large is refused where it is measured`()
        async throws
    {
        try await Demo.notes(changing: { $0.sessionLimits.stateByteCount = 1_000 }) {
            demo async throws in
            #expect(try demo.dispatch("filled", #"{"bytes":2000}"#).status == 422)
            #expect(try demo.dispatch("filled", #"{"bytes":500}"#).status == 200)
            #expect(try demo.get().body.contains("\"frozen\":") == false)
        }
    }

    @Test func `a state that is found far too large freezes the session, which can still be read`()
        async throws
    {
        try await Demo.notes(changing: {
            $0.journal = MemoryJournal()
            $0.sessionLimits.stateByteCount = 1_000_000
        }) { demo in
            let grown = try demo.dispatch("filled", #"{"bytes":2000000}"#)
            #expect(grown.status == 200)
            #expect(try demo.get("/state").status == 200)
            let refused = try demo.dispatch("closed")
            #expect(refused.status == 423)
            #expect(try demo.get().body.contains("\"frozen\":"))
            #expect(try demo.delete().status == 204)
        }
    }
}
