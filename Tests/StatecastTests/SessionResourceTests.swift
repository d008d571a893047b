import Counter
import CounterModel
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `A session` {
    @Test func `is made by PUT once, and found by PUT again`() async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) {
            server in
            let made = try server.create("/counter/sessions/demo")
            #expect(made.status == 201)
            #expect(made.fields["location"] == "/counter/sessions/demo")
            let found = try server.create("/counter/sessions/demo")
            #expect(found.status == 200)
            #expect(found.etag == made.etag)
            let refused = try server.send(
                "PUT", "/counter/sessions/demo", fields: ["If-None-Match": "*"])
            #expect(refused.status == 412)
        }
    }

    @Test func `made by POST has an id that nobody guesses`() async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) {
            server in
            let made = try server.send("POST", "/counter/sessions")
            #expect(made.status == 201)
            let location = try #require(made.fields["location"])
            #expect(location.split(separator: "/").last?.count == 32)
            #expect(try server.send("GET", location + "/state").body == "{\"count\":0}")
        }
    }

    @Test(arguments: ["bad%20id", ".", "..", String(repeating: "x", count: 129)])
    func `refuses an id of other characters`(id: String) async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) {
            server in
            let answer = try server.create("/counter/sessions/\(id)")
            #expect(answer.status == 400)
        }
    }

    @Test func `ends by DELETE: streams are told, and its id is gone for a while`() async throws {
        try await Demo.counter { demo in
            let events = try demo.events()
            #expect(try events.next()?.data == "{\"count\":0}")
            #expect(try demo.delete().status == 204)
            #expect(try events.next()?.name == "end")
            #expect(try events.next() == nil)
            #expect(try demo.get("/state").status == 410)
            #expect(try demo.server.create(demo.path).status == 410)
        }
    }

    @Test func `is not made of a part of something`() async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) {
            server in
            let answer = try server.send(
                "PUT", "/counter/sessions/demo", fields: ["Content-Range": "bytes 0-4/9"])
            #expect(answer.status == 400)
            #expect(try server.send("GET", "/counter/sessions/demo").status == 404)
        }
    }

    @Test func `tells the head of its stream, which has no length`() async throws {
        try await Demo.counter { demo in
            let head = try demo.server.send("HEAD", demo.path + "/events")
            #expect(head.status == 200)
            #expect(head.fields["content-type"] == "text/event-stream")
            #expect(head.fields["content-length"] == nil)
        }
    }

    @Test func `that nobody made is 404 everywhere`() async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) {
            server in
            try server.create("/counter/sessions/other")
            for path in ["", "/state", "/events"] {
                #expect(try server.send("GET", "/counter/sessions/none\(path)").status == 404)
            }
            #expect(try server.dispatch("/counter/sessions/none", "reset").status == 404)
        }
    }
}
