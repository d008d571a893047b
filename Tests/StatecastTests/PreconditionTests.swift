import Counter
import CounterModel
import Statecast
import StatecastTesting
import Testing

/// RFC 9110 §13.
@Suite(.onBothJournals) struct `A precondition` {
    private static let path = "/counter/sessions/demo"

    /// A session at version 1, and its tag in quotation marks.
    private func withSession(
        _ body: @Sendable (TestServer, _ tag: String) throws -> Void
    ) async throws {
        try await Demo.counter { demo in
            let tag = try demo.increment().etag
            try body(demo.server, "\"\(tag ?? "")\"")
        }
    }

    @Test(arguments: [
        ("DELETE", "", "If-Match", "\"other\""), ("DELETE", "", "If-None-Match", "*"),
        ("DELETE", "", "If-None-Match", "TAG"), ("PUT", "", "If-Match", "\"other\""),
        ("PUT", "", "If-None-Match", "*"), ("PUT", "", "If-None-Match", "TAG"),
        ("GET", "", "If-Match", "\"other\""), ("GET", "/state", "If-Match", "\"other\""),
        ("HEAD", "/state", "If-Match", "\"other\""),
        ("GET", "/state?select=/count", "If-Match", "TAG"),
        ("GET", "/events", "If-Match", "\"other\""), ("DELETE", "", "If-Match", "no-tag"),
    ])
    func `that does not hold is 412, with the present tag, and nothing is done`(
        method: String, resource: String, field: String, value: String
    ) async throws {
        try await withSession { server, tag in
            let answer = try server.send(
                method, Self.path + resource,
                fields: [field: value.replacing("TAG", with: tag), "Connection": "close"])
            #expect(answer.status == 412)
            #expect(answer.etag?.isEmpty == false)
            #expect(try server.send("GET", Self.path + "/state").body == "{\"count\":1}")
        }
    }

    @Test(arguments: [
        ("PUT", "", "If-Match", "TAG", 200), ("PUT", "", "If-Match", "*", 200),
        ("PUT", "", "If-None-Match", "\"other\"", 200), ("GET", "", "If-Match", "*", 200),
        ("GET", "/state", "If-Match", "\"a\", TAG", 200),
        ("GET", "/state", "If-Match", "W/TAG", 200), ("DELETE", "", "If-Match", "TAG", 204),
        ("DELETE", "", "If-Match", "*", 204),
    ])
    func `that holds lets the request through`(
        method: String, resource: String, field: String, value: String, status: Int
    ) async throws {
        try await withSession { server, tag in
            let answer = try server.send(
                method, Self.path + resource,
                fields: [field: value.replacing("TAG", with: tag)])
            #expect(answer.status == status)
        }
    }

    @Test func `asks for a session that is not there: none is made`() async throws {
        try await withSession { (server, _) throws in
            let other = "/counter/sessions/other"
            #expect(try server.send("PUT", other, fields: ["If-Match": "*"]).status == 412)
            #expect(try server.send("GET", other).status == 404)
        }
    }

    @Test func `has no tag of a description, which watchers change`() async throws {
        try await withSession { (server, _) throws in
            #expect(try server.send("GET", Self.path).etag == nil)
            #expect(try server.create(Self.path).etag != nil)
        }
    }
}
