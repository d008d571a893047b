import HTTPMessages
import Testing

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("application/json", true), ("Application/JSON", true),
        ("application/json; charset=utf-8", true), ("application/json ;charset=utf-8", true),
        ("application/json-seq", false), ("application/jso", false), ("text/json", false),
        ("", false), (";application/json", false),
    ])
    func `a type is told without its parameters`(value: String, isEqual: Bool) {
        let bytes = Array(value.utf8)
        let slice = Slice(0..<bytes.count)
        #expect(MediaType.isEqual(slice, to: "application/json", in: bytes.span) == isEqual)
    }

    @Test(arguments: [
        ("text/plain; charset=utf-8", "utf-8"), ("text/plain;CHARSET=UTF-8", "UTF-8"),
        (#"text/plain; charset="utf-8""#, "utf-8"), (#"text/plain; charset="a\"b;c""#, #"a"b;c"#),
        (#"text/plain; title=";charset=x"; charset=y"#, "y"), ("text/plain; charset=", ""),
        ("text/plain; charset = utf-8 ", "utf-8"), ("text/plain;;; charset=a; charset=b", "a"),
    ])
    func `a parameter is found, with or without quotation marks`(value: String, text: String) {
        let bytes = Array(value.utf8)
        let slice = Slice(0..<bytes.count)
        #expect(MediaType.parameter("charset", of: slice, in: bytes.span) == text)
        #expect(MediaType.parameter("boundary", of: slice, in: bytes.span) == nil)
    }

    @Test(arguments: ["text/plain", "text/plain;", "charset=utf-8", #"text/plain;a="charset=b""#])
    func `a parameter that is not there is nil`(value: String) {
        let bytes = Array(value.utf8)
        let slice = Slice(0..<bytes.count)
        #expect(MediaType.parameter("charset", of: slice, in: bytes.span) == nil)
    }
}
