/// Appends compact JSON to bytes; puts commas where they belong.
///
///     var json = JSONWriter()
///     json.beginObject()
///     json.member("version", 43)
///     json.member("changed", true)
///     json.endObject()
///     json.finish()        // {"version":43,"changed":true}
public struct JSONWriter: Sendable {
    /// What was written.
    public private(set) var bytes: [UInt8]

    /// A writer that appends to `bytes`.
    public init(appendingTo bytes: consuming [UInt8] = []) {
        self.bytes = bytes
    }

    /// The bytes; the writer is used up.
    public consuming func finish() -> [UInt8] { bytes }

    /// Opens an object as the next value.
    public mutating func beginObject() {}
    /// Closes the innermost object.
    public mutating func endObject() {}
    /// Opens an array as the next value.
    public mutating func beginArray() {}
    /// Closes the innermost array.
    public mutating func endArray() {}
    /// Writes a member's name; its value follows by `beginObject`, `beginArray` or `value`.
    public mutating func name(_ name: String) {}
    /// Writes a string as the next value.
    public mutating func value(_ string: String) {}
    /// Writes an integer as the next value.
    public mutating func value(_ integer: some FixedWidthInteger) {}
    /// Writes a number as the next value; `null` if it is not finite.
    public mutating func value(_ number: Double) {}
    /// Writes `true` or `false` as the next value.
    public mutating func value(_ flag: Bool) {}
    /// Writes bytes that are JSON already as the next value.
    public mutating func value(json: borrowing Span<UInt8>) {}
    /// Writes `null` as the next value.
    public mutating func null() {}
    /// Writes a member with a string.
    public mutating func member(_ name: String, _ string: String) {}
    /// Writes a member with an integer.
    public mutating func member(_ name: String, _ integer: some FixedWidthInteger) {}
    /// Writes a member with a number; `null` if it is not finite.
    public mutating func member(_ name: String, _ number: Double) {}
    /// Writes a member with `true` or `false`.
    public mutating func member(_ name: String, _ flag: Bool) {}
    /// Writes a member with bytes that are JSON already.
    public mutating func member(_ name: String, json: borrowing Span<UInt8>) {}
    /// Writes a member with `null`.
    public mutating func nullMember(_ name: String) {}
}
