import ArgumentParser
import ClientWire
import Foundation
import StateCoding
import TemporaryFolder
import Testing

@testable import RemoteControl

@Suite struct `The address of a session` {
    @Test(arguments: [
        (
            "http://localhost:8080/counter/sessions/demo",
            "http://localhost:8080/counter/sessions/demo"
        ),
        ("localhost:8080/counter/sessions/demo/", "http://localhost:8080/counter/sessions/demo"),
        ("example.org/sessions/a.b~c", "https://example.org/sessions/a.b~c"),
        ("HTTPS://[2001:db8::1]:443/x/y/sessions/a", "https://[2001:db8::1]:443/x/y/sessions/a"),
        ("[::1]:8080/sessions/sessions/a", "http://[::1]:8080/sessions/sessions/a"),
    ])
    func `is what somebody types`(text: String, url: String) throws {
        #expect(try Address(parsing: text).ofSession() == url)
    }

    @Test func `may be an application's, and then the session is named`() throws {
        for text in ["127.0.0.1:1/counter", "http://127.0.0.1:1/counter/sessions"] {
            var address = try Address(parsing: text)
            #expect(address.sessions == "http://127.0.0.1:1/counter/sessions")
            #expect(throws: ValidationError.self) { try address.ofSession() }
            try address.choose("demo")
            #expect(try address.ofSession() == "http://127.0.0.1:1/counter/sessions/demo")
            #expect(throws: ValidationError.self) { try address.choose("other") }
        }
    }

    @Test(arguments: [
        "", "http://", "ftp://a/b", "http://user:word@a/sessions/b", "http://a/sessions/b?x=1",
        "a/sessions/b/state", "http://a:99999/b", "a b/c", "a/sessions/%2e", "a:8080x/b",
        "[::1/sessions/a", "[::1]8080/sessions/a", "[]/sessions/a",
    ])
    func `is refused where it is none`(text: String) {
        #expect(throws: ValidationError.self) { try Address(parsing: text) }
    }
}

@Suite struct `The options of commands` {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        ["Authorization: Bearer x"], ["cookie: a=b"], ["X-Session: 1"], ["@-", "@-"],
        ["If-Match: \"a\""],
        ["no field"], ["Bad Name: x"], ["A: b\u{7f}"],
    ])
    func `take no secret and no field of the commands' own`(fields: [String]) {
        #expect(throws: (any Error).self) {
            try StateCommand.parse(["localhost/sessions/a"] + fields.flatMap { ["--header", $0] })
        }
    }

    @Test(arguments: [
        ["dispatch", "localhost/sessions/a", "x", "--file", "f"],
        ["dispatch", "localhost/sessions/a", "--expect", "k-1"],
        ["dispatch", "localhost/sessions/a", #"{"type":"x"}"#, "1"],
        ["dispatch", "localhost/sessions/a", "x", "--batch"],
        ["dispatch", "localhost/sessions/a", "--header", "@-"],
        ["dispatch", "localhost/sessions/a", "--batch", "--header", "@-"],
        ["dispatch", "localhost/c", "x"],
        ["dispatch", "localhost/sessions/a", "x", "--key", "a\"b"],
        ["state", "localhost/sessions/a", "--pointer", "a"],
        ["state", "localhost/sessions/a", "--version", "x"],
        ["state", "localhost/sessions/a", "--argument", "a=b"],
        ["watch", "localhost/sessions/a", "--changes", "0"],
        ["sessions", "localhost/sessions/a"], ["tail", "localhost/sessions/a", "--timeout", "0"],
        ["record", "localhost/c"], ["record", "localhost/sessions/a", "--through", "-1"],
        ["replay", "f", "localhost/c", "--at", "2"], ["replay", "f", "localhost/c", "--at", "0x"],
        ["replay", "f", "localhost/c/sessions/a"], ["replay", "localhost/c"],
    ])
    func `are refused where they do not go together`(arguments: [String]) throws {
        let command = try #require(
            RemoteCommands.all.first { $0.configuration.commandName == arguments[0] })
        let error = #expect(throws: (any Error).self) {
            try command.parse(Array(arguments.dropFirst()))
        }
        #expect(error.map { command.exitCode(for: $0).rawValue } == 64)
    }

    @Test func `make the query of a part`() throws {
        let command = try StateCommand.parse([
            "localhost/sessions/a", "--pointer", "/a b/~1ü", "--view", "item", "--argument",
            "id=a&b",
        ])
        #expect(command.part.query == ["select=%2Fa%20b%2F~1%C3%BC", "view=item", "id=a%26b"])
    }

    @Test func `take secrets of files, and warn of what others read`() throws {
        func file(_ name: String, _ text: String, mode: Int) throws -> String {
            let path = "\(folder.path)/\(name)"
            try folder.write(name, text)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return path
        }
        let jar = """
            # Netscape HTTP Cookie File
            #HttpOnly_localhost\tFALSE\t/\tFALSE\t2000\thousehold\tabc
            localhost\tFALSE\t/other\tFALSE\t0\telsewhere\t1
            localhost\tFALSE\t/\tFALSE\t999\told\t1
            .host\tTRUE\t/\tTRUE\t0\tforeign\t1
            example.org\tTRUE\t/\tTRUE\t0\tsecure\t1
            """
        let arguments = [
            "--token-file", try file("token", "  s3cret\n", mode: 0o600),
            "--header", "@\(try file("fields", "X-A: 1\r\n\r\nX-B:2\n", mode: 0o640))",
            "--header", "Referer: c", "--cookie-jar", try file("jar", jar, mode: 0o600),
        ]
        func fields(_ url: String) throws -> (fields: [String: String], warnings: [String]) {
            var warnings: [String] = []
            let options = try StateCommand.parse([url] + arguments).options
            let fields = try options.credentials.fields(for: options.address, at: 1_000) {
                warnings.append($0)
            }
            return (fields, warnings)
        }
        let own = ["authorization": "Bearer s3cret", "x-a": "1", "x-b": "2", "referer": "c"]
        let local = try fields("localhost/sessions/a")
        #expect(local.fields == own.merging(["cookie": "household=abc"]) { $1 })
        #expect(local.warnings.count == 1 && local.warnings[0].contains("chmod 600"))
        let far = try fields("http://www.example.org/sessions/a")
        #expect(far.fields == own && far.warnings.count == 2)
        #expect(far.warnings[1].contains("www.example.org"))
        #expect(!far.warnings.contains { $0.contains("s3cret") })
        let safe = try fields("https://www.example.org/sessions/a")
        #expect(safe.fields["cookie"] == "secure=1" && safe.warnings.count == 1)
    }

    @Test func `read lines that end with LF, or CR LF`() {
        let text = "[\"a\u{2028}\u{85}b\"]\r\n\nc"
        #expect(Array(TextFile.lines(in: text)) == ["[\"a\u{2028}\u{85}b\"]", "", "c"])
        #expect(!TextFile.isText(" \r") && TextFile.isText("c"))
    }

    @Test func `spell an action by its type, or as it is`() throws {
        #expect(try DispatchCommand.json(of: "reset", nil) == #"{"type":"reset"}"#)
        #expect(
            try DispatchCommand.json(of: "a/b", #"{"by":2}"#)
                == #"{"type":"a/b","payload":{"by":2}}"#)
        #expect(try DispatchCommand.json(of: #"[{"type":"a"}]"#, nil) == #"[{"type":"a"}]"#)
        #expect(throws: MirrorProblem.self) { try DispatchCommand.json(of: "a", "{") }
    }
}

