import Reflection

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
        try EncodingRun.append(to: &output, maximumDepth: maximumDepth) { document in
            try document.encodeValue(value)
        }
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

/// One run of an encoder over the caller's bytes.
enum EncodingRun {
    /// Lets `body` write to a document that appends to `output`; puts the bytes back if it throws.
    static func append(
        to output: inout [UInt8], maximumDepth: Int, body: (DocumentEncoder) throws -> Void
    ) throws(EncodingFailure) {
        let start = output.count
        let document = DocumentEncoder(
            writer: JSONWriter(appendingTo: take(&output)), maximumDepth: maximumDepth,
            writers: ContainerPool())
        if try write(to: document, into: &output, behind: start, body) { return }
        let deferred = DocumentEncoder(
            writer: JSONWriter(appendingTo: take(&output)), maximumDepth: maximumDepth,
            defersNested: true)
        _ = try write(to: deferred, into: &output, behind: start, body)
    }

    /// Answers with false where the document has to be encoded again with nested containers deferred.
    private static func write(
        to document: DocumentEncoder, into output: inout [UInt8], behind start: Int,
        _ body: (DocumentEncoder) throws -> Void
    ) throws(EncodingFailure) -> Bool {
        defer { document.writers?.close() }
        do {
            try body(document)
            output = try document.finish()
            return true
        } catch {
            let isInterleaved = document.isInterleaved || error is InterleavedWriting
            let failure = translate(error, in: document)
            output = document.detachBytes()
            output.removeSubrange(start...)
            if isInterleaved, !document.defersNested { return false }
            throw failure
        }
    }

    /// The array, leaving an empty one, so that its storage has one owner.
    private static func take(_ bytes: inout [UInt8]) -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    private static func translate(
        _ error: any Error, in document: DocumentEncoder
    ) -> EncodingFailure {
        if let failure = document.failure ?? error as? EncodingFailure { return failure }
        return EncodingFailure(
            reason: .refused, pointer: document.pointer,
            detail: "A type refused to be encoded: \(error)")
    }
}

/// Signals that a document must be encoded again with nested containers deferred.
struct InterleavedWriting: Error {}
