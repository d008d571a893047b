import Sessions
import StateCoding
import Testing

@testable import Sockets
@testable import Statecast

@Suite struct `The file of a session` {
    private static let old = Token(epoch: "e", version: 1)

    private func file(_ text: String, isAsWritten: Bool = false) -> EditedFile {
        let file = EditedFile(Array(text.utf8))
        guard isAsWritten else { return file }
        return EditedFile(file.bytes, modifiedNanoseconds: Int64(file.print % 1_000_000_000))
    }

    private func edit(_ count: Int, of version: Int = 1) -> EditedFile {
        file(#"{"token":"e-\#(version)","state":\#(count)}"#)
    }

    @Test(arguments: [
        ("7", "7"), ("{}", "{}"), ("[]", "[]"), (#"{"a":[1,[]],"b":{"c":"]{\",:\\"}}"#, nil),
    ])
    func `has the state on lines, and reads back as what it was`(state: String, value: String?)
        throws
    {
        let text = StateEdit.text(of: Array(state.utf8), Self.old, limit: 1000)
        let edit = try StateEdit.read(text)
        #expect(edit.token == Self.old)
        let lines =
            value ?? #"""
                {
                    "a": [
                      1,
                      []
                    ],
                    "b": {
                      "c": "]{\",:\\"
                    }
                  }
                """#
        #expect(String(decoding: edit.state, as: UTF8.self) == lines)
        let short = StateEdit.text(of: Array(state.utf8), Self.old, limit: 10)
        #expect(String(decoding: short, as: UTF8.self) == #"{"token":"e-1","state":\#(state)}"#)
    }

    @Test func `is laid on lines no further than it may be long`() throws {
        let brackets = (String(repeating: "[", count: 100), String(repeating: "]", count: 100))
        let zeros = Array(repeating: "0", count: 100_000).joined(separator: ",")
        let state = Array("\(brackets.0)\(zeros)\(brackets.1)".utf8)
        var (text, count): ([UInt8], Int) = ([], 0)
        let isWhole = try JSONValue(parsing: state.span, maximumDepth: 200)
            .write(to: &text, limit: 20_000) { text, json, _ in
                text += json
                count += 1
            }
        #expect(!isWhole && count > 10 && count < 100 && text.count < 40_000)
        #expect(StateEdit.text(of: state, Self.old, limit: 250_000).count < 250_000)
    }

    @Test(arguments: [
        ("{\n \"token\": \"e-1\",\n \"state\" 7}", "a.json:3:10: near /state: A colon is missing."),
        (
            "{\"token\": \"e-1\",\n \"state\": {\"a\": [1, x]}}",
            "a.json:2:21: near /state/a/0: "
        ),
        ("{\n \"token\": 7, \"state\": 7}", "a.json:2:11: /token: The token of the state"),
        ("{\"token\": \"e-1\"}", "a.json:1:1: /state: The state is missing."),
    ])
    func `tells by line and place what is no state`(text: String, told: String) {
        let fault = #expect(throws: DecodingFailure.self) { try StateEdit.read(Array(text.utf8)) }
        let line = fault?.line(about: "a.json", Array(text.utf8)) ?? ""
        #expect(line.hasPrefix(told), "\(line)")
    }

    @Test func `is written over as long as nobody edits it`() throws {
        var known = HotFile()
        #expect(known.look(at: file(" \n")) == .settled)
        #expect(known.look(at: file(" \n")) == nil)
        #expect(known.look(at: file("x", isAsWritten: true)) == nil)
        #expect(known.look(at: edit(2)) == .edited)
        let (state, token) = try known.judge(edit(2))
        #expect(state == Array("2".utf8) && token == Self.old && known.hasEdit)
        // It is saved again meanwhile.
        #expect(known.look(at: edit(3)) == nil)
        #expect(known.wasRefused(edit(3).print) == nil)
        #expect(known.wasRefused(edit(2).print) == edit(2))
        #expect(known.look(at: edit(2)) == nil && known.hasEdit && !known.isKnown(edit(2)))
        // Why it was refused may have passed.
        #expect(known.look(at: edit(2), isSaved: true) == .edited)
        #expect(known.look(at: edit(3)) == .edited)
        // What the server has written takes its place again.
        #expect(known.look(at: file("x", isAsWritten: true)) == .settled)
        #expect(!known.hasEdit && known.due < .never)
        for isSaved in [false, true] {
            #expect(known.look(at: file(""), isSaved: isSaved) == .settled)
        }
    }

    @Test func `tells an edit from what the server has written without the file's time`() {
        var known = HotFile()
        known.wasWritten(edit(1).bytes)
        #expect(known.look(at: edit(1), isSaved: true) == .settled && known.isKnown(edit(1)))
        // An older text of the server's that a person has put back.
        #expect(known.look(at: file("x", isAsWritten: true)) == .edited)
    }

    @Test func `counts an edit against the one before it, from the same editor`() throws {
        var known = HotFile()
        for count in 2...4 {
            let (_, token) = try known.judge(edit(count))
            #expect(token == Token(epoch: "e", version: UInt64(count - 1)))
            known.wasTaken(as: Token(epoch: "e", version: UInt64(count)))
            #expect(known.isKnown(edit(count)) && !known.isKnown(edit(7)) && !known.hasEdit)
        }
        // Another state has taken the place of the edit that is saved again.
        known.wasWritten(edit(5).bytes)
        #expect(known.look(at: edit(4), isSaved: true) == .edited)
        let (_, other) = try known.judge(edit(9, of: 3))
        #expect(other == Token(epoch: "e", version: 3))
    }

    @Test func `has its turn before all that were due later, and no other before it is due`() {
        let start = Instant(nanoseconds: 0)
        var files: [Int: HotFile] = [:]
        for number in 0..<100 {
            files[number, default: HotFile()]
                .wasAsked(at: start.advanced(by: .milliseconds(number)))
            files[number]?.hasNews = true
        }
        let now = start.advanced(by: HotReload.pause).advanced(by: .milliseconds(50))
        var order: [Int] = []
        while let (number, _) = HotFile.next(of: files, at: now), order.count < 100 {
            order.append(number)
            files[number]?.wasAsked(at: now)
            // It changes all the time.
            files[number]?.hasNews = true
        }
        #expect(order == Array(0...50))
    }

    @Test func `may be gone for a moment`() throws {
        var known = HotFile()
        let start = Instant(nanoseconds: 0)
        _ = try known.judge(edit(2))
        known.wasTaken(as: Token(epoch: "e", version: 2))
        let isGone = known.isGone(at: start)
        #expect(!isGone && known.isMissing)
        let found = known.look(at: edit(3))
        #expect(found == .edited && !known.isMissing)
        let isGoneAgain = known.isGone(at: start)
        #expect(!isGoneAgain && known.due == start.advanced(by: HotReload.absence))
        let isGoneForGood = known.isGone(at: start.advanced(by: HotReload.absence))
        #expect(isGoneForGood)
    }

    @Test func `is looked for no longer where a link has taken its place, or somebody writes it`() {
        let start = Instant(nanoseconds: 0)
        for find in [{ (file: inout HotFile) in file.isBack() }, { $0.wasUnreadable() }] {
            var known = HotFile()
            _ = known.isGone(at: start)
            find(&known)
            #expect(!known.isMissing && known.due == .never)
        }
    }

    @Test func `asks for the state of a busy session once in a while`() {
        var known = HotFile()
        let start = Instant(nanoseconds: 0)
        #expect(known.due == .never)
        known.hasNews = true
        #expect(known.due <= start)
        known.wasAsked(at: start)
        #expect(known.due == .never)
        known.hasNews = true
        #expect(known.due == start.advanced(by: HotReload.pause))
    }
}
