import StateCoding
import Sockets
import StatecastTesting
import Testing

@testable import Statecast

/// Recordings, and sessions that play them.
private struct Replays {
    static let recorder = "eve-inspect"

    /// The recording of the diary `demo`.
    static func recording(_ server: TestServer) throws -> String {
        try Diaries.get("/recording", server).body
    }

    static func post(
        _ recording: String, _ mode: String, _ server: TestServer, by name: String = recorder,
        _ fields: [String: String] = [:]
    ) throws -> TestAnswer {
        let all = ["Content-Type": "application/x-ndjson"].merging(Diaries.as(name)) { $1 }
        return try server.send(
            "POST", "/diary/sessions?replay=\(mode)", fields: all.merging(fields) { $1 },
            body: recording)
    }

    /// The address of a new replay.
    static func make(
        _ recording: String, _ mode: String, _ server: TestServer
    ) throws -> String {
        let answer = try post(recording, mode, server)
        #expect(answer.status == 201, "\(answer.body)")
        return try #require(answer.fields["location"])
    }

    static func command(
        _ body: String, _ replay: String, _ server: TestServer, by name: String = recorder
    ) throws -> TestAnswer {
        try server.send(
            "POST", replay + "/replay",
            fields: ["Content-Type": "application/json"].merging(Diaries.as(name)) { $1 },
            body: body)
    }

    static func get(
        _ path: String, _ server: TestServer, by name: String = recorder,
        _ fields: [String: String] = [:]
    ) throws -> TestAnswer {
        try server.send("GET", path, fields: Diaries.as(name).merging(fields) { $1 })
    }
}

