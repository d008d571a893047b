import Bytes

/// The inside of JSON strings.
enum JSONText {
    /// The text of the inside of a string; wrong escapes become U+FFFD.
    static func string(_ text: Span<UInt8>, isEscaped: Bool) -> String {
        if isEscaped { return String(decoding: unescape(text), as: UTF8.self) }
        if let valid = try? UTF8Span(validating: text) { return String(copying: valid) }
        return String(decoding: [UInt8](copying: text), as: UTF8.self)
    }

    /// The inside of a string means the same text as `other`, code unit by code unit.
    static func equal(_ text: Span<UInt8>, isEscaped: Bool, to other: String) -> Bool {
        let bytes = other.utf8Span.span
        if isEscaped {
            let plain = unescape(text)
            return plain.span.elementsEqual(bytes)
        }
        return text.elementsEqual(bytes)
    }

    /// The bytes that the escapes stand for.
    static func unescape(_ text: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < text.count else {
                result.append(byte)
                continue
            }
            let mark = text[index]
            index += 1
            if mark == UInt8(ascii: "u") {
                appendScalar(text, &index, to: &result)
            } else {
                result.append(plain(mark))
            }
        }
        return result
    }

    private static func plain(_ mark: UInt8) -> UInt8 {
        switch mark {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: mark
        }
    }

    private static func appendScalar(
        _ text: Span<UInt8>, _ index: inout Int, to result: inout [UInt8]
    ) {
        guard var code = codeUnit(text, at: index) else {
            return result.append(contentsOf: "\u{FFFD}".utf8)
        }
        index += 4
        let isPairBegun = (0xD800..<0xDC00).contains(code)
        if isPairBegun, index + 1 < text.count, text[index] == UInt8(ascii: "\\"),
            text[index + 1] == UInt8(ascii: "u"), let low = codeUnit(text, at: index + 2),
            (0xDC00..<0xE000).contains(low)
        {
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            index += 6
        }
        let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// The value of four hexadecimal digits.
    static func codeUnit(_ text: Span<UInt8>, at start: Int) -> UInt32? {
        precondition(start >= 0, "The digits stand within the text.")
        guard start + 4 <= text.count else { return nil }
        var code: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = Hexadecimal.value(of: text[index]) else { return nil }
            code = code << 4 | UInt32(digit)
        }
        return code
    }
}
