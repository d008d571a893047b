import StateCoding
import Testing

extension JSONPointer {
    /// The range in an array of bytes.
    func found(in bytes: [UInt8]) -> Range<Int>? { range(in: bytes.span) }
}

struct JSONPointerTests {
    /// RFC 6901 §5.
    static let document =
        #"{"foo": ["bar", "baz"],"": 0,"a/b": 1,"c%d": 2,"e^f": 3,"g|h": 4,"i\\j": 5,"k\"l": 6," ": 7,"m~n": 8}"#

    @Test(arguments: [
        ("", document), ("/foo", #"["bar", "baz"]"#), ("/foo/0", #""bar""#), ("/foo/1", #""baz""#),
        ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"),
        (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
    ])
    func `the examples of the RFC are found`(text: String, value: String) throws {
        let pointer = try #require(JSONPointer(parsing: text))
        let bytes = Array(Self.document.utf8)
        let range = try #require(pointer.found(in: bytes))
        #expect(String(decoding: bytes[range], as: UTF8.self) == value)
        #expect(pointer.description == text)
    }

    @Test(arguments: [
        "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1", "/foo/a", "/foo/", "/bar",
        "/foo/0/x",
        "/foo/99999999999999999999", "/a", "/ /0", "/foo/0/", "/foo/１",
    ])
    func `what is absent is not found`(text: String) throws {
        #expect(
            try #require(JSONPointer(parsing: text)).found(in: Array(Self.document.utf8)) == nil)
    }

    @Test(arguments: ["foo", "a/b", "/~", "/~2", "/a~", "/~01~", "~0", " /a"])
    func `what is no pointer is refused`(text: String) {
        #expect(JSONPointer(parsing: text) == nil)
    }

    @Test func `tokens are escaped and read back`() {
        for tokens in [["~", "/", ""], ["~1", "~01"], ["a\u{301}", "/\u{301}"], ["0", "é"]] {
            let pointer = JSONPointer(tokens: tokens)
            #expect(JSONPointer(parsing: pointer.description) == pointer)
        }
        #expect(JSONPointer(tokens: ["~/"]).description == "/~0~1")
        #expect(JSONPointer(parsing: "/~01")?.tokens == ["~1"])
    }

    @Test func `escaped names are found`() throws {
        let bytes = Array(#"{"\u0061\n":[{"x":[]}]}"#.utf8)
        let pointer = try #require(JSONPointer(parsing: "/a\n/0/x"))
        #expect(pointer.found(in: bytes) == 18..<20)
    }

    @Test(arguments: [
        "", "{", "{\"a", "{\"a\"", "{\"a\":", "[", "[1", "[,", "\"\\", "{\"a\":\"\\", "]", "}",
    ])
    func `bytes that are no JSON do not trap`(text: String) {
        for pointer in ["", "/a", "/0", "/a/0", "/1"] {
            let found = JSONPointer(parsing: pointer)?.found(in: Array(text.utf8))
            #expect((found?.upperBound ?? 0) <= text.utf8.count)
        }
    }
}
