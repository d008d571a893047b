import Bytes

/// Patches that follow each other, joined to one that leads from the state before the first to the
/// state after the last (RFC 6902 §3: operations are applied in their order).
///
///     var join = PatchJoin()
///     try join.append(#"[{"op":"replace","path":"/count","value":1}]"#.utf8.span)
///     try join.append(#"[{"op":"replace","path":"/count","value":2}]"#.utf8.span)
///     join.bytes()                            // [{"op":"replace","path":"/count","value":2}]
///
/// The operations stand one after the other; those that a later one overwrites are left out, as far
/// as the paths tell. No state is needed. Applied to a document to which the patches apply one after
/// the other, the joined patch gives the same bytes.
///
/// Memory and time are in proportion to the operations that are left and those of the last patch.
package struct PatchJoin: Sendable {
    /// Bytes of needless operations beyond which they are dropped from memory.
    private static let slack = 64 * 1024

    private let limits: PatchLimits
    private var reader: PatchReader
    private var path = PatchPath()
    private var places = PatchPlaces()
    /// The operations' text, one behind the other, needless ones included.
    private var text: [UInt8] = []
    /// The range of each operation in the text; empty if it is needless.
    private var ranges: [Range<Int>] = []
    private var keptCount = 0
    private var keptByteCount = 0

    /// A join of no patches, which changes nothing.
    package init(limits: PatchLimits = PatchLimits()) {
        self.limits = limits
        reader = PatchReader(limits)
    }

    /// The length of ``bytes()``: what a snapshot competes with.
    package var byteCount: Int { keptByteCount + max(keptCount - 1, 0) + 2 }

    /// Appends a patch that leads on from where the last one ended.
    ///
    /// - Throws: `PatchFailure` where the bytes are no patch, or there are more operations in all
    ///   than the limits allow; the patches before it stay joined.
    package mutating func append(_ patch: Span<UInt8>) throws(PatchFailure) {
        try reader.read(patch)
        guard keptCount + reader.operations.count <= limits.maximumOperations else {
            let detail = "More than \(limits.maximumOperations) operations in all."
            throw PatchFailure(.limit, detail)
        }
        for index in reader.operations.indices {
            let operation = reader.operations[index]
            do {
                try path.read(operation.path, in: patch, limits)
            } catch {
                throw error.located(at: index, path: operation.pathText(patch))
            }
        }
        for operation in reader.operations { try append(operation, patch) }
        let isWasteful = text.count > 2 * keptByteCount + Self.slack
        if isWasteful || ranges.count > 2 * keptCount + Self.slack { try renew() }
    }

    /// The joined patch, a JSON array.
    package func bytes() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(byteCount)
        output.append(UInt8(ascii: "["))
        for range in ranges where !range.isEmpty {
            if output.count > 1 { output.append(UInt8(ascii: ",")) }
            output.append(copying: text.span.extracting(range))
        }
        output.append(UInt8(ascii: "]"))
        precondition(output.count == byteCount, "What is left has been counted.")
        return output
    }

    private mutating func append(
        _ operation: PatchOperation, _ patch: Span<UInt8>
    ) throws(PatchFailure) {
        try path.read(operation.path, in: patch, limits)
        for needless in places.record(ranges.count, operation.kind, at: path) {
            precondition(!ranges[needless].isEmpty, "An operation is dropped once.")
            keptCount -= 1
            keptByteCount -= ranges[needless].count
            ranges[needless] = 0..<0
        }
        let start = text.count
        text.append(copying: patch.extracting(operation.range))
        ranges.append(start..<text.count)
        keptCount += 1
        keptByteCount += operation.range.count
    }

    private mutating func renew() throws(PatchFailure) {
        let joined = bytes()
        let limits = limits
        self = PatchJoin(limits: limits)
        try append(joined.span)
    }
}
