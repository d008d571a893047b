/// Writes `Encodable` values as compact JSON, the way states travel: enums externally tagged, sets
/// and dictionary keys sorted, dates ISO 8601 in UTC with milliseconds.
public struct StateEncoder: Sendable {
    /// How deep objects and arrays may nest.
    public var maximumDepth: Int

    /// An encoder that refuses to nest deeper than `maximumDepth`.
    public init(maximumDepth: Int = 128) {
        self.maximumDepth = maximumDepth
    }

    /// Appends `value` as JSON to `output`, which is left as it was when this throws.
    public func encode(
        _ value: some Encodable, into output: inout [UInt8]
    ) throws(EncodingFailure) {
    }
}
