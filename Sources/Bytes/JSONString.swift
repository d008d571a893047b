/// Strings as JSON spells them (RFC 8259 §7).
@usableFromInline
package enum JSONString {
    /// One byte of text takes so many bytes at most, `\u001f`.
    package static let greatestExpansion = 6

    /// The byte cannot stand in a string as it is.
    @inlinable
    @inline(__always)
    package static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// A byte of the text cannot stand in a string as it is.
    @inlinable
    package static func needsEscape(_ text: borrowing Span<UInt8>) -> Bool {
        var isNeeded = false
        for index in text.indices {
            let byte = text[index]
            isNeeded = isNeeded || needsEscape(byte)
        }
        return isNeeded
    }

    /// Appends the inside of a string, escaped; there is room for six bytes for each one.
    @inlinable
    @inline(__always)
    package static func append(_ text: borrowing Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if needsEscape(byte) {
                appendEscape(of: byte, to: &output)
            } else {
                output.append(byte)
            }
        }
    }

    @inline(never)
    @usableFromInline
    static func appendEscape(of byte: UInt8, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
        default: appendNumber(of: byte, to: &output)
        }
    }

    /// Appends `u000a`, which stands behind a backslash for any control character.
    static func appendNumber(of byte: UInt8, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(ascii: "u"))
        output.append(UInt8(ascii: "0"))
        output.append(UInt8(ascii: "0"))
        output.append(Hexadecimal.digit(byte >> 4))
        output.append(Hexadecimal.digit(byte & 0x0F))
    }
}

extension [UInt8] {
    /// Appends a text as a JSON string, with its quotes; control characters are spelled by their
    /// numbers, `\u000a`, as problem details have them.
    package mutating func append(jsonString text: String) {
        let text = text.utf8.span
        append(addingCapacity: text.count * JSONString.greatestExpansion + 2) { output in
            output.append(UInt8(ascii: "\""))
            for index in text.indices {
                let byte = text[index]
                if JSONString.needsEscape(byte) { output.append(UInt8(ascii: "\\")) }
                if byte < 0x20 {
                    JSONString.appendNumber(of: byte, to: &output)
                } else {
                    output.append(byte)
                }
            }
            output.append(UInt8(ascii: "\""))
        }
    }
}
