import Counter
import CounterModel
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `The state` {
    @Test(arguments: ["\"%\"", "W/\"%\"", "\"x\", \"%\"", "*"])
    func `is not sent again to one who has it`(tag: String) async throws {
        try await Demo.counter { demo in
            let first = try demo.get("/state")
            let value = tag.replacing("%", with: try #require(first.etag))
            let again = try demo.get("/state", fields: ["If-None-Match": value])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            #expect(again.etag == first.etag)
        }
    }

    @Test func `is held until it changes`() async throws {
        try await Demo.counter { demo in
            let tag = try #require(try demo.get("/state").etag)
            let held = try demo.open("/state?wait=20", fields: ["If-None-Match": "\"\(tag)\""])
            try demo.increment(by: 3)
            let answer = try held.answer()
            #expect(answer.status == 200)
            #expect(answer.body == "{\"count\":3}")
            #expect(answer.fields["cache-control"] == "no-store")
        }
    }

    @Test func `held for no time at all is answered at once`() async throws {
        try await Demo.counter { demo in
            let tag = try #require(try demo.get("/state").etag)
            let answer = try demo.get("/state?wait=0.05", fields: ["If-None-Match": "\"\(tag)\""])
            #expect(answer.status == 304)
        }
    }

    @Test(arguments: ["-1", "61", "soon", "", "nan", "inf", "1e999"])
    func `is not held for a time that makes no sense`(wait: String) async throws {
        try await Demo.counter { demo in
            #expect(try demo.get("/state?wait=\(wait)").status == 400)
            let posted = try demo.dispatch(
                "incremented", "{\"by\":1}", query: "?settle=\(wait)")
            #expect(posted.status == 400)
        }
    }

    @Test(arguments: [(32, 200), (33, 400)])
    func `is asked for through views with so many arguments at most`(
        count: Int, status: Int
    ) async throws {
        try await TestServer.run(serving: { Served("/", GrowingApplication()) }) { server in
            try server.create("/sessions/a")
            let arguments = (1...count).map { "&a\($0)=1" }.joined()
            let answer = try server.send("GET", "/sessions/a/state?view=depth" + arguments)
            #expect(answer.status == status)
        }
    }

    @Test func `can be asked for in part`() async throws {
        try await Demo.counter { demo in
            try demo.increment(by: 3)
            let part = try demo.get("/state?select=/count")
            #expect(part.body == "3")
            let whole = try demo.get("/state")
            #expect(part.etag != whole.etag)
            let absent = try demo.get("/state?select=/nothing")
            #expect(absent.status == 404)
            #expect(try absent.json()["type"]?.string == "/problems/out-of-scope")
            #expect(try demo.get("/state?select=count").status == 400)
            let deep = String(repeating: "/", count: 129)
            let refused = try demo.get("/state?select=" + deep)
            #expect(refused.problem == "bad-parameter")
            #expect(try demo.get("/state?select=" + deep.dropLast()).status == 404)
        }
    }

    @Test func `has the same head for HEAD, and no body`() async throws {
        try await Demo.counter { demo in
            let head = try demo.server.send("HEAD", demo.path + "/state")
            #expect(head.status == 200)
            #expect(head.fields["content-length"] == "11")
            #expect(head.body.isEmpty)
        }
    }
}
