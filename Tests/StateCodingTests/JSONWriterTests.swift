import StateCoding
import Testing

struct JSONWriterTests {
    @Test func `commas stand where they belong`() {
        var json = JSONWriter(appendingTo: Array("x:".utf8))
        json.beginObject()
        json.member("a", 1)
        json.member("b", "x\"y")
        json.member("c", true)
        json.member("d", 1.5)
        json.name("e")
        json.null()
        json.name("f")
        json.beginArray()
        json.value(1)
        json.value("two")
        json.null()
        json.beginObject()
        json.endObject()
        json.value(false)
        json.value(Double.nan)
        json.endArray()
        let raw = Array(#"{"k":[]}"#.utf8)
        json.member("g", json: raw.span)
        json.name("h")
        json.value(UInt64.max)
        json.endObject()
        let text = String(decoding: json.finish(), as: UTF8.self)
        let expected =
            #"x:{"a":1,"b":"x\"y","c":true,"d":1.5,"e":null,"f":[1,"two",null,{},false,null],"#
            + #""g":{"k":[]},"h":18446744073709551615}"#
        #expect(text == expected)
    }
}
