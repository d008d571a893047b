extension JSONWriter {
    /// How much has been written, with what was there before.
    var count: Int { bytes.count }

    /// `"name":`, with a comma in front unless it is the first member of its object.
    mutating func appendName(_ name: String) {
        appendMember(name, capacity: 0) { _ in }
    }

    /// A member whose value takes at most `capacity` bytes and is written by `value`.
    @inline(__always)
    mutating func appendMember(
        _ name: String, capacity: Int, value: (inout OutputSpan<UInt8>) -> Void
    ) {
        let text = name.utf8Span.span
        let isFirst = bytes.last == UInt8(ascii: "{")
        bytes.append(addingCapacity: text.count * 6 + capacity + 4) { output in
            if !isFirst { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            Self.write(text, to: &output)
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: ":"))
            value(&output)
        }
    }

    /// A member with a string.
    mutating func appendMember(_ name: String, _ string: String) {
        let text = string.utf8Span.span
        guard text.count <= Self.shortCount else {
            appendName(name)
            return append(string)
        }
        appendMember(name, capacity: Self.shortCount * 6 + 2) { output in
            output.append(UInt8(ascii: "\""))
            Self.write(text, to: &output)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// A member with `true` or `false`.
    mutating func appendMember(_ name: String, _ flag: Bool) {
        appendMember(name, capacity: 5) { Self.write(flag, to: &$0) }
    }

    /// A comma, unless the next element is the first of its array.
    mutating func separateElement() {
        if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
    }

    /// A string with its quotes.
    mutating func append(_ string: String) {
        let text = string.utf8Span.span
        if text.count > Self.shortCount, !Self.needsEscape(text) {
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: string.utf8)
            bytes.append(UInt8(ascii: "\""))
        } else {
            append(text: text, isQuoted: true)
        }
    }

    /// The inside of a string, without quotes.
    mutating func append(unquoted string: String) {
        append(text: string.utf8Span.span, isQuoted: false)
    }

    /// `true` or `false`.
    mutating func append(_ flag: Bool) {
        bytes.append(addingCapacity: 5) { Self.write(flag, to: &$0) }
    }

    /// `null`.
    mutating func appendNull() {
        append(literal: "null")
    }

    /// Bytes as they are.
    mutating func append(raw: borrowing Span<UInt8>) {
        let count = raw.count
        bytes.append(addingCapacity: count) { output in
            for index in 0..<count { output.append(raw[index]) }
        }
    }

    /// ASCII text as it is.
    mutating func append(literal: String) {
        bytes.append(contentsOf: literal.utf8)
    }

    /// Up to here a byte loop beats a call of `memcpy`, and room for escapes costs nothing.
    private static var shortCount: Int { 40 }

    private mutating func append(text: Span<UInt8>, isQuoted: Bool) {
        let step = 4096
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
        for start in stride(from: 0, to: text.count, by: step) {
            let part = text.extracting(start..<min(start + step, text.count))
            bytes.append(addingCapacity: part.count * 6) { Self.write(part, to: &$0) }
        }
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
    }

    private static func write(_ flag: Bool, to output: inout OutputSpan<UInt8>) {
        let text: StaticString = flag ? "true" : "false"
        write(text, to: &output)
    }

    private static func write(_ text: StaticString, to output: inout OutputSpan<UInt8>) {
        let bytes = text.description.utf8Span.span
        for index in bytes.indices { output.append(bytes[index]) }
    }

    private static func needsEscape(_ text: borrowing Span<UInt8>) -> Bool {
        var isNeeded = false
        for index in text.indices {
            let byte = text[index]
            isNeeded = isNeeded || escapes(byte)
        }
        return isNeeded
    }

    @inline(__always)
    private static func escapes(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// The inside of a string, escaped; six bytes for one at most.
    @inline(__always)
    private static func write(_ text: borrowing Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if escapes(byte) {
                writeEscaped(byte, to: &output)
            } else {
                output.append(byte)
            }
        }
    }

    @inline(never)
    private static func writeEscaped(_ byte: UInt8, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
        default:
            write("u00", to: &output)
            output.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            let digit = byte & 0x0F
            output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }
}
