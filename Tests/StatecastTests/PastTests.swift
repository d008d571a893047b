import StateCoding
import StatecastTesting
import Synchronization
import Testing

@testable import Statecast

/// The log of a session, its older versions, its recording, and a state that is set by hand.
@Suite(.onBothJournals) struct `The past of a session` {
    @Test func `is listed in pages`() async throws {
        try await Diaries.run { server in
            for index in 1...5 { try Diaries.note("\(index)", server) }
            let first = try Diaries.get("/log?limit=2", server)
            #expect(first.status == 200)
            #expect(first.fields["content-type"] == "application/json")
            let versions = try first.json().elements?.map { $0["version"]?.integer }
            #expect(versions == [1, 2])
            let link = try #require(first.fields["link"])
            #expect(link.hasSuffix("-2&limit=2>; rel=\"next\""))
            let next = String(link.dropFirst().prefix { $0 != ">" })
            let second = try server.send("GET", next, fields: Diaries.as("eve-inspect"))
            #expect(try second.json().elements?.count == 2)
            let last = try Diaries.get("/log?after=4", server)
            #expect(try last.json().elements?.count == 1)
            #expect(last.fields["link"] == nil)
            #expect(try Diaries.get("/log?after=5", server).body == "[]")
        }
    }

    @Test func `is listed in pages of a megabyte at most`() async throws {
        try await Diaries.run { server in
            let text = String(repeating: "x", count: 1 << 18)
            for _ in 1...6 { try Diaries.note(text, server) }
            var (count, pages, next) = (0, 0, Optional(Diaries.session + "/log?limit=1000"))
            while let target = next, pages < 9 {
                let page = try server.send("GET", target, fields: Diaries.as("eve-inspect"))
                #expect(page.body.utf8.count < 3 << 19)
                count += try page.json().elements?.count ?? 0
                pages += 1
                next = page.fields["link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
            }
            #expect(count == 6 && pages == 2)
        }
    }

    @Test func `tells of each entry who caused it, how and what it did`() async throws {
        try await Diaries.run { server in
            try server.dispatch(
                Diaries.session, "noted", "\"tea\"",
                fields: Diaries.as("alice").merging(["Idempotency-Key": "k1"]) { $1 })
            let lines = try Diaries.get(
                "/log?patch=1", server, ["Accept": "application/x-ndjson"])
            #expect(lines.fields["content-type"] == "application/x-ndjson")
            #expect(lines.body.hasPrefix(#"{"version":1,"at":"#))
            #expect(
                lines.body.hasSuffix(
                    #""origin":"client","by":{"id":"alice","roles":["act","observe"]},"key":"k1","#
                        + #""action":{"type":"noted","payload":"tea"},"#
                        + #""patch":[{"op":"add","path":"/notes/alice","value":["tea"]}]}"# + "\n"))
            #expect(!lines.body.contains("print"))
            #expect(try !Diaries.get("/log", server).body.contains("patch"))
        }
    }

    @Test func `is not sent again to one who has it`() async throws {
        try await Diaries.run { server in
            try Diaries.note("tea", server)
            for path in ["/log", "/recording", "/state?version=0"] {
                let first = try Diaries.get(path, server)
                let tag = try #require(first.etag)
                let again = try Diaries.get(path, server, ["If-None-Match": "\"\(tag)\""])
                #expect(again.status == 304 && again.body.isEmpty, "\(path)")
                let head = try server.send(
                    "HEAD", Diaries.session + path, fields: Diaries.as("eve-inspect"))
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(head.etag == tag)
                let other = try Diaries.get(path, server, ["If-Match": "\"x-1\""])
                #expect(other.status == 412)
            }
        }
    }

    @Test(arguments: [
        "/log?after=x", "/log?after=-1", "/log?limit=0", "/log?limit=1001", "/log?limit=x",
        "/log?patch=2", "/log?%ff", "/state?version=x", "/state?version=", "/state?version=01",
        "/state?version=99999999999999999999", "/state?version=0&view=none",
    ])
    func `is asked for in vain by what makes no sense`(path: String) async throws {
        try await Diaries.run { server in
            let answer = try Diaries.get(path, server)
            #expect(answer.status == 400 && answer.problem == "bad-parameter")
        }
    }

    @Test(arguments: ["/log", "/recording"])
    func `is told to those who may inspect, and to no others`(path: String) async throws {
        try await Diaries.run { server in
            let unknown = try server.send("GET", Diaries.session + path)
            #expect(unknown.status == 401)
            #expect(try Diaries.get(path, server, by: "bob-act-admin").status == 403)
            #expect(try Diaries.get(path, server).status == 200)
        }
        try await Diaries.run(asks: false) { server in
            let answer = try server.send("GET", Diaries.session + path)
            #expect(answer.status == 200)
        }
    }

    @Test func `gives the state of a version with its bytes and its tag`() async throws {
        try await Diaries.run { server in
            var states = [try Diaries.get("/state", server)]
            for index in 1...5 {
                try Diaries.note("\(index)", server)
                states.append(try Diaries.get("/state", server))
            }
            for (version, state) in states.enumerated() {
                let past = try Diaries.get("/state?version=\(version)", server, by: "bob")
                #expect(past.status == 200)
                #expect(past.body == state.body && past.etag == state.etag)
            }
            let token = try #require(states[2].etag)
            #expect(try Diaries.get("/state?version=\(token)", server).body == states[2].body)
            let part = try Diaries.get("/state?version=2&select=/notes/alice/1", server)
            #expect(part.body == #""2""#)
            let absent = try Diaries.get("/state?version=1&select=/notes/alice/1", server)
            #expect(absent.problem == "out-of-scope")
            let future = try Diaries.get("/state?version=6", server)
            #expect(future.status == 404 && future.problem == "version-not-reached")
        }
    }

    @Test func `gives inside of a batch the state before it`() async throws {
        try await Diaries.run { server in
            try Diaries.note("1", server)
            let before = try Diaries.get("/state", server)
            try server.post(
                Diaries.session,
                #"[{"type":"noted","payload":"2"},{"type":"noted","payload":"3"}]"#,
                fields: Diaries.as("alice"))
            let inside = try Diaries.get("/state?version=2", server)
            #expect(inside.body == before.body && inside.etag == before.etag)
            let behind = try Diaries.get("/state?version=3", server)
            #expect(behind.body == #"{"notes":{"alice":["1","2","3"]}}"#)
            let entries = try Diaries.get("/log?patch=1", server).json().elements ?? []
            #expect(entries.map { $0["patch"] != nil } == [true, false, true])
            #expect(entries[2]["batch"]?.string == "2c")
        }
    }

    @Test func `shows each viewer what the views show of that state`() async throws {
        try await Diaries.run(isShown: false) { server in
            try Diaries.note("tea", server)
            try Diaries.note("milk", server, by: "bob")
            try Diaries.note("bread", server)
            for (version, alice, bob) in [
                (0, [], []), (1, ["tea"], []), (2, ["tea"], ["milk"]),
                (3, ["tea", "bread"], ["milk"]),
            ] {
                for (name, notes) in [("alice", alice), ("bob", bob)] {
                    let shown = try Diaries.get("/state?version=\(version)", server, by: name)
                        .json()
                    #expect(shown["notes"]?.elements?.compactMap(\.string) == notes)
                }
            }
            let past = try Diaries.get("/state?version=3", server, by: "bob")
            let present = try Diaries.get("/state", server, by: "bob")
            #expect(past.body == present.body && past.etag == present.etag)
            let part = try Diaries.get("/state?version=3&select=/notes/1", server, by: "alice")
            #expect(part.body == #""bread""#)
        }
    }

    @Test func `is shown as by whoever asks once the journal has told it`() async throws {
        let askedCount = Mutex(0)
        var configuration = TestServer.configuration
        configuration.journal = ScriptedJournal(.later)
        configuration.authorize = { request in
            let count = askedCount.withLock { count in
                if request.query == "version=1" { count += 1 }
                return count
            }
            return .granted(Principal(count > 1 ? "bob" : "alice", roles: ["act", "observe"]))
        }
        try await TestServer.run(
            configuration,
            serving: {
                Served(
                    "/diary", DiaryApplication(isShown: false),
                    options: SessionOptions(history: .always))
            }
        ) { server in
            try server.create(Diaries.session)
            for text in ["tea", "milk"] { try Diaries.note(text, server) }
            let answer = try Diaries.get("/state?version=1", server)
            #expect(answer.body == #"{"notes":[]}"#)
        }
    }

    @Test func `tells nobody what another hides in the same place by now`() async throws {
        try await TestServer.run(
            LockersApplication.configuration,
            serving: {
                Served("/lockers", LockersApplication(), options: SessionOptions(history: .always))
            }
        ) { server in
            let session = "/lockers/sessions/demo"
            let (alice, bob) = (Diaries.as("alice"), Diaries.as("bob"))
            try server.create(session, fields: alice)
            try server.dispatch(session, "taken", #"{"code":"hers"}"#, fields: alice)
            let present = try server.send("GET", session + "/state", fields: alice)
            let same = try server.send("GET", session + "/state?version=1", fields: alice)
            #expect(present.body == #""hers""#)
            #expect(same.body == present.body && same.etag == present.etag)
            try server.dispatch(session, "left", fields: alice)
            try server.dispatch(session, "taken", #"{"code":"swordfish","pin":7}"#, fields: bob)
            // Her secret is kept no more, and his is none of hers.
            let past = try server.send("GET", session + "/state?version=1", fields: alice)
            #expect(past.body == #""<redacted>""#)
            // A number cannot read like that.
            try server.dispatch(session, "left", fields: bob)
            let number = try server.send("GET", session + "/state?version=3", fields: bob)
            #expect(number.status == 410 && number.problem == "version-not-shown")
        }
    }

    @Test func `is made once for all who ask for the same, until it is forgotten`() async throws {
        try await Diaries.run(isShown: false) { server in
            for text in ["tea", "milk", "bread"] { try Diaries.note(text, server, by: "carol") }
            let before = DiaryApplication.shownCount.load(ordering: .relaxed)
            let gzip = ["Accept-Encoding": "gzip"]
            for fields in [[:], gzip, [:], gzip] {
                let past = try Diaries.get("/state?version=1", server, by: "carol", fields)
                #expect(past.status == 200)
                let recording = try Diaries.get("/recording", server, fields)
                #expect(recording.status == 200)
            }
            #expect(DiaryApplication.shownCount.load(ordering: .relaxed) - before == 1)
            let other = try Diaries.get("/state?version=1", server, by: "bob")
            #expect(other.body == #"{"notes":[]}"#)
            // The journal of these tests forgets nothing.
            guard TestJournal.make == nil else { return }
            let forgotten = try server.send(
                "POST", Diaries.session + "/forget",
                fields: Diaries.as("eve-admin")
                    .merging(["Content-Type": "application/json"]) { $1 },
                body: #"{"before":2}"#)
            #expect(forgotten.status == 204)
            let gone = try Diaries.get("/state?version=1", server, by: "carol")
            #expect(gone.problem == "version-gone")
        }
    }

    @Test func `that is gone says from where on it is there`() async throws {
        // A journal keeps all of it.
        guard TestJournal.make == nil else { return }
        try await Diaries.run(entryCount: 16) { server in
            for index in 1...40 { try Diaries.note("\(index)", server) }
            let gone = try Diaries.get("/state?version=3", server)
            #expect(gone.status == 410 && gone.problem == "version-gone")
            let oldest = try #require(try gone.json()["oldest"]?.integer)
            #expect((24...38).contains(oldest))
            #expect(try Diaries.get("/state?version=\(oldest)", server).status == 200)
            #expect(try Diaries.get("/log?after=\(oldest - 1)", server).problem == "version-gone")
            let log = try Diaries.get("/log?after=\(oldest)", server)
            #expect(try log.json().elements?.count == 40 - oldest)
            #expect(try Diaries.get("/log?after=zzzz-39", server).problem == "version-gone")
        }
    }

    @Test func `begins with the first request for it`() async throws {
        // A journal keeps all of it.
        guard TestJournal.make == nil else { return }
        try await Diaries.run(.whileWatched) { server in
            try Diaries.note("1", server)
            #expect(try Diaries.get("/state?version=0", server).problem == "version-gone")
            #expect(try Diaries.get("/log", server).body == "[]")
            try Diaries.note("2", server)
            try Diaries.note("3", server)
            #expect(try Diaries.get("/log", server).json().elements?.count == 2)
            #expect(
                try Diaries.get("/state?version=1", server).body == #"{"notes":{"alice":["1"]}}"#)
        }
    }

    @Test func `does not begin inside of a batch, whose end changes nothing`() async throws {
        // A journal keeps all of it.
        guard TestJournal.make == nil else { return }
        try await Diaries.run(.whileWatched) { server in
            let locked = #"{"type":"locked","payload":{"key":"k","pin":1}}"#
            try server.post(
                Diaries.session, "[\(locked),\(locked)]", fields: Diaries.as("alice"))
            let inside = try Diaries.get("/state?version=1", server)
            #expect(inside.problem == "version-gone")
            #expect(try inside.json()["oldest"]?.integer == 2)
            let behind = try Diaries.get("/state?version=2", server)
            #expect(behind.body == (try Diaries.get("/state", server).body))
        }
    }

    @Test func `is recorded with all that leads from its beginning to now`() async throws {
        try await Diaries.run { server in
            for index in 1...3 { try Diaries.note("\(index)", server) }
            let recording = try Diaries.get("/recording", server)
            #expect(recording.fields["content-type"] == "application/x-ndjson")
            let lines = recording.body.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(
                lines[0].hasPrefix(
                    #"{"application":"/diary","schema":1,"session":"demo","epoch":""#))
            #expect(lines[0].contains(#","build":""#))
            #expect(lines[0].hasSuffix(#""version":0,"state":{"notes":{}}}"#))
            for line in lines.dropFirst() { #expect(line.contains(#""patch":[{"op":"#)) }
        }
    }

    @Test func `is recorded without compression where that would take long`() async throws {
        try await Diaries.run { server in
            let coded = ["Accept-Encoding": "gzip"]
            for _ in 1...3 { try Diaries.note(String(repeating: "x", count: 900_000), server) }
            let large = try Diaries.get("/recording", server, coded)
            #expect(large.fields["content-encoding"] == nil)
            #expect(large.body.utf8.count > PastAnswer.compressedByteCount)
            let tag = try #require(large.etag)
            #expect(large.fields["vary"]?.contains("Accept-Encoding") == true)
            let again = try Diaries.get("/recording", server, ["If-None-Match": "\"\(tag)\""])
            #expect(again.status == 304)
        }
        try await Diaries.run { server in
            for index in 1...100 { try Diaries.note("\(index)", server) }
            let small = try Diaries.get("/recording", server, ["Accept-Encoding": "gzip"])
            #expect(small.fields["content-encoding"] == "gzip")
        }
    }

    @Test func `holds no secret`() async throws {
        try await Diaries.run { server in
            try server.dispatch(
                Diaries.session, "locked", #"{"key":"swordfish","pin":777731}"#,
                fields: Diaries.as("alice"))
            for path in ["/log?patch=1", "/recording", "/state?version=1"] {
                let text = try Diaries.get(path, server).body
                #expect(text.contains("<redacted>"))
                #expect(!text.contains("swordfish") && !text.contains("777731"))
            }
        }
    }
}
