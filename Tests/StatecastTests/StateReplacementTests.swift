import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `A state that is set by hand` {
    private static let notes = #"{"notes":{"bob":["set"]}}"#

    private func put(
        _ body: String, _ server: TestServer, by name: String = "eve-admin",
        _ fields: [String: String] = [:], query: String = ""
    ) throws -> TestAnswer {
        let all = ["Content-Type": "application/json"].merging(Diaries.as(name)) { $1 }
        return try server.send(
            "PUT", Diaries.session + "/state" + query, fields: all.merging(fields) { $1 },
            body: body)
    }

    @Test func `is an entry that all are shown`() async throws {
        try await Diaries.run { server in
            try Diaries.note("tea", server)
            let stream = try server.events(
                Diaries.session, query: "?patch=json-patch", fields: Diaries.as("bob"))
            #expect(try stream.next()?.name == "snapshot")
            let answer = try put(Self.notes, server)
            #expect(answer.status == 200)
            #expect(answer.body.contains(#""version":2,"#) && answer.body.contains("true"))
            let state = try Diaries.get("/state", server)
            #expect(state.body == Self.notes && state.etag == answer.etag)
            let event = try #require(try stream.next())
            #expect(event.id == answer.etag && event.name == "patch")
            let entry = try Diaries.get("/log?after=1&patch=1", server).body
            #expect(
                entry.contains(
                    #""origin":"inspector","kind":"replaced","by":{"id":"eve-admin""#))
            #expect(entry.contains(#""patch":["#) && !entry.contains("action"))
            #expect(try Diaries.get("/state?version=1", server).body.contains("tea"))
            try Diaries.note("milk", server)
            #expect(try Diaries.get("/state", server).body.contains("milk"))
        }
    }

    @Test func `is for those with the role admin`() async throws {
        try await Diaries.run { server in
            #expect(try put(Self.notes, server, by: "bob-act-inspect").status == 403)
            #expect(try put(Self.notes, server, ["Authorization": ""]).status == 401)
            let foreign = try put(Self.notes, server, ["Origin": "https://other.example"])
            #expect(foreign.status == 403 && foreign.problem == "cross-origin")
            #expect(try put(Self.notes, server, ["Content-Type": "text/plain"]).status == 415)
            #expect(try Diaries.get("/state", server).body == #"{"notes":{}}"#)
        }
    }

    @Test func `is refused where it is none, with the place of the fault`() async throws {
        try await Diaries.run { server in
            let shape = try put(#"{"notes":{"bob":[7]}}"#, server)
            #expect(shape.status == 422)
            #expect(try shape.json()["pointer"]?.string == "/notes/bob/0")
            #expect(try put("{", server).status == 400)
            let invalid = try put(#"{"notes":{"bad":[]}}"#, server)
            #expect(invalid.status == 422 && invalid.problem == "bad")
            #expect(try put(Self.notes, server, ["Content-Range": "bytes 0-1/2"]).status == 400)
            #expect(try Diaries.get("/state", server).body == #"{"notes":{}}"#)
            #expect(try Diaries.get("/log", server).body == "[]")
        }
    }

    @Test func `obeys conditions`() async throws {
        try await Diaries.run { server in
            let old = try #require(try Diaries.get("/state", server).etag)
            try Diaries.note("tea", server)
            let stale = try put(Self.notes, server, ["If-Match": "\"\(old)\""])
            #expect(stale.status == 412)
            let tag = try #require(stale.etag)
            #expect(try put(Self.notes, server, ["If-None-Match": "*"]).status == 412)
            #expect(try put(Self.notes, server, ["If-Match": "\"\(tag)\""]).status == 200)
        }
    }

    @Test func `is set once, however often a request with a key comes`() async throws {
        try await Diaries.run { server in
            let key = ["Idempotency-Key": "set-1"]
            let first = try put(Self.notes, server, key)
            try Diaries.note("milk", server)
            let again = try put(Self.notes, server, key)
            #expect(again.status == 200 && again.body == first.body && again.etag == first.etag)
            #expect(again.fields["idempotency-replayed"] == "true")
            #expect(try Diaries.get("/state", server).body.contains("milk"))
            #expect(try Diaries.get("/log", server).body.contains(#""key":"set-1""#))
            let other = try put(#"{"notes":{}}"#, server, key)
            #expect(other.status == 422 && other.problem == "idempotency-key-reused")
            // The same body as actions is another request.
            let posted = try server.post(
                Diaries.session, Self.notes, fields: Diaries.as("eve-admin").merging(key) { $1 })
            #expect(posted.problem == "idempotency-key-reused")
            #expect(try put(Self.notes, server, ["Idempotency-Key": ""]).status == 400)
        }
    }

    @Test func `counts for nothing where it is none`() async throws {
        try await Diaries.run { server in
            try Diaries.note("tea", server)
            #expect(try put(#"{"notes":7}"#, server).status == 422)
            let metrics = try server.send("GET", "/metrics", fields: Diaries.as("eve-inspect"))
            #expect(metrics.body.contains("statecast_submissions_total 1\n"))
        }
    }

    @Test func `has the work begun that it wants`() async throws {
        try await Demo.notes(NotesApplication(hasStart: true)) { demo in
            while try demo.get("/state?select=/starts").body != "1" {}
            let answer = try demo.server.send(
                "PUT", demo.path + "/state?settle=20", fields: ["Content-Type": "application/json"],
                body: #"{"notes":["set"],"loads":0,"starts":0}"#)
            #expect(answer.body.contains(#""settled":true"#))
            #expect(try demo.get("/state").body == #"{"notes":["set"],"loads":0,"starts":1}"#)
        }
    }

    @Test func `makes no session`() async throws {
        try await Diaries.run { server in
            let fields = ["Content-Type": "application/json"].merging(Diaries.as("eve-admin")) {
                $1
            }
            let answer = try server.send(
                "PUT", "/diary/sessions/other/state", fields: fields, body: Self.notes)
            #expect(answer.status == 404 && answer.problem == "session-not-found")
        }
    }

    @Test func `keeps the secrets that it does not name`() async throws {
        try await Diaries.run { server in
            try server.dispatch(
                Diaries.session, "locked", #"{"key":"swordfish","pin":777731}"#,
                fields: Diaries.as("alice"))
            let kept = #"{"notes":{"a":["b"]},"key":"<redacted>","pin":"<redacted>"}"#
            #expect(try put(kept, server).status == 200)
            try server.dispatch(
                Diaries.session, "opened", #"{"key":"swordfish","pin":777731}"#,
                fields: Diaries.as("alice"))
            #expect(try Diaries.get("/state", server).body.contains("opened"))
            // No secret stands there.
            #expect(try put(#"{"notes":{},"key":"<redacted>"}"#, server).status == 200)
            let none = try put(#"{"notes":{},"pin":"<redacted>"}"#, server)
            #expect(none.status == 422)
            #expect(try none.json()["pointer"]?.string == "/pin")
        }
    }

    @Test(arguments: ["swordfish", "herring", "<redacted>"])
    func `tells nobody whether they have guessed a secret`(guess: String) async throws {
        try await Diaries.run { server in
            try server.dispatch(
                Diaries.session, "locked", #"{"key":"swordfish","pin":7}"#,
                fields: Diaries.as("alice"))
            let stream = try server.events(Diaries.session, fields: Diaries.as("bob"))
            _ = try stream.next()
            let answer = try put(
                #"{"notes":{},"key":"\#(guess)","pin":"<redacted>"}"#, server)
            #expect(answer.body.hasSuffix(#""changed":true}"#))
            #expect(try Diaries.get("/state", server).etag == answer.etag)
            #expect(try stream.next()?.id == answer.etag)
            let log = try Diaries.get("/log?after=1&patch=1", server).body
            #expect(!log.contains("patch"), "\(log)")
        }
    }
}
