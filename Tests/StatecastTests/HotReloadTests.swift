import Glibc
import Logging
import Statecast
import StatecastTesting
import TemporaryFolder
import Testing

@Suite(.onBothJournals) struct `A session in a file` {
    private let folder = HotFolder("diary")

    private func run(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await Diaries.run(hotReload: folder.root.path) { server in
            try folder.writeInPlace("demo.json", "")
            _ = try folder.wait(for: "demo.json") { $0.contains("state") }
            try await body(server)
        }
    }

    /// The file's text with another state, or notes; once the server has written it.
    private func edited(_ old: String, _ new: String) throws -> String {
        let text = try folder.wait(for: "demo.json") { $0.contains(old) }
        return text.replacing(old, with: new)
    }

    @Test func `is set by an edit, which all are shown, and an operator has made`() async throws {
        try await run { server in
            try Diaries.note("tea", server)
            let stream = try server.events(Diaries.session, fields: Diaries.as("bob"))
            #expect(try stream.next()?.data.contains("tea") == true)
            let text = try edited("tea", "milk")
            try folder.replace("demo.json", by: text)
            #expect(try stream.next()?.data.contains("milk") == true)
            let etag = try #require(try Diaries.get("/state", server).etag)
            #expect(try folder.wait(for: "demo.json") { $0.contains(etag) }.contains("milk"))
            let entry = try Diaries.get("/log?after=1", server).body
            #expect(entry.contains(#""origin":"inspector","kind":"replaced"}"#))
            // The next edit is of the same text, by an editor that has not read the file again.
            try folder.replace("demo.json", by: text.replacing("milk", with: "juice"))
            #expect(try stream.next()?.data.contains("juice") == true)
            #expect(folder.text("demo.error.txt") == nil)
        }
    }

