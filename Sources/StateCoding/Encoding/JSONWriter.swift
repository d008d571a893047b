/// Appends compact JSON to bytes; puts commas where they belong.
///
///     var json = JSONWriter()
///     json.beginObject()
///     json.member("version", 43)
///     json.member("changed", true)
///     json.endObject()
///     json.finish()        // {"version":43,"changed":true}
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

    /// Writes a member's name; its value follows by `beginObject`, `beginArray` or `value`.
    package mutating func name(_ name: String) {
        appendName(name)
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

    /// Writes a number as the next value; `null` if it is not finite.
    package mutating func value(_ number: Double) {
        separate()
        append(number)
    }

    /// Writes `true` or `false` as the next value.
    package mutating func value(_ flag: Bool) {
        separate()
        append(flag)
    }

    /// Writes bytes that are JSON already as the next value.
    package mutating func value(json: borrowing Span<UInt8>) {
        separate()
        append(raw: json)
    }

    /// Writes `null` as the next value.
    package mutating func null() {
        separate()
        appendNull()
    }

    /// Writes a member with a string.
    package mutating func member(_ name: String, _ string: String) {
        appendName(name)
        append(string)
    }

    /// Writes a member with an integer.
    package mutating func member(_ name: String, _ integer: some FixedWidthInteger) {
        appendName(name)
        append(integer: integer)
    }

    /// Writes a member with a number; `null` if it is not finite.
    package mutating func member(_ name: String, _ number: Double) {
        appendName(name)
        append(number)
    }

    /// Writes a member with `true` or `false`.
    package mutating func member(_ name: String, _ flag: Bool) {
        appendName(name)
        append(flag)
    }

    /// Writes a member with bytes that are JSON already.
    package mutating func member(_ name: String, json: borrowing Span<UInt8>) {
        appendName(name)
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
}
