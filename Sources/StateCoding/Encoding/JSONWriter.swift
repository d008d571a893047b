/// Appends compact JSON to bytes; puts commas where they belong.
///
///     var json = JSONWriter()
///     json.beginObject()
///     json.member("version", 43)
///     json.member("changed", true)
///     json.endObject()
///     json.finish()        // {"version":43,"changed":true}
public struct JSONWriter: Sendable {
    /// What was written, after what the writer was given to append to.
    public internal(set) var bytes: [UInt8]
    private let start: Int

    /// A writer that appends to `bytes`.
    public init(appendingTo bytes: consuming [UInt8] = []) {
        self.bytes = bytes
        start = self.bytes.count
    }

    /// The bytes; the writer is used up.
    public consuming func finish() -> [UInt8] { bytes }

    /// Opens an object as the next value.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
    }

    /// Closes the innermost object.
    public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
    }

    /// Opens an array as the next value.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
    }

    /// Closes the innermost array.
    public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value follows by `beginObject`, `beginArray` or `value`.
    public mutating func name(_ name: String) {
        appendName(name)
    }

    /// Writes a string as the next value.
    public mutating func value(_ string: String) {
        separate()
        append(string)
    }

    /// Writes an integer as the next value.
    public mutating func value(_ integer: some FixedWidthInteger) {
        separate()
        append(integer: integer)
    }

    /// Writes a number as the next value; `null` if it is not finite.
    public mutating func value(_ number: Double) {
        separate()
        append(number)
    }

    /// Writes `true` or `false` as the next value.
    public mutating func value(_ flag: Bool) {
        separate()
        append(flag)
    }

    /// Writes bytes that are JSON already as the next value.
    public mutating func value(json: borrowing Span<UInt8>) {
        separate()
        append(raw: json)
    }

    /// Writes `null` as the next value.
    public mutating func null() {
        separate()
        appendNull()
    }

    /// Writes a member with a string.
    public mutating func member(_ name: String, _ string: String) {
        appendName(name)
        append(string)
    }

    /// Writes a member with an integer.
    public mutating func member(_ name: String, _ integer: some FixedWidthInteger) {
        appendName(name)
        append(integer: integer)
    }

    /// Writes a member with a number; `null` if it is not finite.
    public mutating func member(_ name: String, _ number: Double) {
        appendName(name)
        append(number)
    }

    /// Writes a member with `true` or `false`.
    public mutating func member(_ name: String, _ flag: Bool) {
        appendName(name)
        append(flag)
    }

    /// Writes a member with bytes that are JSON already.
    public mutating func member(_ name: String, json: borrowing Span<UInt8>) {
        appendName(name)
        append(raw: json)
    }

    /// Writes a member with `null`.
    public mutating func nullMember(_ name: String) {
        appendName(name)
        appendNull()
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