@Suite struct `An exit status` {
    private func table(_ article: String) throws -> [[String]] {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Statecast/Statecast.docc/\(article).md")
        return try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    /// Of some codes it is said what they mean; none is a mistake of the command line.
    @Test func `is given to each code of the article Problems`() throws {
        let rows = try table("Problems").filter { $0.count == 4 && $0[0].hasPrefix("`") }
        #expect(rows.count > 60)
        for row in rows {
            let code = row[0].trimmingCharacters(in: ["`"])
            var problem = MirrorProblem(code, "", status: Int(row[1].prefix(3)) ?? 0)
            problem.isRejection = code == "rejected"
            let reason = ExitReason(problem)
            if row[3].hasPrefix("Yes, ") || code == "outcome-unknown" {
                #expect([.notNow, .notThere, .outcomeUnknown].contains(reason), "\(code)")
            }
            if reason == .notNow { #expect(row[3].hasPrefix("Yes"), "\(code)") }
        }
    }

    @Test func `is in the article, and in the help`() throws {
        let rows = try table("Remote-control").filter { $0.count == 2 && Int32($0[0]) != nil }
        var all = ExitReason.allCases.map { ["\($0.rawValue)", $0.summary] }
        all += [["0", "it is done"]]
        #expect(rows.sorted { $0[0] < $1[0] } == all.sorted { $0[0] < $1[0] })
        #expect(WatchCommand.helpMessage().contains("  77   who asks may not do this"))
    }

    @Test(arguments: [
        (0, "not-connected", 69), (0, "no-answer", 124), (0, "not-http", 76), (0, "no-file", 66),
        (401, "unauthenticated", 77), (404, "session-not-found", 13), (404, "not-found", 12),
        (410, "session-ended", 13), (410, "version-gone", 12), (412, "precondition-failed", 11),
        (422, "unknown-action", 65), (423, "frozen", 14), (429, "too-many", 75),
        (503, "outcome-unknown", 15), (503, "shutting-down", 75), (301, "not-http", 76),
        (400, "bad-parameter", 64), (0, "output-lost", 74),
    ])
    func `tells what has happened`(status: Int, code: String, exit: Int32) {
        #expect(ExitReason(MirrorProblem(code, "", status: status)).rawValue == exit)
    }
}
