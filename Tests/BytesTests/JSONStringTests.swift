import Bytes
import Testing

@Suite struct JSONStringTests {
    private static let table = [
        ("", "\"\""), ("milk", "\"milk\""), ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#),
        ("\n\r\t\u{8}\u{C}", #""\u000a\u000d\u0009\u0008\u000c""#),
        ("\u{0}\u{1F}", #""\u0000\u001f""#),
        ("é𝄞\u{7F}/", "\"é𝄞\u{7F}/\""),
    ]

    @Test(arguments: table)
    func `a text is spelled with its quotes`(text: String, wanted: String) {
        var bytes: [UInt8] = []
        bytes.append(jsonString: text)
        #expect(String(decoding: bytes, as: UTF8.self) == wanted)
    }

    @Test func `control characters, quotes and backslashes are escaped, and no others`() {
        for byte in UInt8.min...UInt8.max {
            let wanted = byte < 0x20 || byte == 0x22 || byte == 0x5C
            #expect(JSONString.needsEscape(byte) == wanted)
            let text = [0x61, byte, 0x62]
            let isFound = JSONString.needsEscape(text.span)
            #expect(isFound == wanted)
        }
    }
}
