import Bytes

extension JSONWriter {
    /// The number of bytes written, with what was there before.
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
        bytes.append(addingCapacity: text.count * JSONString.greatestExpansion + capacity + 4) {
            output in
            if !isFirst { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            JSONString.append(text, to: &output)
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
        appendMember(name, capacity: Self.shortCount * JSONString.greatestExpansion + 2) { output in
            output.append(UInt8(ascii: "\""))
            JSONString.append(text, to: &output)
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
        if text.count > Self.shortCount, !JSONString.needsEscape(text) {
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
        bytes.append(addingCapacity: raw.count) { $0.append(copying: raw) }
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
            bytes.append(addingCapacity: part.count * JSONString.greatestExpansion) {
                JSONString.append(part, to: &$0)
            }
        }
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
    }

    private static func write(_ flag: Bool, to output: inout OutputSpan<UInt8>) {
        let text = flag ? "true" : "false"
        output.append(copying: text.utf8.span)
    }
}
