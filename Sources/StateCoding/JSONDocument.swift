/// A small JSON document to look values up in: hand-read requests, recordings' headers.
public struct JSONDocument: Sendable {
    /// Reads strict JSON (RFC 8259).
    public init(
        parsing bytes: Span<UInt8>, maximumDepth: Int = 128
    ) throws(DecodingFailure) {
    }

    /// The whole document.
    public var root: JSONValue { JSONValue() }
}

/// One value of a ``JSONDocument``.
public struct JSONValue: Sendable {
    /// The member of an object; nil if this is no object or has none of this name.
    public subscript(name: String) -> JSONValue? { nil }
    /// The elements if this is an array.
    public var elements: [JSONValue]? { nil }
    /// The members in their order if this is an object.
    public var members: [(name: String, value: JSONValue)]? { nil }
    /// The text if this is a string.
    public var string: String? { nil }
    /// The number if this is an integer that fits.
    public var integer: Int? { nil }
    /// The number if this is one.
    public var double: Double? { nil }
    /// Whether this is `true`, if it is `true` or `false`.
    public var bool: Bool? { nil }
    /// Whether this is `null`.
    public var isNull: Bool { false }
    /// Where the value lies in the document's bytes.
    public var range: Range<Int> { 0..<0 }
    /// The value's text.
    public var json: [UInt8] { [] }
}
