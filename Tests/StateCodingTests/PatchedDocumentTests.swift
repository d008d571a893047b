import RandomPatches
import StateCoding
import Testing

extension PatchedDocument {
    /// A document with this text.
    init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// The document's text.
    var text: String { String(decoding: bytes(), as: UTF8.self) }

    /// Applies a patch that is written as a text.
    mutating func apply(_ patch: String) throws(PatchFailure) {
        try apply(Array(patch.utf8))
    }

    /// Applies a patch in an array of bytes.
    mutating func apply(_ patch: [UInt8]) throws(PatchFailure) {
        try apply(patch.span)
    }
}

@Suite struct `A patched document` {
    /// RFC 6902 appendix A, and where members stand.
    @Test(arguments: [
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#,
            #"{"foo":"bar","baz":"qux"}"#
        ),
        (
            #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            #"{"foo":["bar","qux","baz"]}"#
        ),
        (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
        (
            #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#,
            #"{"foo":["bar","baz"]}"#
        ),
        (
            #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            #"{"baz":"boo","foo":"bar"}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            #"{"foo":"bar","child":{"grandchild":{}}}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
            #"{"foo":"bar","baz":"qux"}"#
        ),
        (
            #"{"/":9,"~1":10}"#, #"[{"op":"replace","path":"/~01","value":1}]"#,
            #"{"/":9,"~1":1}"#
        ),
        (
            #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            #"{"foo":["bar",["abc","def"]]}"#
        ),
        (
            #"{"a":1,"c":3}"#, #"[{"op":"add","path":"/b","value":2,"before":"c"}]"#,
            #"{"a":1,"b":2,"c":3}"#
        ),
        (
            #"{"a":1,"c":3}"#, #"[{"op":"add","path":"/a","value":2,"before":"c"}]"#,
            #"{"a":2,"c":3}"#
        ),
        (
            "7", #"[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/0","value":{}}]"#,
            "[{},1]"
        ),
        ("{}", #"[{"op":"add","path":"","value":null}]"#, "null"),
        ("[]", #"[{"op":"add","path":"/0","value":1},{"op":"remove","path":"/0"}]"#, "[]"),
        ("{\"a\":1}", "[]", "{\"a\":1}"),
        (
            "{\"a\":1}",
            " [ { \"path\" : \"/\\u0061\" , \"op\" : \"\\u0072eplace\" , \"value\" : 2 } ] ",
            "{\"a\":2}"
        ),
    ])
    func `follows RFC 6902`(before: String, patch: String, after: String) throws {
        var document = PatchedDocument(before)
        try document.apply(patch)
        #expect(document.text == after)
    }

    @Test(arguments: 0..<60)
    func `is byte for byte what a plain tree becomes`(seed: UInt64) throws {
        var walk = PatchWalk(seed: seed)
        var document = PatchedDocument(walk.document.bytes)
        for _ in 0..<60 {
            let patch = walk.patch()
            try document.apply(patch)
            let text = document.text
            try #require(text == walk.document.text, "\(String(decoding: patch, as: UTF8.self))")
        }
    }

    @Test func `copies what no operation touches, however it is spelled`() throws {
        let untouched = #""x":"\u0041\/","y":1.50e+01,"z": [ 1 ] "#
        var document = PatchedDocument(#"{"a":0,\#(untouched)}"#)
        try document.apply(#"[{"op":"replace","path":"/a","value":1}]"#)
        #expect(document.text == #"{"a":1,"x":"\u0041\/","y":1.50e+01,"z":[ 1 ]}"#)
    }

    @Test func `compares names by what they mean, and spells new ones as the encoder does`() throws
    {
        var document = PatchedDocument(#"{"\u0061\n":1}"#)
        try document.apply(#"[{"op":"replace","path":"/a\n","value":2}]"#)
        try document.apply(#"[{"op":"add","path":"/\u007e1\u0022\u0007","value":{}}]"#)
        #expect(document.text == #"{"\u0061\n":2,"/\"\u0007":{}}"#)
    }

    @Test func `has no names with a meaning of their own`() throws {
        var document = PatchedDocument(#"{"__proto__":{"a":1}}"#)
        try document.apply(
            #"[{"op":"add","path":"/__proto__/constructor","value":1,"before":"a"}]"#)
        #expect(document.text == #"{"__proto__":{"constructor":1,"a":1}}"#)
    }
}
