/// Writes `Encodable` values as compact JSON, the way states travel.
///
/// - Enums are externally tagged: `{"signedIn":{"name":"Ada"}}`. One unlabelled value stands for
///   itself, several are an array, none is `{}`; the compiler's `_0` is never written.
/// - A nil member is absent, a nil element is `null`.
/// - Sets and the keys of dictionaries are sorted. Dictionaries whose keys are strings, integers
///   or `CodingKeyRepresentable` are objects, others the standard library's array of keys and
///   values.
/// - `Date` is ISO 8601 in UTC with milliseconds, `URL` and `UUID` are strings, `Data` is Base64,
///   `Decimal` a number with all its digits. Numbers that are not finite are `null`.
public struct StateEncoder: Sendable {
    /// The deepest nesting of objects and arrays.
    public var maximumDepth: Int

    /// An encoder that refuses to nest deeper than `maximumDepth`.
    public init(maximumDepth: Int = 128) {
        self.maximumDepth = maximumDepth
    }

    /// Appends `value` as JSON to `output`, which is left as it was when this throws.
    public func encode(
        _ value: some Encodable, into output: inout [UInt8]
    ) throws(EncodingFailure) {
        try DocumentEncoder.run(appendingTo: &output, maximumDepth: maximumDepth) {
            try $0.encodeValue(value)
        }
    }

    /// A value as JSON that the server keeps to itself, with its secrets.
    package func openBytes(of value: some Encodable) throws(EncodingFailure) -> [UInt8] {
        var output: [UInt8] = []
        _ = try DocumentEncoder.run(appendingTo: &output, maximumDepth: maximumDepth, .open) {
            try $0.encodeValue(value)
        }
        return output
    }
}

/// Why a value could not be written as JSON.
public struct EncodingFailure: Error, Sendable, Hashable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// Objects and arrays nest deeper than the encoder's limit.
        case tooDeep
        /// An enum case has labelled and unlabelled values, which has no form on the wire.
        case mixedLabels
        /// An action is not a synthesized enum, so that it has no type path.
        case notAnAction
        /// The value's own `encode(to:)` threw, or used its encoder against the rules.
        case refused
    }

    /// The kind of failure.
    public var reason: Reason
    /// The place in the document that was being written.
    public var pointer: JSONPointer
    /// A sentence for the application's author.
    public var detail: String

    /// A failure at `pointer`.
    package init(reason: Reason, pointer: JSONPointer, detail: String) {
        self.reason = reason
        self.pointer = pointer
        self.detail = detail
    }
}
