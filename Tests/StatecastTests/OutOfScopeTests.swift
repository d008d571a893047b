import Statecast
import StatecastTesting
import Testing

/// What clients see of a part that leaves the state, on every resource that selects one.
@Suite("Out of scope", .onBothJournals)
struct OutOfScopeTests {
    @Test(arguments: ["select=/open", "view=last"])
    func `a stream that stays tells that the part is absent, and goes on when it comes`(
        selection: String
    ) async throws {
        try await Demo.notes { demo in
            let events = try demo.events("?\(selection)")
            let absent = try #require(try events.next())
            #expect(absent.name == "out-of-scope")
            #expect(absent.data == "{}")
            #expect(absent.id?.contains("-0.") == true)
            try demo.post(
                #"[{"type":"opened","payload":{"text":"a"}},{"type":"added","payload":"a"}]"#)
            let present = try #require(try events.next())
            #expect(present.name == "message")
            #expect(present.id?.contains("-2.") == true)
        }
    }

    @Test(arguments: ["select=/open", "view=last"])
    func `a stream that ends with the part ends at once where it is absent`(
        selection: String
    ) async throws {
        try await Demo.notes { demo in
            let events = try demo.events("?\(selection)&until=out-of-scope")
            #expect(try events.next()?.name == "out-of-scope")
            #expect(try events.next() == nil)
        }
    }

    @Test func `a part that left and came back in one batch was never gone`() async throws {
        try await Demo.notes { demo in
            let open = #"{"type":"opened","payload":{"text":"a"}}"#
            try demo.post(open)
            let events = try demo.events("?select=/open/text")
            #expect(try events.next()?.data == "\"a\"")
            try demo.post("[{\"type\":\"closed\"},\(open)]")
            try demo.dispatch("opened", #"{"text":"b"}"#)
            #expect(try events.next()?.data == "\"b\"")
        }
    }

    @Test func `lines say so in a line`() async throws {
        try await Demo.notes { demo in
            let answer = try demo.open(
                "/events?select=/open&until=out-of-scope",
                fields: ["Accept": "application/x-ndjson"]
            ).answer()
            #expect(answer.body.hasPrefix("{\"event\":\"out-of-scope\",\"token\":\""))
            #expect(answer.body.hasSuffix("\",\"version\":0}\n"))
            #expect(answer.body.contains("-0."))
        }
    }

    @Test func `a held request is answered that the part has left`() async throws {
        try await Demo.notes { demo in
            try demo.dispatch("opened", #"{"text":"a"}"#)
            let path = demo.path + "/state?select=/open"
            let tag = try #require(try demo.server.send("GET", path).etag)
            let held = try demo.server.open(
                "GET", path + "&wait=20", fields: ["If-None-Match": "\"\(tag)\""])
            try demo.dispatch("closed")
            let answer = try held.answer()
            #expect(answer.status == 404)
            #expect(answer.body.contains("out-of-scope"))
        }
    }
}
