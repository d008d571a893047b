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
        try encode(value, into: &output, reusing: nil)
    }

    /// The same; what is unchanged since the last time is copied from a memory, where there is one.
    @usableFromInline
    package func encode(
        _ value: some Encodable, into output: inout [UInt8], reusing memory: EncodingMemory?
    ) throws(EncodingFailure) {
        try EncodingRun.append(to: &output, maximumDepth: maximumDepth, memory: memory) {
            document in
            try document.encodeValue(value)
        }
    }
}
