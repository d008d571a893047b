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
    private var places = PatchedPlace()
    /// The text of each operation that is not needless, by its number in the order of all.
    private var operations: [Int: [UInt8]] = [:]
    private var recordedCount = 0
    private var keptByteCount = 0

    /// A join of no patches, which changes nothing.
    package init() {}

    /// The length of ``bytes()``: what a snapshot competes with.
    package var byteCount: Int { keptByteCount + max(operations.count - 1, 0) + 2 }

    /// Appends a patch that leads on from where the last one ended.
    ///
    /// - Throws: `PatchFailure` where the bytes are no patch; the patches before it stay joined.
    package mutating func append(_ patch: Span<UInt8>) throws(PatchFailure) {
        let list = try PatchOperation.list(in: patch)
        for operation in list {
            let needless = places.record(
                recordedCount, operation.kind, at: operation.path.tokens[...])
            for number in needless {
                keptByteCount -= operations.removeValue(forKey: number)?.count ?? 0
            }
            operations[recordedCount] = [UInt8](copying: patch.extracting(operation.range))
            recordedCount += 1
            keptByteCount += operation.range.count
        }
    }

    /// The joined patch, a JSON array.
    package func bytes() -> [UInt8] {
        let texts = operations.sorted { $0.key < $1.key }.map(\.value)
        var output = Array("[".utf8)
        output.reserveCapacity(byteCount)
        output.append(contentsOf: texts.joined(separator: [UInt8(ascii: ",")]))
        output.append(UInt8(ascii: "]"))
        precondition(output.count == byteCount, "What is left has been counted.")
        return output
    }
}

/// What operations of a sequence did to a value and inside of it, as far as a later one may make them
/// needless by the paths alone.
///
/// Operations have numbers, in their order. `replace` of a value makes needless what was done to the
/// same value or inside of it before. Where elements are put into an array or taken out, indices change
/// their meaning: from then on what was done inside of the array is overwritten only together with the
/// array. Whether a container is an array the paths do not say, so that a token of digits counts as an
/// index.
///
/// An operation moves up the tree at most once a level: linear in the lengths of all paths, but for
/// that.
private struct PatchedPlace: Sendable {
    /// The places below, by the bytes of their tokens.
    private var children: [[UInt8]: PatchedPlace] = [:]
    /// The last `replace` of this value.
    private var replacement: [Int] = []
    /// Operations that made or removed this value.
    private var own: [Int] = []
    /// Operations inside of this value whose places are not known any more.
    private var inside: [Int] = []

    /// Takes note of an operation.
    ///
    /// - Parameter path: the way from here to the operation's value.
    /// - Returns: the operations that it makes needless.
    mutating func record(
        _ operation: Int, _ kind: PatchOperation.Kind, at path: ArraySlice<String>
    ) -> [Int] {
        guard let token = path.first else {
            defer { replacement = [operation] }
            return overwrite()
        }
        let name = Array(token.utf8)
        guard path.count == 1, kind != .replace else {
            return children[name, default: PatchedPlace()].record(
                operation, kind, at: path.dropFirst())
        }
        guard JSONPointer.index(token) != nil else {
            children[name, default: PatchedPlace()].own.append(operation)
            return children[name]?.overwrite() ?? []
        }
        let needless = kind == .remove ? children[name]?.overwrite() ?? [] : []
        inside += takeBelow()
        inside.append(operation)
        return needless
    }

    /// Takes out what was done to the value and inside of it, but for what made or removed the value.
    private mutating func overwrite() -> [Int] {
        defer { (inside, replacement) = ([], []) }
        return takeBelow() + inside + replacement
    }

    private mutating func takeBelow() -> [Int] {
        defer { children = [:] }
        return children.values.flatMap(\.all)
    }

    private var all: [Int] {
        own + inside + replacement + children.values.flatMap(\.all)
    }
}
