import Counter
import CounterModel
import Gzip
import Sockets
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `A session's input` {
    private static let json = ["Content-Type": "application/json"]

    private func withServer(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            changing: change,
            serving: {
                TableApplication().served(at: "/table")
                Served("/counter", CounterApplication())
            }, body: body)
    }

    private func state(_ session: String, on server: TestServer) throws -> JSONValue {
        try server.send("GET", "\(session)/state").json()
    }

    @Test func `is the body of PUT and of POST`() async throws {
        try await withServer { server async throws in
            let table = "/table/sessions/one"
            let made = try server.create(table, input: #"{"seats":3}"#)
            #expect(made.status == 201)
            #expect(try made.json()["version"]?.integer == 0)
            #expect(try state(table, on: server)["seats"]?.integer == 3)
            let posted = try server.send(
                "POST", "/table/sessions", fields: Self.json, body: #"{"seats":4,"name":"x"}"#)
            #expect(posted.status == 201)
            let location = try #require(posted.fields["location"])
            #expect(try state(location, on: server)["seats"]?.integer == 4)
            #expect(try state(location, on: server)["name"]?.string == "x")
        }
    }

    @Test func `may be left out`() async throws {
        try await withServer { server async throws in
            #expect(try server.create("/table/sessions/one").status == 201)
            #expect(try state("/table/sessions/one", on: server)["seats"]?.integer == 2)
            let posted = try server.send("POST", "/table/sessions")
            #expect(posted.status == 201)
        }
    }

    @Test(arguments: [
        (#"{"seats":9}"#, 422, "seats", #""errors":[{"pointer":"/seats","code":"seats""#),
        (#"{"seats":9,"name":""}"#, 422, "seats", #"{"pointer":"/name","code":"no-name""#),
        (#"{"seats":2,"name":"taken"}"#, 409, "taken", #""code":"taken""#),
        (#"{"seats":"2"}"#, 422, "bad-body", #""errors":[{"pointer":"/seats","code":"bad-body""#),
        (#"{}"#, 422, "bad-body", #""pointer":"/seats""#),
        ("null", 422, "bad-body", #""pointer":"""#),
        ("{", 400, "malformed-json", #""offset":"#),
    ])
    func `is refused by its shape and by the application, and leaves no session`(
        body: String, status: Int, code: String, part: String
    ) async throws {
        try await withServer { server async throws in
            let table = "/table/sessions/one"
            let answers = [
                try server.create(table, input: body),
                try server.send("POST", "/table/sessions", fields: Self.json, body: body),
            ]
            for answer in answers {
                #expect(answer.status == status)
                #expect(answer.problem == code)
                #expect(answer.body.contains(part), "\(answer.body)")
            }
            #expect(try server.send("GET", table).status == 404)
            #expect(try server.create(table, input: #"{"seats":3}"#).status == 201)
        }
    }

    @Test func `is not taken by an application that declares none`() async throws {
        try await withServer { server async throws in
            let counter = "/counter/sessions/one"
            let answer = try server.create(counter, input: "{}")
            #expect(answer.status == 422)
            #expect(answer.problem == "no-input")
            #expect(
                try server.send("POST", "/counter/sessions", fields: Self.json, body: "1").problem
                    == "no-input")
            #expect(try server.send("GET", counter).status == 404)
            #expect(try server.create(counter).status == 201)
            #expect(try server.send("POST", "/counter/sessions", body: "").status == 201)
        }
    }

    @Test func `of a session that is there is not looked at`() async throws {
        try await withServer { server async throws in
            let table = "/table/sessions/one"
            try server.create(table, input: #"{"seats":3}"#)
            for body in [#"{"seats":4}"#, #"{"seats":9}"#, "{"] {
                #expect(try server.create(table, input: body).status == 200)
            }
            #expect(try state(table, on: server)["seats"]?.integer == 3)
            try server.create("/counter/sessions/one")
            #expect(try server.create("/counter/sessions/one", input: "{}").status == 200)
        }
    }

    @Test func `is JSON, within the bounds of bodies, and may be gzip`() async throws {
        try await withServer {
            $0.limits.bodyByteCount = 100
        } _: { server async throws in
            for (method, target) in [("PUT", "/table/sessions/a"), ("POST", "/table/sessions")] {
                let plain = try server.send(
                    method, target, fields: ["Content-Type": "text/plain"], body: "{}")
                #expect(plain.status == 415)
                #expect(plain.problem == "json-expected")
                #expect(plain.fields["accept"] == "application/json")
                let large = #"{"seats":2,"name":"\#(String(repeating: "x", count: 100))"}"#
                let refused = try server.send(method, target, fields: Self.json, body: large)
                #expect(refused.status == 413)
            }
            let coded = gzip(Array(#"{"seats":4}"#.utf8).span, level: 6)
            let connection = try server.connect()
            try connection.send(
                "PUT /table/sessions/b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Type: application/json\r\nContent-Encoding: gzip\r\n"
                    + "Content-Length: \(coded.count)\r\n\r\n")
            try connection.send(coded)
            #expect(RawAnswer(try connection.receiveAll()).status == 201)
            #expect(try state("/table/sessions/b", on: server)["seats"]?.integer == 4)
        }
    }

    @Test func `is told who gives it, and when, with ids and chance`() async throws {
        try await withServer {
            $0.authorize = {
                .granted(Principal($0.authorization ?? "nobody", roles: ["act", "observe"]))
            }
        } _: { server async throws in
            let table = "/table/sessions/one"
            let alice = ["Authorization": "alice"]
            let made = try server.create(table, input: #"{"seats":3}"#, fields: alice)
            let epoch = String(try #require(made.etag).prefix { $0 != "-" })
            let state = try state(table, on: server)
            #expect(state["owner"]?.string == "alice")
            #expect(state["startID"]?.string == "\(epoch)-0 in one, #0")
            #expect(state["startedAt"] != nil)
            let other = try server.create("/table/sessions/two", fields: alice)
            #expect(other.status == 201)
            let drawn = try [table, "/table/sessions/two"].map {
                try server.send("GET", "\($0)/state?select=/deck").body
            }
            #expect(drawn[0] != drawn[1])
        }
    }

    @Test func `of one who waits for a slow journal is looked at by itself`() async throws {
        let journal = ScriptedJournal(.later)
        try await withServer {
            $0.journal = journal
        } _: { server async throws in
            journal.openSlowly()
            let bad = try server.open(
                "PUT", "/table/sessions/one", fields: Self.json, body: #"{"seats":9}"#)
            await journal.waitForOpening()
            let good = try server.open(
                "PUT", "/table/sessions/one", fields: Self.json, body: #"{"seats":3}"#)
            #expect(try server.send("GET", "/livez").status == 200)
            journal.finishOpenings()
            #expect(try bad.answer().problem == "seats")
            #expect(try good.answer().status == 201)
        }
    }

    @Test func `is asked for once: a restart goes on with what was started`() async throws {
        let journal = ScriptedJournal(.later)
        let table = "/table/sessions/one"
        var decks: [String] = []
        for _ in 0..<2 {
            let deck = try await TestServer.run(
                {
                    var configuration = TestServer.configuration
                    configuration.journal = journal
                    return configuration
                }(), serving: { TableApplication().served(at: "/table") }
            ) { server in
                let answer = try server.create(table, input: #"{"seats":3}"#)
                #expect([200, 201].contains(answer.status))
                return try server.send("GET", "\(table)/state?select=/deck").body
            }
            decks.append(deck)
        }
        #expect(decks[0] == decks[1])
        #expect(decks[0].count > 10)
        #expect(journal.kept("one", at: "/table")?.json.contains(#""seats":3"#) == true)
    }

    @Test func `counts a session once it begins, and not before`() async throws {
        try await withServer {
            $0.sessionLimits.sessionCount = 1
        } _: { server async throws in
            for _ in 0..<5 {
                #expect(
                    try server.create("/table/sessions/a", input: #"{"seats":9}"#).status == 422)
            }
            #expect(try server.create("/table/sessions/a", input: #"{"seats":3}"#).status == 201)
            #expect(
                try server.create("/table/sessions/b", input: #"{"seats":3}"#).problem
                    == "too-many-sessions")
            #expect(
                try server.create("/table/sessions/b", input: #"{"seats":9}"#).problem
                    == "seats")
        }
    }
}
