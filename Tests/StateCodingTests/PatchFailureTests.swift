import RandomPatches
import Testing

@testable import StateCoding

/// A patch that fails, and how.
struct UnfitPatch: Sendable, CustomTestStringConvertible {
    let patch: String
    let operation: Int?
    let path: String
    /// A part of the sentence.
    let detail: String

    var testDescription: String { patch }

    init(_ patch: String, _ operation: Int?, _ path: String, _ detail: String) {
        self.patch = patch
        self.operation = operation
        self.path = path
        self.detail = detail
    }

    static let document = #"{"list":[1,[2],{"x":3}],"name":"n","object":{"a":1,"b":{}}}"#

    /// Two operations that fit, and one that does not.
    static func behindOthers(_ operation: String) -> String {
        let first = #"{"op":"add","path":"/object/0","value":[{"c":1}],"before":"b"}"#
        return #"[\#(first),{"op":"remove","path":"/list/0"},\#(operation)]"#
    }

    static let places = [
        (#"{"op":"remove","path":"/none"}"#, "/none", "no such member"),
        (#"{"op":"replace","path":"/none","value":1}"#, "/none", "no such member"),
        (#"{"op":"add","path":"/none/a","value":1}"#, "/none/a", "no such member"),
        (#"{"op":"add","path":"/name/a","value":1}"#, "/name/a", "no object and no array"),
        (#"{"op":"replace","path":"/list/0/0/0","value":1}"#, "/list/0/0/0", "no object and no"),
        (#"{"op":"add","path":"/list/3","value":1}"#, "/list/3", "The array has 2 elements."),
        (#"{"op":"remove","path":"/list/2"}"#, "/list/2", "The array has 2 elements."),
        (#"{"op":"replace","path":"/list/2","value":1}"#, "/list/2", "The array has 2"),
        (#"{"op":"replace","path":"/list/-","value":1}"#, "/list/-", "has no index there"),
        (#"{"op":"remove","path":"/list/-"}"#, "/list/-", "has no index there"),
        (#"{"op":"add","path":"/list/-/a","value":1}"#, "/list/-/a", "has no index there"),
        (#"{"op":"add","path":"/list/00","value":1}"#, "/list/00", "has no index there"),
        (#"{"op":"add","path":"/list/01","value":1}"#, "/list/01", "has no index there"),
        (#"{"op":"add","path":"/list/+1","value":1}"#, "/list/+1", "has no index there"),
        (#"{"op":"add","path":"/list/1e0","value":1}"#, "/list/1e0", "has no index there"),
        (#"{"op":"add","path":"/list/","value":1}"#, "/list/", "has no index there"),
        (#"{"op":"add","path":"/list/١","value":1}"#, "/list/١", "has no index there"),
        (
            #"{"op":"add","path":"/list/99999999999999999999","value":1}"#,
            "/list/99999999999999999999", "has no index there"
        ),
        (#"{"op":"add","path":"/list/999999999999","value":1}"#, "/list/999999999999", "has 2"),
        (#"{"op":"add","path":"/new","value":1,"before":"none"}"#, "/new", "\"before\" names"),
        (#"{"op":"add","path":"/new","value":1,"before":"new"}"#, "/new", "\"before\" names"),
        (#"{"op":"add","path":"/name","value":1,"before":"none"}"#, "/name", "\"before\" names"),
        (#"{"op":"remove","path":""}"#, "", "cannot be removed"),
    ].map { UnfitPatch(behindOthers($0), 2, $1, $2) }

    static let malformed = [
        (#"{"op":"remove"}"#, "", "no path"),
        (#"{"op":"remove","path":7}"#, "", "no path"),
        (#"{"op":"remove","path":"name"}"#, "name", "starts with a slash"),
        (#"{"op":"remove","path":"/~"}"#, "/~", "follows a tilde"),
        (#"{"op":"remove","path":"/~2"}"#, "/~2", "follows a tilde"),
        (#"{"path":"/name","value":1}"#, "/name", "no op"),
        (#"{"op":{},"path":"/name","value":1}"#, "/name", "no op"),
        (#"{"op":"add","path":"/name"}"#, "/name", "no value"),
        (#"{"op":"replace","path":"/name"}"#, "/name", "no value"),
        (#"{"op":"add","path":"/new","value":1,"before":1}"#, "/new", "is not a string"),
        ("[]", "", "An operation is an object."), ("null", "", "An operation is an object."),
    ].map { UnfitPatch(behindOthers($0), 2, $1, $2) }

    static let unsupported = ["move", "copy", "test", "Add", ""].map {
        let operation = #"{"op":"\#($0)","path":"/name","from":"/list","value":"n"}"#
        return UnfitPatch(behindOthers(operation), 2, "/name", "Only add, remove")
    }

    static let texts = [
        ("", "A value is missing"), ("{}", "array of operations"), ("7", "array of operations"),
        ("[", "missing"), (#"[{"op":"remove","path":"/name"}"#, "missing"),
        (#"[{"op":"remove","path":"/name"}] []"#, "Nothing may follow"),
        (#"[{"op":"remove","op":"add","path":"/name","value":1}]"#, "names a member twice"),
        (#"[{"op":"add","path":"/new","value":{"a":1,"\u0061":2}}]"#, "names a member twice"),
        (#"[{"op":"remove","path":"/\ud800"}]"#, "surrogate"),
        (#"[{"op":"remove","path":"/\x"}]"#, "escape"),
        (#"[{"op":"add","path":"/name","value":01}]"#, "missing"),
        ("[{\"op\":\"add\",\"path\":\"/name\",\"value\":\"\u{1}\"}]", "control character"),
    ].map { UnfitPatch($0, nil, "", $1) }
}

@Suite struct `A patch that does not fit` {
    @Test(
        arguments: UnfitPatch.places + UnfitPatch.malformed + UnfitPatch.unsupported
            + UnfitPatch.texts)
    func `is damage that is told of`(unfit: UnfitPatch) throws {
        var document = PatchedDocument(UnfitPatch.document)
        let failure = #expect(throws: PatchFailure.self) { try document.apply(unfit.patch) }
        #expect(failure?.operation == unfit.operation)
        #expect(failure?.path == unfit.path)
        #expect(failure?.detail.contains(unfit.detail) == true, "\(failure?.detail ?? "")")
    }

    @Test func `says in one line what is wrong`() {
        var document = PatchedDocument("[1]")
        let failure = #expect(throws: PatchFailure.self) {
            try document.apply(#"[{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}]"#)
        }
        #expect(failure?.description == "operation 1 at /0: The array has 0 elements.")
    }

    @Test func `of bytes that are no UTF-8 is refused`() {
        var document = PatchedDocument("{}")
        let patch = Array(#"[{"op":"add","path":"/"#.utf8) + [0xFF] + Array(#"","value":1}]"#.utf8)
        #expect(throws: PatchFailure.self) { try document.apply(patch) }
    }

    @Test func `does not trap where the text is no JSON`() {
        let texts = [
            "", "{", "[", "{\"a\"", "{\"a\":", "[1", "[1 2]", "{\"a\":1,}", "{a:1}", "\"", "]",
        ]
        for text in texts {
            var document = PatchedDocument(text)
            for path in ["/a", "/0", "/a/0", "/-"] {
                #expect(throws: PatchFailure.self) {
                    try document.apply(#"[{"op":"remove","path":"\#(path)"}]"#)
                }
            }
            #expect(document.text == text)
        }
    }
}

@Suite struct `The limits of patches` {
    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func `bound how deep a document becomes`() throws {
        var document = PatchedDocument(nested(126))
        let path = String(repeating: "/0", count: 125)
        try document.apply(#"[{"op":"add","path":"\#(path)/0","value":\#(nested(2))}]"#)
        #expect(document.text == nested(128))
        for patch in [
            #"[{"op":"add","path":"\#(path)/0/0/0","value":[]}]"#,
            #"[{"op":"add","path":"\#(path)/0/0","value":[1,{"a":{}}]}]"#,
            #"[{"op":"replace","path":"","value":\#(nested(129))}]"#,
            #"[{"op":"remove","path":"\#(path)/0/0/0/0"}]"#,
        ] {
            let failure = #expect(throws: PatchFailure.self) { try document.apply(patch) }
            #expect(failure?.detail.contains("eeper") == true, "\(patch)")
        }
        #expect(document.text == nested(128))
        try document.apply(#"[{"op":"replace","path":"","value":\#(nested(128))}]"#)
    }

    @Test func `let through what nests as deeply as a state may`() throws {
        var document = PatchedDocument(nested(128))
        let path = String(repeating: "/0", count: 127)
        try document.apply(#"[{"op":"add","path":"\#(path)/-","value":7}]"#)
        #expect(document.text == nested(128).replacing("[]", with: "[7]"))
    }
}

@Suite struct `A long history of patches` {
    @Test func `puts elements into a long array, and takes them out`() throws {
        var elements = (0..<5_000).map { "\($0)" }
        var document = PatchedDocument("[\(elements.joined(separator: ","))]")
        var walk = PatchWalk(seed: 7)
        for round in 0..<4_000 {
            let index = walk.chance(elements.count)
            if walk.chance(round < 2_000 ? 4 : 2) > 0, round < 3_000 {
                elements.insert("\(-round)", at: index)
                try document.apply(#"[{"op":"add","path":"/\#(index)","value":\#(-round)}]"#)
            } else {
                elements.remove(at: index)
                try document.apply(#"[{"op":"remove","path":"/\#(index)"}]"#)
            }
        }
        #expect(document.text == "[\(elements.joined(separator: ","))]")
    }

    @Test func `fills and empties an array`() throws {
        var document = PatchedDocument("[]")
        let adding = (0..<10_000).map { #"{"op":"add","path":"/\#($0)","value":\#($0)}"# }
        try document.apply("[\(adding.joined(separator: ","))]")
        #expect(document.text == "[\((0..<10_000).map { "\($0)" }.joined(separator: ","))]")
        let removing = (0..<10_000).map { _ in #"{"op":"remove","path":"/0"}"# }
        try document.apply("[\(removing.joined(separator: ","))]")
        #expect(document.text == "[]")
        try document.apply(#"[{"op":"add","path":"/-","value":1}]"#)
        #expect(document.text == "[1]")
    }

    @Test func `moves few of an array's elements with each operation`() {
        var expected = Array(0..<9_000)
        var elements = PatchedElements(expected.map { .array($0) })
        var walk = PatchWalk(seed: 9)
        for round in 0..<12_000 {
            // Where some are put in most are put in, so that runs are halved, and where most are taken out
            // runs go.
            let index = min(walk.chance(200) + (round < 6_000 ? 5_000 : 0), expected.count - 1)
            if round < 6_000 || walk.chance(8) == 0 {
                elements.insert(.array(-round), at: index)
                expected.insert(-round, at: index)
            } else {
                elements.remove(at: index)
                expected.remove(at: index)
            }
        }
        #expect(elements.runs.allSatisfy { 1...PatchedElements.runLimit ~= $0.count })
        let found = elements.runs.joined().map { node in
            if case .array(let number) = node { number } else { Int.min }
        }
        #expect(found == expected && elements.count == expected.count)
    }

    @Test func `keeps many members in order`() throws {
        var names = (0..<500).map { "n\($0)" }
        var document = PatchedDocument("{\(names.map { "\"\($0)\":0" }.joined(separator: ","))}")
        var walk = PatchWalk(seed: 8)
        for round in 0..<2_000 {
            let index = walk.chance(names.count)
            if walk.chance(2) == 0 {
                let patch =
                    #"{"op":"add","path":"/m\#(round)","value":0,"before":"\#(names[index])"}"#
                try document.apply("[\(patch)]")
                names.insert("m\(round)", at: index)
            } else {
                try document.apply(#"[{"op":"remove","path":"/\#(names.remove(at: index))"}]"#)
            }
        }
        #expect(document.text == "{\(names.map { "\"\($0)\":0" }.joined(separator: ","))}")
    }

    @Test func `leaves two members of one name beside a change as they are`() throws {
        var document = PatchedDocument(#"{"a":1,"a":2,"b":0}"#)
        try document.apply(
            #"[{"op":"replace","path":"/b","value":3},{"op":"add","path":"/c","value":4}]"#)
        #expect(document.text == #"{"a":1,"a":2,"b":3,"c":4}"#)
    }

    @Test func `goes on after the text was written anew`() throws {
        var document = PatchedDocument(#"{"text":"","count":0}"#)
        for count in 1...200 {
            let text = String(repeating: "x", count: 1_000 + count)
            try document.apply(
                #"[{"op":"replace","path":"/text","value":"\#(text)"},{"op":"replace","path":"/count","value":\#(count)}]"#
            )
            #expect(document.text == #"{"text":"\#(text)","count":\#(count)}"#)
        }
    }
}
