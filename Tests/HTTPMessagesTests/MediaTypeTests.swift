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
        #expect(slice.isMediaType("application/json", in: bytes.span) == isEqual)
    }
}
