/// The few pieces of JSON that the server itself writes.
enum JSONString {
    /// Appends a string with its quotes (RFC 8259 §7).
    static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 { append(escaping: byte, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    private static func append(escaping byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case 0..<0x20:
            output.append(contentsOf: "\\u00".utf8)
            output.append(hexadecimal(byte >> 4))
            output.append(hexadecimal(byte & 15))
        default: output.append(byte)
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
