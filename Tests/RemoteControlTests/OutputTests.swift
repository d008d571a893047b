import ClientWire
import StateCoding
import Testing

@testable import RemoteControl

@Suite struct `What a command writes` {
    private let person = Terminal(isTerminal: true, isColored: nil)
    private let pipe = Terminal(isTerminal: false, isColored: nil)
    private let token = Token(epoch: "k3f9", version: 43)

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `has colours on a terminal alone, where nobody has asked for none`() {
        #expect(person.isColored && !pipe.isColored)
        #expect(person.paint("a", .red) == "\u{1b}[31ma\u{1b}[0m" && pipe.paint("a", .red) == "a")
        let plain = ["NO_COLOR": "1"]
        #expect(!Terminal(isTerminal: true, isColored: nil, environment: plain).isColored)
        #expect(
            !Terminal(isTerminal: true, isColored: nil, environment: ["TERM": "dumb"]).isColored)
        #expect(!Terminal(isTerminal: true, isColored: false).isColored)
        #expect(Terminal(isTerminal: false, isColored: true, environment: plain).isColored)
    }

    @Test func `moves no cursor, whatever the server says`() {
        #expect(Terminal.harmless("a\u{9b}2J\u{1b}[0m\u{202e}é") == #"a\u{9b}2J\u{1b}[0m\u{202e}é"#)
        let long = bytes("\"\(String(repeating: "x", count: 500))\"")
        #expect(person.short(long).count == 121 && person.short(bytes("[1]")) == "[1]")
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":2}"#, [#"~ /a  1 → 2"#]),
        (#"{"a":[1,2,3]}"#, #"{"a":[1,3],"b":"x"}"#, ["- /a/1  2", #"+ /b  "x""#]),
        ("1", "{}", ["~ the whole  1 → {}"]),
        (#"{"a":1}"#, #"{"a":1}"#, []),
        (
            #"[[1],2,3,4,5]"#, #"[[1,0],2,9,8,7,5]"#,
            ["+ /0/1  0", "~ /2  3 → 9", "~ /3  4 → 8", "+ /4  7"]
        ),
        ("[1,2,3,4]", "[1]", ["- /3  4", "- /2  3", "- /1  2"]),
        (#"{"a/b":1,"c":2}"#, #"{"c":{"d":1}}"#, ["- /a~1b  1", #"~ /c  2 → {"d":1}"#]),
    ])
    func `is what has changed, at its place`(old: String, new: String, lines: [String]) throws {
        let terminal = Terminal(isTerminal: true, isColored: false)
        let changes = StateChange.all(
            from: try .parsing(bytes(old)), to: try .parsing(bytes(new)))
        #expect(changes.map { $0.line(on: terminal) } == lines.map { "  " + $0 })
    }

    @Test func `has what nests as deep as it may, in an entry of the log`() throws {
        let state = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        let log = #"[{"version":1,"patch":[{"op":"replace","path":"","value":\#(state)}]}]"#
        #expect(try JSONValue.parsing(bytes(log)).line == log)
    }

    @Test func `is a line of JSON in a pipe`() throws {
        func line(_ news: SessionFeed.News, behind text: String?) throws -> String? {
            var shown = try text.map { try JSONValue.parsing(bytes($0)) }
            return try WatchCommand.line(of: news, behind: &shown, on: pipe)
        }
        let state = SessionFeed.News.state(bytes(#"{"a":2}"#), token)
        #expect(
            try line(state, behind: nil) == #"{"token":"k3f9-43","version":43,"state":{"a":2}}"#)
        #expect(
            try line(state, behind: #"{"a":1}"#)
                == #"{"token":"k3f9-43","version":43,"changes":"#
                + #"[{"op":"replace","path":"/a","old":1,"value":2}]}"#)
        #expect(try line(state, behind: #"{"a":2}"#) == nil)
        #expect(try line(.version(token), behind: "{}") == nil)
        #expect(
            try line(.outOfScope(token), behind: "{}")
                == #"{"token":"k3f9-43","version":43,"event":"out-of-scope"}"#)
    }

    @Test func `is a state of many lines for people`() throws {
        let json = bytes("{\"a\":[1,{}],\"b\\u001b\u{202e}\":\"x\u{202e}\"}")
        let terminal = Terminal(isTerminal: true, isColored: false)
        let text = terminal.pretty(try JSONValue(parsing: json.span))
        let last = #""b\u001b\u{202e}": "x\u{202e}""#
        #expect(text == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \(last)\n}")
    }

    @Test func `is an entry with its cause and who`() throws {
        let json = bytes(
            """
            {"version":43,"at":1795302855123,"origin":"effect","cause":42,\
            "action":{"type":"list/found","payload":["a"]},\
            "patch":[{"op":"a\\u001bdd","path":"/items/0","value":"a"}]}
            """)
        let terminal = Terminal(isTerminal: true, isColored: false)
        let line = LogReader.line(of: try JSONValue(parsing: json.span), on: terminal)
        #expect(
            line
                == "23:14:15.123  43 ← 42  effect  list/found [\"a\"]\n    a\\u{1b}dd /items/0  \"a\""
        )
    }
}