@Suite(.onBothJournals) struct `A session that plays a recording` {
    /// Notes of two people, and a state that was set by hand.
    private func act(_ server: TestServer) throws {
        try Diaries.note("tea", server)
        try Diaries.note("milk", server, by: "bob")
        let set = try server.send(
            "PUT", Diaries.session + "/state",
            fields: ["Content-Type": "application/json"]
                .merging(Diaries.as("eve-admin")) { $1 },
            body: #"{"notes":{"alice":["set"]}}"#)
        #expect(set.status == 200)
        try server.post(
            Diaries.session,
            #"[{"type":"noted","payload":"2"},{"type":"noted","payload":"3"}]"#,
            fields: Diaries.as("alice"))
    }

    @Test func `has the bytes of the live one at each version, whatever the way`() async throws {
        try await Diaries.run { server in
            try act(server)
            let states = try (0...5).map { try Diaries.get("/state?version=\($0)", server).body }
            let recording = try Replays.recording(server)
            let instant = try Replays.make(recording, "instant", server)
            let step = try Replays.make(recording, "step", server)
            // The last two are a batch: nobody was shown what is between.
            for version in [0, 1, 2, 3, 5] {
                let past = try Replays.get("\(instant)/state?version=\(version)", server)
                #expect(past.body == states[version])
                #expect(try Replays.get("\(step)/state", server).body == states[version])
                _ = try Replays.command(#"{"steps":1}"#, step, server)
            }
            let between = try Replays.get("\(instant)/state?version=4", server)
            #expect(between.body == states[3] && between.etag?.hasSuffix("-3") == true)
            #expect(try Replays.get("\(instant)/state", server).body == states[5])
            let fast = try Replays.make(recording, "1000x", server)
            let events = try server.events(fast, query: "", fields: Diaries.as("bob"))
            var last = ""
            while !last.hasSuffix("-5") { last = try #require(try events.next()?.id) }
            #expect(try Replays.get("\(fast)/state", server).body == states[5])
            #expect(try Diaries.get("/state", server).body == states[5])
            #expect(try Diaries.get("/log", server).json().elements?.count == 5)
        }
    }

    @Test func `is made of what there is, also where nobody has asked for the past before`()
        async throws
    {
        try await Diaries.run(.whileWatched) { server in
            try Diaries.note("tea", server)
            for note in ["milk", "cake"] {
                // All that is kept, as `statecast record` asks for it.
                let part = try Diaries.get("/recording?from=0", server)
                #expect(part.status == 200 && part.body.contains("tea"), "\(part.body)")
                try Diaries.note(note, server)
            }
            let all = try Diaries.get("/recording?from=0", server).body
            #expect(all == (try Replays.recording(server)))
            let replay = try Replays.make(all, "instant", server)
            #expect(
                try Replays.get(replay + "/state", server).body
                    == #"{"notes":{"alice":["tea","milk","cake"]}}"#)
        }
    }

    @Test func `is watched like any other`() async throws {
        try await Diaries.run { server in
            try act(server)
            let replay = try Replays.make(try Replays.recording(server), "step", server)
            let states = try server.events(replay, query: "", fields: Diaries.as("bob"))
            let patches = try server.events(
                replay, query: "?patch=json-patch", fields: Diaries.as("bob"))
            let part = try server.events(
                replay, query: "?select=/notes/bob", fields: Diaries.as("bob"))
            #expect(try patches.next()?.name == "snapshot")
            #expect(try states.next()?.data == #"{"notes":{}}"#)
            for _ in 0..<2 { _ = try Replays.command(#"{"steps":1}"#, replay, server) }
            #expect(try states.next()?.data == #"{"notes":{"alice":["tea"]}}"#)
            let patch = try #require(try patches.next())
            #expect(patch.name == "patch")
            #expect(patch.data.contains(#""ops":[{"op":"add","path":"/notes/alice""#))
            #expect(try part.next()?.name == "out-of-scope")
            #expect(try part.next()?.data == #"["milk"]"#)
            let state = try Replays.get(replay + "/state", server)
            let again = try Replays.get(
                replay + "/state", server, ["If-None-Match": "\"\(state.etag ?? "")\""])
            #expect(again.status == 304)
        }
    }

    @Test func `tells what it has played, and can be recorded itself`() async throws {
        try await Diaries.run { server in
            try act(server)
            let recording = try Replays.recording(server)
            let replay = try Replays.make(recording, "step", server)
            _ = try Replays.command(#"{"version":2}"#, replay, server)
            let played = try Replays.get(replay + "/log", server).json().elements
            #expect(played?.map { $0["by"]?["id"]?.string } == ["alice", "bob"])
            _ = try Replays.command(#"{"mode":"instant"}"#, replay, server)
            let live = try Diaries.get("/log?patch=1", server).json().elements
            let all = try Replays.get(replay + "/log?patch=1", server).json().elements
            for (entry, copy) in zip(try #require(live), try #require(all)) {
                for name in ["version", "at", "origin", "kind", "by", "batch", "action", "patch"] {
                    #expect(entry[name]?.json == copy[name]?.json, "\(name)")
                }
            }
            let copy = try Replays.get(replay + "/recording", server).body
            let lines = (recording.split(separator: "\n"), copy.split(separator: "\n"))
            #expect(lines.0.count == 6 && lines.1.count == 6)
            #expect(lines.0.dropFirst(2) == lines.1.dropFirst(2))
        }
    }

    @Test func `takes nothing, for ever`() async throws {
        try await Diaries.run { server in
            try act(server)
            let replay = try Replays.make(try Replays.recording(server), "instant", server)
            let before = try Replays.get(replay + "/state", server)
            for body in [#"{"type":"noted","payload":"x"}"#, #"{"type":"no"}"#, "{"] {
                let answer = try server.post(replay, body, fields: Diaries.as("alice"))
                #expect(answer.status == 409 && answer.problem == "replay")
            }
            let put = try server.send(
                "PUT", replay + "/state",
                fields: ["Content-Type": "application/json"]
                    .merging(Diaries.as("eve-admin")) { $1 }, body: #"{"notes":{}}"#)
            #expect(put.status == 409 && put.problem == "replay")
            let after = try Replays.get(replay + "/state", server)
            #expect(after.body == before.body && after.etag == before.etag)
            let end = try server.send("DELETE", replay, fields: Diaries.as("eve-admin"))
            #expect(end.status == 204)
            #expect(try Replays.get(replay + "/replay", server).status == 410)
        }
    }

    @Test func `tells how far it is, and goes on as it is told`() async throws {
        try await Diaries.run { server in
            try act(server)
            let recording = try Replays.recording(server)
            let made = try Replays.post(recording, "step", server)
            let replay = try #require(made.fields["location"])
            let first = try #require(try made.json()["replay"])
            #expect(first["mode"]?.string == "step" && first["version"]?.integer == 0)
            #expect(first["last"]?.integer == 5 && first["ended"]?.bool == false)
            let stepped = try Replays.command(#"{"steps":2}"#, replay, server).json()
            #expect(stepped["version"]?.integer == 2)
            let moved = try Replays.command(#"{"version":4}"#, replay, server).json()
            #expect(moved["version"]?.integer == 5, "Version 4 is within a batch.")
            let over = try Replays.command(#"{"steps":99}"#, replay, server).json()
            #expect(over["version"]?.integer == 5 && over["ended"]?.bool == true)
            #expect(over["at"]?.integer == over["duration"]?.integer)
            let told = try Replays.get(replay + "/replay", server)
            #expect(told.fields["cache-control"] == "no-store")
            #expect(try told.json()["version"]?.integer == 5)
            let description = try Replays.get(replay, server).json()
            #expect(description["replay"]?["ended"]?.bool == true)
        }
    }

    @Test(arguments: [
        ("{}", 422, ""), ("[]", 422, ""), ("{", 400, nil), (#"{"mode":"2y"}"#, 422, "/mode"),
        (#"{"mode":7}"#, 422, "/mode"), (#"{"steps":0}"#, 422, "/steps"),
        (#"{"steps":-1}"#, 422, "/steps"), (#"{"steps":1,"version":4}"#, 422, "/steps"),
        (#"{"version":1}"#, 422, "/version"), (#"{"version":6}"#, 422, "/version"),
        (#"{"version":-9}"#, 422, "/version"), (#"{"mode":"instant","steps":1}"#, 422, "/mode"),
        (#"{"steps":1e30}"#, 422, "/steps"),
    ])
    func `does not go on by what makes no sense`(
        body: String, status: Int, pointer: String?
    ) async throws {
        try await Diaries.run { server in
            try act(server)
            let replay = try Replays.make(try Replays.recording(server), "step", server)
            _ = try Replays.command(#"{"version":2}"#, replay, server)
            let answer = try Replays.command(body, replay, server)
            #expect(answer.status == status)
            #expect(try answer.json()["pointer"]?.string == pointer)
            #expect(
                try Replays.get(replay + "/replay", server).json()["version"]?.integer == 2)
        }
    }

    @Test func `is for those who may inspect, and its bytes are not read for others`() async throws
    {
        try await Diaries.run { server in
            try act(server)
            let recording = try Replays.recording(server)
            let replay = try Replays.make(recording, "step", server)
            let answer = try Replays.post(recording, "step", server, by: "bob-act-admin")
            #expect(answer.status == 403)
            #expect(
                try Replays.post(recording, "step", server, ["Authorization": ""]).status == 401)
            #expect(try Replays.get(replay + "/replay", server, by: "bob-act").status == 403)
            #expect(
                try Replays.command(#"{"steps":1}"#, replay, server, by: "bob").status == 403)
            let foreign = try Replays.post(
                recording, "step", server, ["Origin": "https://other.example"])
            #expect(foreign.status == 403 && foreign.problem == "cross-origin")
            let expecting = try head(server, "Expect: 100-continue\r\n", byteCount: 1_000_000)
            #expect(expecting.hasPrefix("HTTP/1.1 403 "))
            // Who may not play has bodies of the common size.
            let plain = try head(server, "", byteCount: 2_000_000)
            #expect(plain.hasPrefix("HTTP/1.1 413 "))
        }
    }

    /// The answer to a head of bob's whose body does not come.
    private func head(_ server: TestServer, _ field: String, byteCount: Int) throws -> String {
        let connection = try server.connect()
        try connection.send(
            "POST /diary/sessions?replay=1x HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer bob\r\nContent-Type: application/x-ndjson\r\n"
                + "Content-Length: \(byteCount)\r\n\(field)\r\n")
        return String(decoding: try connection.receiveAll(), as: UTF8.self)
    }

    @Test func `shows each viewer its own`() async throws {
        try await Diaries.run(isShown: false) { server in
            try act(server)
            let replay = try Replays.make(try Replays.recording(server), "step", server)
            let stream = try server.events(replay, query: "", fields: Diaries.as("bob"))
            #expect(try stream.next()?.data == #"{"notes":[]}"#)
            for _ in 0..<2 { _ = try Replays.command(#"{"steps":1}"#, replay, server) }
            #expect(try stream.next()?.data == #"{"notes":["milk"]}"#)
            let alice = try Replays.get(replay + "/state", server, by: "alice")
            #expect(alice.body == #"{"notes":["tea"]}"#)
            let past = try Replays.get(replay + "/state?version=1", server, by: "bob")
            #expect(past.body == #"{"notes":[]}"#)
        }
    }

    @Test func `is refused where the bytes are no recording of the application`() async throws {
        try await Diaries.run { server in
            try act(server)
            let recording = try Replays.recording(server)
            for mode in ["", "0x", "fast", "1x1"] {
                let answer = try Replays.post(recording, mode, server)
                #expect(answer.status == 400 && answer.problem == "bad-parameter")
            }
            let text = try Replays.post(recording, "1x", server, ["Content-Type": "text/plain"])
            #expect(text.status == 415 && text.fields["accept"] == "application/x-ndjson")
            let broken = try Replays.post(
                recording.replacing(#""path":"/notes/bob""#, with: #""path":"/other/bob""#),
                "1x", server)
            #expect(broken.status == 422 && broken.problem == "bad-recording")
            #expect(try broken.json()["line"]?.integer == 3)
            #expect(try broken.json()["pointer"]?.string == "/patch/0")
            let other = try Replays.post(
                recording.replacing("\"/diary\"", with: "\"/other\""), "1x", server)
            #expect(other.status == 422 && other.problem == "foreign-recording")
            let later = try Replays.post(
                recording.replacing(#""schema":1"#, with: #""schema":2"#), "1x", server)
            #expect(later.status == 422 && later.problem == "foreign-recording")
            #expect(try Replays.post("", "1x", server).problem == "bad-recording")
            let live = try Diaries.get("/replay", server)
            #expect(live.status == 404 && live.problem == "no-replay")
        }
    }

    @Test func `has limits of its own`() async throws {
        try await Diaries.run { server in
            for index in 0..<30 { try Diaries.note("\(index)", server) }
            let recording = try Replays.recording(server)
            let padding = String(repeating: "\n", count: 3 << 20)
            let long = try Replays.post(recording + padding, "instant", server)
            #expect(long.status == 201, "More than other bodies may have.")
            try await Self.bounded { small in
                let answer = try Replays.post(recording, "instant", small)
                #expect(answer.status == 413 && answer.problem == "body-too-large")
                let lines = recording.split(separator: "\n").prefix(13)
                let entries = try Replays.post(lines.joined(separator: "\n"), "instant", small)
                #expect(entries.status == 422 && entries.problem == "bad-recording")
                #expect(try entries.json()["line"]?.integer == 12)
            }
        }
    }

    /// A server that reads short recordings alone.
    private static func bounded(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        var configuration = TestServer.configuration
        configuration.sessionLimits.recordingByteCount = 4_000
        configuration.sessionLimits.recordingEntryCount = 10
        try await TestServer.run(
            configuration, serving: { Served("/diary", DiaryApplication()) }, body: body)
    }

    @Test func `plays what this build makes of actions that were edited`() async throws {
        try await Diaries.run { server in
            try act(server)
            let recording = try Replays.recording(server)
            func made(_ edit: (String) -> String) throws -> (state: String, log: [JSONValue]) {
                let answer = try Replays.post(
                    edit(recording), "instant&reduce=again", server, by: "eve-inspect-admin")
                let replay = try #require(answer.fields["location"], "\(answer.body)")
                return (
                    try Replays.get(replay + "/state", server).body,
                    try Replays.get(replay + "/log?patch=1", server).json().elements ?? []
                )
            }
            // As they were, they come to the same; the state that was set by hand is set again.
            let live = try Diaries.get("/state", server).body
            // Not within `#expect`: the compiler takes a closure there for the next one.
            let same = try made { $0 }
            #expect(same.state == live)
            let edited = try made {
                $0.replacing(
                    #"{"type":"noted","payload":"milk"}"#,
                    with: #"{"type":"noted","payload":"beer"}"#)
            }
            #expect(edited.log[1]["patch"]?.elements?[0]["value"]?.elements?[0].string == "beer")
            #expect(edited.state == live)
            // One that is refused has its rejection, and those that were posted with it change nothing.
            let refused = try made { $0.replacing(#""payload":"3""#, with: #""payload":"""#) }
            #expect(refused.state == #"{"notes":{"alice":["set"]}}"#)
            #expect(refused.log.map { $0["patch"] != nil } == [true, true, true, false, false])
            #expect(refused.log[4]["rejection"]?["code"]?.string == "empty")
            #expect(refused.log[4]["rejection"]?["detail"]?.string == "Write something.")
            #expect(refused.log[3]["rejection"] == nil)
            let leftOut = try made {
                $0.replacing(#"{"type":"noted","payload":"tea"}"#, with: "null")
            }
            #expect(leftOut.log[0]["patch"] == nil && leftOut.log[1]["patch"] != nil)
            let unknown = recording.replacing(
                #"{"type":"noted","payload":"milk"}"#, with: #"{"type":"noted","payload":7}"#)
            let admin = "eve-inspect-admin"
            let answer = try Replays.post(unknown, "1x&reduce=again", server, by: admin)
            #expect(answer.status == 422 && answer.problem == "bad-recording")
            #expect(try answer.json()["line"]?.integer == 3)
            #expect(try answer.json()["pointer"]?.string == "/action/payload")
            let wish = try Replays.post(recording, "1x&reduce=twice", server, by: admin)
            #expect(wish.status == 400 && wish.problem == "bad-parameter")
            // The reducer runs on what the body has: that is not for who may inspect alone.
            #expect(try Replays.post(recording, "1x&reduce=again", server).status == 403)
            // Asked again, what a replay has played is what was recorded: its session and its epoch.
            let replay = try Replays.make(recording, "instant", server)
            let again = try Replays.get(replay + "/recording", server).body
            #expect(again.contains(#""session":"demo""#))
            let epochs = [recording, again].map { text in
                text.split(separator: #""epoch":""#).dropFirst().first?.prefix { $0 != "\"" }
            }
            #expect(epochs[0] == epochs[1])
            #expect(try Diaries.get("/state", server).body == live)
        }
    }

    @Test func `is found through any server`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            try servers.one.post(servers.session, servers.add("a"))
            let recording = try servers.one.send("GET", "\(servers.session)/recording").body
            servers.book.introduce()
            for number in 0..<16 {
                let (maker, other) =
                    number % 2 == 0 ? (servers.one, servers.two) : (servers.two, servers.one)
                let made = try maker.send(
                    "POST", "/notes/sessions?replay=instant",
                    fields: ["Content-Type": "application/x-ndjson"], body: recording)
                let path = try #require(made.fields["location"], "\(made.body)")
                let state = try other.send("GET", "\(path)/state")
                #expect(state.status == 200 && state.body.contains("\"a\""), "\(state.body)")
            }
        }
    }

    @Test func `is not reached by the server's own code`() async throws {
        try await Diaries.run { server in
            try act(server)
            let replay = try Replays.make(try Replays.recording(server), "instant", server)
            let id = String(replay.split(separator: "/").last ?? "")
            let handle = try server.sessions.session(id, of: DiaryApplication.self)
            await Self.expectRefusal { _ = try await handle.state }
            await Self.expectRefusal { try await handle.dispatch(.noted("x")) }
            await Self.expectRefusal {
                for try await _ in handle.values(of: { $0.notes }) {}
            }
            try await handle.end()
            #expect(try Replays.get(replay + "/state", server).status == 410)
        }
    }

    private static func expectRefusal(_ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("A replay has no typed state.")
        } catch SessionError.refused(let refusal) {
            #expect(refusal.code == "replay" && !refusal.isTemporary)
        } catch {
            Issue.record("\(error)")
        }
    }
}
