import Bytes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Appends compact JSON to bytes; puts commas where they belong.
///
///     JSONWriter.object { json in
///         json.member("version", 43)
///         json.member("changed", true)
///     }        // {"version":43,"changed":true}
package struct JSONWriter: Sendable {
    /// The bytes written, behind those that the writer was given to append to.
    package internal(set) var bytes: [UInt8]
    private let start: Int

    /// A writer that appends to `bytes`.
    package init(appendingTo bytes: consuming [UInt8] = []) {
        self.bytes = bytes
        start = self.bytes.count
    }

    /// The bytes; the writer is used up.
    package consuming func finish() -> [UInt8] {
        precondition(bytes.count >= start, "A writer only appends.")
        return bytes
    }

    /// Opens an object as the next value.
    package mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
    }

    /// Closes the innermost object.
    package mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
    }

    /// Opens an array as the next value.
    package mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
    }

    /// Closes the innermost array.
    package mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
    }

    /// The bytes of an object, whose members are written by `fill`.
    package static func object<Failure: Error>(
        _ fill: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var writer = JSONWriter()
        try writer.object(fill)
        return writer.finish()
    }

    /// Writes an object as the next value.
    package mutating func object<Failure: Error>(
        _ fill: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        beginObject()
        try fill(&self)
        endObject()
    }

    /// Writes a member with an object.
    package mutating func object(_ name: String, _ fill: (inout JSONWriter) -> Void) {
        self.name(name)
        object(fill)
    }

    /// Writes a member with a list of strings.
    package mutating func list(_ name: String, _ texts: [String]) {
        list(name, texts) { $0.value($1) }
    }

    /// Writes a member with a list.
    package mutating func list<Element>(
        _ name: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }

    /// Writes a string as the next value.
    package mutating func value(_ string: String) {
        separate()
        append(string)
    }

    /// Writes an integer as the next value.
    package mutating func value(_ integer: some FixedWidthInteger) {
        separate()
        append(integer: integer)
    }

    /// Writes bytes that are JSON already as the next value.
    package mutating func value(json: borrowing Span<UInt8>) {
        separate()
        append(raw: json)
    }

    /// Writes a member with an integer.
    package mutating func member(_ name: String, _ integer: some FixedWidthInteger) {
        self.name(name)
        append(integer: integer)
    }

    /// Writes a member with bytes that are JSON already.
    package mutating func member(_ name: String, json: borrowing Span<UInt8>) {
        self.name(name)
        append(raw: json)
    }

    /// A comma, unless this value is the first of its container or follows a name.
    private mutating func separate() {
        guard bytes.count > start, let last = bytes.last else { return }
        switch last {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): return
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// The number of bytes written, with what was there before.
    var count: Int { bytes.count }

    /// Writes a member's name, with a comma in front unless it is the first of its object; its value
    /// follows by `beginObject`, `beginArray` or `value`.
    package mutating func name(_ name: String) {
        member(name, capacity: 0) { _ in }
    }

    /// A member whose value takes at most `capacity` bytes and is written by `value`.
    @inline(__always)
    private mutating func member(
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
    package mutating func member(_ name: String, _ string: String) {
        let text = string.utf8Span.span
        guard text.count <= Self.shortCount else {
            self.name(name)
            return append(string)
        }
        member(name, capacity: Self.shortCount * JSONString.greatestExpansion + 2) { output in
            output.append(UInt8(ascii: "\""))
            JSONString.append(text, to: &output)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// A member with `true` or `false`.
    package mutating func member(_ name: String, _ flag: Bool) {
        member(name, capacity: 5) { Self.write(flag, to: &$0) }
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

    /// An integer of any width.
    mutating func append<Integer: FixedWidthInteger>(integer: Integer) {
        if let common = Int(exactly: integer) {
            append(common)
        } else {
            bytes.append(contentsOf: integer.description.utf8)
        }
    }

    /// An integer of the common width.
    mutating func append(_ integer: Int) {
        bytes.append(decimal: integer)
    }

    /// A member with an integer.
    package mutating func member(_ name: String, _ integer: Int) {
        member(name, capacity: 20) { $0.append(decimal: integer) }
    }

    /// The shortest number that reads back as the same value; `null` if it is not finite.
    mutating func append(_ number: Double) {
        if let decimal = ShortDecimal(number) {
            bytes.append(addingCapacity: ShortDecimal.greatestCount) { decimal.append(to: &$0) }
        } else {
            append(description: number.description, isFinite: number.isFinite)
        }
    }

    /// A member with the shortest number that reads back as the same value.
    package mutating func member(_ name: String, _ number: Double) {
        if let decimal = ShortDecimal(number) {
            member(name, capacity: ShortDecimal.greatestCount) { decimal.append(to: &$0) }
        } else {
            self.name(name)
            append(description: number.description, isFinite: number.isFinite)
        }
    }

    /// The shortest number that reads back as the same `Float`; `null` if it is not finite.
    mutating func append(_ number: Float) {
        if let decimal = ShortDecimal(Double(number)), decimal.isInteger {
            bytes.append(addingCapacity: ShortDecimal.greatestCount) { decimal.append(to: &$0) }
        } else {
            append(description: number.description, isFinite: number.isFinite)
        }
    }

    private mutating func append(description: String, isFinite: Bool) {
        if isFinite {
            bytes.append(contentsOf: description.utf8)
        } else {
            appendNull()
        }
    }

    /// A value of a type that has this form, which is a scalar's.
    mutating func append<Value>(_ value: Value, as form: TypeTraits.Form) {
        switch form {
        case .string: if let string = value as? String { append(string) }
        case .integer: if let integer = value as? Int { append(integer) }
        case .otherInteger:
            if let integer = value as? any FixedWidthInteger { append(integer: integer) }
        case .boolean: if let flag = value as? Bool { append(flag) }
        case .double: if let number = value as? Double { append(number) }
        case .float: if let number = value as? Float { append(number) }
        case .date: if let date = value as? Date { append(date) }
        case .url: if let url = value as? URL { append(url.absoluteString) }
        case .data: if let data = value as? Data { append(data) }
        case .decimal: if let decimal = value as? Decimal { append(decimal) }
        case .own, .collection: preconditionFailure("Only scalars are written without an encoder.")
        }
    }

    /// `"2026-11-21T07:54:26.123Z"`; years outside 0…9999 have a sign and six digits
    /// (ISO 8601, expanded); `null` if the date is not finite or not within a million years.
    mutating func append(_ date: Date) {
        guard let moment = CalendarDate(date) else { return appendNull() }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(iso8601: moment)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Base64 with padding (RFC 4648 §4).
    mutating func append(_ data: Data) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: data.base64EncodedData())
        bytes.append(UInt8(ascii: "\""))
    }

    /// All digits; `null` if it is not a number.
    mutating func append(_ decimal: Decimal) {
        if decimal.isNaN {
            appendNull()
        } else {
            bytes.append(contentsOf: decimal.description.utf8)
        }
    }
}

extension CalendarDate {
    /// The moment of a date, to the nearest millisecond; nil if it is not finite or about a million
    /// years away.
    init?(_ date: Date) {
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        guard let milliseconds = Int(exactly: exact) else { return nil }
        self.init(millisecondsSince1970: milliseconds)
    }

    /// The moment as Foundation has it.
    var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }
}