    @Test func `says where an edit is no state, and goes on beside it`() async throws {
        try await run { server in
            let wrong = try edited(#""notes": {}"#, "\"notes\": {\n \"bob\": [\n7]}")
            try folder.replace("demo.json", by: wrong)
            let report = try folder.wait(for: "demo.error.txt") { !$0.isEmpty }
            #expect(report.hasPrefix("demo.json:6:1: /state/notes/bob/0: "))
            try Diaries.note("tea", server)
            _ = try folder.wait(for: "demo.now.json") { $0.contains("tea") }
            #expect(folder.text("demo.json") == wrong)
            #expect(try Diaries.get("/log", server).body.contains("replaced") == false)
            // Its application has a say, too.
            let now = try folder.wait(for: "demo.now.json") { $0.contains("tea") }
            try folder.writeInPlace("demo.json", now.replacing("alice", with: "bad"))
            _ = try folder.wait(for: "demo.error.txt") { $0.contains("/state: Not bad.") }
            try folder.writeInPlace("demo.json", now.replacing("tea", with: "milk"))
            _ = try folder.wait(for: "demo.json") { $0.contains("milk") && $0.contains("-2\"") }
            #expect(folder.text("demo.error.txt") == nil && folder.text("demo.now.json") == nil)
        }
    }

    @Test func `tells an edit that it has lost a race`() async throws {
        try await run { server in
            let late = try edited(#""notes": {}"#, #""notes": {"bob": ["late"]}"#)
            try Diaries.note("tea", server)
            _ = try folder.wait(for: "demo.json") { $0.contains("tea") }
            try folder.replace("demo.json", by: late)
            let report = try folder.wait(for: "demo.error.txt") { $0.contains("has gone on to") }
            let etag = try #require(try Diaries.get("/state", server).etag)
            #expect(report.contains(etag) && report.hasPrefix("demo.json:2:12: /token: "))
            #expect(try folder.wait(for: "demo.now.json") { $0.contains(etag) }.contains("tea"))
            #expect(folder.text("demo.json") == late)
            let token = late.split(separator: "\"")[3]
            try folder.writeInPlace("demo.json", late.replacing(token, with: etag))
            _ = try folder.wait(for: "demo.json") { $0.contains("late") && !$0.contains(etag) }
            #expect(try Diaries.get("/state", server).body.contains("late"))
            // Back to what the session has: an empty file asks for it.
            try folder.writeInPlace("demo.json", "")
            _ = try folder.wait(for: "demo.json") { $0.contains("late") }
        }
    }

    @Test func `counts anew when it is saved as before, and goes over no edit beside it`()
        async throws
    {
        try await run { server in
            let edit = try edited(#""notes": {}"#, #""notes": {"bob": ["milk"]}"#)
            try folder.writeInPlace("demo.json", edit)
            _ = try folder.wait(for: "demo.json") { $0.contains("-1\"") }
            try Diaries.note("tea", server)
            _ = try folder.wait(for: "demo.json") { $0.contains("tea") }
            try folder.writeInPlace("demo.json", edit)
            _ = try folder.wait(for: "demo.error.txt") { $0.contains("has gone on to") }
            _ = try folder.wait(for: "demo.now.json") { $0.contains("tea") }
            try folder.writeInPlace("demo.now.json", "mine")
            try Diaries.note("juice", server)
            try folder.writeInPlace("demo.json", "")
            _ = try folder.wait(for: "demo.json") { $0.contains("juice") }
            #expect(folder.text("demo.now.json") == "mine")
        }
    }

    @Test func `shows no secret, and keeps each that stays where it is`() async throws {
        try await run { server in
            func open() throws -> Bool {
                try server.dispatch(
                    Diaries.session, "opened", #"{"key":"swordfish","pin":777731}"#,
                    fields: Diaries.as("alice"))
                return try Diaries.get("/state", server).body.contains("opened")
            }
            try server.dispatch(
                Diaries.session, "locked", #"{"key":"swordfish","pin":777731}"#,
                fields: Diaries.as("alice"))
            let text = try folder.wait(for: "demo.json") { $0.contains("pin") }
            #expect(text.contains(#""key": "<redacted>""#) && !text.contains("7777"))
            try folder.writeInPlace(
                "demo.json", text.replacing(#""notes": {}"#, with: #""notes": {"a": ["b"]}"#))
            _ = try folder.wait(for: "demo.json") { $0.contains("-2\"") }
            #expect(try open())
            // It is a secret of no text that is asked to stand where one of text stood.
            let moved = try edited("opened", "moved").replacing(
                #""pin": "<redacted>""#, with: #""kin": 7"#)
            try folder.writeInPlace("demo.json", moved)
            _ = try folder.wait(for: "demo.json") { $0.contains("-4\"") }
            let wrong = try edited("\n  }\n}", ",\n    \"pin\": \"<redacted>\"\n  }\n}")
            try folder.writeInPlace("demo.json", wrong)
            _ = try folder.wait(for: "demo.error.txt") { $0.contains("/state/pin: No secret") }
            #expect(try !open())
        }
    }

    @Test func `is told of once where the folder of all files is moved away, and goes on there`()
        async throws
    {
        let log = LogLines()
        try await Diaries.run(
            hotReload: folder.root.path, logger: Logger(label: "hot") { _ in log.handler }
        ) { server in try moveAway(beside: server, log) }
    }

    private func moveAway(beside server: TestServer, _ log: LogLines) throws {
        let root = folder.root.path
        let moved = root + "-moved"
        try folder.writeInPlace("demo.json", "")
        _ = try folder.wait(for: "demo.json") { $0.contains("state") }
        for _ in 0..<2 {
            unsafe rename(root, moved)
            unsafe rename(moved, root)
        }
        // Behind what is told of the folder.
        try folder.writeInPlace("demo.json", "")
        _ = try folder.wait(for: "demo.json") { !$0.isEmpty }
        let told = log.all.filter { $0.contains("\(root) has gone") }
        #expect(told.count == 1)
        try Diaries.note("tea", server)
        _ = try folder.wait(for: "demo.json") { $0.contains("tea") }
    }

    @Test func `says that it has ended, where its file is open still`() async throws {
        try await run { server in
            let edit = try edited(#""notes": {}"#, #""notes": {"bob": ["milk"]}"#)
            let ended = try server.send(
                "DELETE", Diaries.session, fields: Diaries.as("eve-admin"))
            #expect(ended.status == 204)
            _ = try folder.wait(for: "demo.error.txt") { $0.contains("The session has ended.") }
            try folder.replace("demo.json", by: edit)
            _ = try folder.wait(for: "demo.error.txt") { $0.contains("Nothing has changed.") }
            #expect(folder.text("demo.json") == edit)
        }
    }

    @Test func `wakes and fills an empty file, and no other`() async throws {
        try await run { server in
            try folder.writeInPlace("none.json", "")
            _ = try folder.wait(for: "none.error.txt") { $0.contains("no such session") }
            try server.create("/diary/sessions/none", fields: Diaries.as("alice"))
            _ = try folder.wait(for: "none.json") { $0.contains("state") }
            #expect(folder.text("none.error.txt") == nil)
            try folder.link("b.json", to: "/etc/passwd")
            _ = try folder.wait(for: "b.error.txt") { $0.contains("It is a link") }
            try folder.grow("none.json", to: 100 << 20)
            _ = try folder.wait(for: "none.error.txt") { $0.contains("It has more than") }
            try folder.writeInPlace("none.json", "")
            _ = try folder.wait(for: "none.json") { $0.contains("state") }
        }
    }
}
