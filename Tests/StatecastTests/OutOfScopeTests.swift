import Statecast
import StatecastTesting
import Testing

/// What clients see of a part that leaves the state, on every resource that selects one.
@Suite("Out of scope", .onBothJournals)
struct OutOfScopeTests {
    private static let session = "/notes/sessions/demo"

    private func withNotes(
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await MemoryServer.run(serving: { NotesApplication().served(at: "/notes") }) { server in
            try server.create(Self.session)
            try await body(server)
        }
    }

    @Test(arguments: ["select=/open", "view=last"])
    func `a stream that stays tells that the part is absent, and goes on when it comes`(
        selection: String
    ) async throws {
        try await withNotes { server in
            let events = try server.events(Self.session, query: "?\(selection)")
            let absent = try #require(try events.next())
            #expect(absent.name == "out-of-scope")
            #expect(absent.data == "{}")
            #expect(absent.id?.contains("-0.") == true)
            try server.post(
                Self.session,
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
        try await withNotes { server in
            let events = try server.events(
                Self.session, query: "?\(selection)&until=out-of-scope")
            #expect(try events.next()?.name == "out-of-scope")
            #expect(try events.next() == nil)
        }
    }

    @Test func `a part that left and came back in one batch was never gone`() async throws {
        try await withNotes { server in
            let open = #"{"type":"opened","payload":{"text":"a"}}"#
            try server.post(Self.session, open)
            let events = try server.events(Self.session, query: "?select=/open/text")
            #expect(try events.next()?.data == "\"a\"")
            try server.post(Self.session, "[{\"type\":\"closed\"},\(open)]")
            try server.dispatch(Self.session, "opened", #"{"text":"b"}"#)
            #expect(try events.next()?.data == "\"b\"")
        }
    }

    @Test func `lines say so in a line`() async throws {
        try await withNotes { server in
            let answer = try server.open(
                "GET", Self.session + "/events?select=/open&until=out-of-scope",
                fields: ["Accept": "application/x-ndjson"]
            ).answer()
            #expect(answer.body.hasPrefix("{\"event\":\"out-of-scope\",\"token\":\""))
            #expect(answer.body.hasSuffix("\",\"version\":0}\n"))
            #expect(answer.body.contains("-0."))
        }
    }

    @Test func `a held request is answered that the part has left`() async throws {
        try await withNotes { server in
            try server.dispatch(Self.session, "opened", #"{"text":"a"}"#)
            let path = Self.session + "/state?select=/open"
            let tag = try #require(try server.send("GET", path).etag)
            let held = try server.open(
                "GET", path + "&wait=20", fields: ["If-None-Match": "\"\(tag)\""])
            try server.dispatch(Self.session, "closed")
            let answer = try held.answer()
            #expect(answer.status == 404)
            #expect(answer.body.contains("out-of-scope"))
        }
    }
}
