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
    }

    /// The length of ``bytes()``: what a snapshot competes with.
    package var byteCount: Int { keptByteCount + max(keptCount - 1, 0) + 2 }

    /// Appends a patch that leads on from where the last one ended.
    ///
    /// - Throws: `PatchFailure` where the bytes are no patch, or there are more operations in all
    ///   than the limits allow; the patches before it stay joined.
    package mutating func append(_ patch: Span<UInt8>) throws(PatchFailure) {
        let operations = try PatchOperation.list(in: patch, limits)
        guard keptCount + operations.count <= limits.maximumOperations else {
            let detail = "More than \(limits.maximumOperations) operations in all."
            throw PatchFailure(.limit, detail)
        }
        for operation in operations { append(operation, patch) }
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

    private mutating func append(_ operation: PatchOperation, _ patch: Span<UInt8>) {
        for needless in places.record(ranges.count, operation.kind, at: operation.path) {
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

/// Finds which operations of a sequence a later one makes needless, by the paths alone.
///
/// Operations have numbers, in their order. A tree of the paths' tokens holds those that may still
/// be overwritten: `replace` of a value makes needless what was done to the same value or inside of
/// it before. Where elements are put into an array or taken out, indices change their meaning: from
/// then on what was done inside of the array is overwritten only together with the array. Whether a
/// container is an array the paths do not say, so that a token of digits counts as an index.
///
/// An operation moves up the tree at most once a level: linear in the lengths of all paths, but for
/// that.
struct PatchPlaces: Sendable {
    private struct Node: Sendable {
        /// The nodes below, by the bytes of their tokens.
        var children: [[UInt8]: Int] = [:]
        /// The last `replace` of this value.
        var replacement: Int?
        /// Operations that made or removed this value.
        var own: [Int] = []
        /// Operations inside of this value whose places are not known any more.
        var inside: [Int] = []
    }

    private var nodes = [Node()]

    /// Takes note of an operation.
    ///
    /// - Returns: the operations that it makes needless.
    mutating func record(
        _ operation: Int, _ kind: PatchOperation.Kind, at path: JSONPointer
    ) -> [Int] {
        guard let token = path.tokens.last else { return recordAtRoot(operation) }
        var parent = 0
        for token in path.tokens.dropLast() { parent = child(token, of: parent) }
        let isIndex = JSONPointer.index(token) != nil
        if kind == .add, isIndex {
            forgetPlaces(in: parent)
            nodes[parent].inside.append(operation)
            return []
        }
        let node = child(token, of: parent)
        let needless = overwrite(node)
        if kind == .replace {
            nodes[node].replacement = operation
        } else if isIndex {
            forgetPlaces(in: parent)
            nodes[parent].inside.append(operation)
        } else {
            nodes[node].own.append(operation)
        }
        return needless
    }

    private mutating func recordAtRoot(_ operation: Int) -> [Int] {
        let needless = overwrite(0)
        nodes[0].replacement = operation
        return needless
    }

    private mutating func child(_ token: String, of node: Int) -> Int {
        let token = Array(token.utf8)
        if let known = nodes[node].children[token] { return known }
        nodes[node].children[token] = nodes.count
        nodes.append(Node())
        return nodes.count - 1
    }

    /// Removes what was done to a value and inside of it, but for what made or removed the value.
    private mutating func overwrite(_ node: Int) -> [Int] {
        var needless = takeBelow(node)
        needless += nodes[node].inside
        nodes[node].inside = []
        if let replacement = nodes[node].replacement { needless.append(replacement) }
        nodes[node].replacement = nil
        return needless
    }

    private mutating func forgetPlaces(in node: Int) {
        nodes[node].inside += takeBelow(node)
    }

    /// Takes all operations out of the nodes below one.
    private mutating func takeBelow(_ node: Int) -> [Int] {
        var found: [Int] = []
        var rest = Array(nodes[node].children.values)
        nodes[node].children = [:]
        while let next = rest.popLast() {
            rest += nodes[next].children.values
            found += nodes[next].own
            found += nodes[next].inside
            if let replacement = nodes[next].replacement { found.append(replacement) }
            nodes[next] = Node()
        }
        return found
    }
}
