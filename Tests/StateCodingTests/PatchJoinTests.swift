import RandomPatches
import StateCoding
import Testing

extension PatchJoin {
    /// The patches joined.
    fileprivate init(_ patches: [[UInt8]]) throws {
        self.init()
        for patch in patches { try append(patch.span) }
    }

    fileprivate init(_ operations: String...) throws {
        try self.init(operations.map { Array("[\($0)]".utf8) })
    }

    fileprivate var text: String { String(decoding: bytes(), as: UTF8.self) }
}

@Suite struct `Joined patches` {
    @Test(arguments: 0..<50)
    func `do what they do one after the other`(seed: UInt64) throws {
        var walk = PatchWalk(seed: seed &+ 1_000)
        for _ in 0..<6 {
            let before = walk.document.bytes
            let patches = (0..<1 + walk.chance(40)).map { _ in walk.patch() }
            let join = try PatchJoin(patches)
            var document = PatchedDocument(before)
            try document.apply(join.bytes())
            try #require(document.text == walk.document.text, "\(join.text)")
            #expect(join.byteCount == join.bytes().count)
        }
    }

    @Test(arguments: 0..<30)
    func `may be joined to joined ones`(seed: UInt64) throws {
        var walk = PatchWalk(seed: seed &+ 2_000)
        let before = walk.document.bytes
        let joins = try (0..<5).map { _ in
            try PatchJoin((0..<10).map { _ in walk.patch() }).bytes()
        }
        var document = PatchedDocument(before)
        try document.apply(try PatchJoin(joins).bytes())
        #expect(document.text == walk.document.text)
    }

    @Test func `of a counter are one operation`() throws {
        let join = try PatchJoin(
            (0..<10_000).map { Array(#"[{"op":"replace","path":"/count","value":\#($0)}]"#.utf8) })
        #expect(join.text == #"[{"op":"replace","path":"/count","value":9999}]"#)
    }

    @Test func `of none change nothing`() throws {
        #expect(try PatchJoin([]).text == "[]")
        #expect(try PatchJoin("", "").text == "[]")
    }

    /// The operations by their letters, and those that are left.
    @Test(arguments: [
        (["r /a", "r /b", "r /a"], [1, 2]),
        // The whole overwrites its parts, and what is behind it stays.
        (["r /a/x", "r /a/y/0", "+ /a/z", "r /a", "r /a/x"], [3, 4]),
        (["r /a", "+ /b", "- /c", "r ", "r /a"], [3, 4]),
        (["r /a", "+ "], [1]),
        // A member that goes takes with it what was done to it.
        (["r /a", "r /a/x", "- /a"], [2]),
        (["+ /a", "r /a/x", "- /a", "+ /a", "r /a", "r /a"], [0, 2, 3, 5]),
        (["r /a", "+ /a"], [1]),
        // Behind an inserted or removed element an index means another one.
        (["r /l/1", "- /l/0", "r /l/1"], [0, 1, 2]),
        (["r /l/1/x", "+ /l/0", "r /l/1"], [0, 1, 2]),
        (["r /l/1", "+ /l/0", "r /l/1", "r /l/1"], [0, 1, 3]),
        (["r /l/1", "+ /l/0", "- /l/1", "r /l"], [3]),
        (["r /l/1", "- /l/1"], [1]),
        // An element at the end moves nothing.
        (["r /l/1", "+ /l/-", "+ /l/-", "r /l/1"], [1, 2, 3]),
        (["+ /l/-", "r /l"], [1]),
        // Numbers that are no indices, and names that look alike.
        (["r /o/01", "- /o/02", "r /o/01"], [1, 2]),
        (["r /~1", "r /~01", "r /~1"], [1, 2]),
    ])
    func `leave out what is overwritten`(letters: [String], left: [Int]) throws {
        let kinds: [Character: String] = ["r": "replace", "+": "add", "-": "remove"]
        let operations = letters.enumerated().map { index, letters in
            let value = letters.first == "-" ? "" : #","value":\#(index)"#
            let kind = letters.first.flatMap { kinds[$0] } ?? ""
            return #"{"op":"\#(kind)","path":"\#(letters.dropFirst(2))"\#(value)}"#
        }
        let join = try PatchJoin(operations.map { Array("[\($0)]".utf8) })
        #expect(join.text == "[\(left.map { operations[$0] }.joined(separator: ","))]")
    }

    @Test func `of long texts do not keep what is overwritten`() throws {
        var join = PatchJoin()
        for round in 0..<300 {
            let text = String(repeating: "y", count: 2_000 + round)
            let patch = Array(
                #"[{"op":"add","path":"/l/-","value":\#(round)},{"op":"replace","path":"/text","value":"\#(text)"}]"#
                    .utf8)
            try join.append(patch.span)
        }
        var document = PatchedDocument(#"{"l":[],"text":""}"#)
        try document.apply(join.bytes())
        let list = (0..<300).map { "\($0)" }.joined(separator: ",")
        #expect(
            document.text == #"{"l":[\#(list)],"text":"\#(String(repeating: "y", count: 2_299))"}"#)
        #expect(join.byteCount < 20_000)
    }

    @Test func `stay as they were where another one is no patch`() throws {
        var join = try PatchJoin(#"{"op":"replace","path":"/a","value":1}"#)
        let former = join.text
        for patch in [
            "{}",
            #"[{"op":"replace","path":"/a","value":2},{"op":"replace","path":"a","value":2}]"#,
        ] {
            let patch = Array(patch.utf8)
            #expect(throws: PatchFailure.self) { try join.append(patch.span) }
        }
        #expect(join.text == former)
    }
}
