import Bytes

/// The text of a state, to which patches are applied one after the other (RFC 6902).
///
///     var document = PatchedDocument(Array(#"{"items":["tea"],"open":true}"#.utf8))
///     try document.apply(#"[{"op":"add","path":"/items/-","value":"milk"}]"#.utf8.span)
///     document.bytes()                        // {"items":["tea","milk"],"open":true}
///
/// A patch that the encoder made of two states, applied to the text of the first, gives the text of
/// the second, byte for byte: what no operation touches is copied as it stands. For this a new
/// member of an object stands where `"before"` says, a member of `add` that RFC 6902 §4 tells others
/// to ignore: before the member that it names, or else last.
///
/// Only containers on the way to a change are opened, by one scan each, and nothing is decoded. An
/// operation costs its path and its value, not the size of what is around it.
///
/// Patches may come from a stranger: they are read as strict JSON, and within limits. The text is
/// trusted to be JSON within the limits of nesting; if it is not, patches fail and nothing traps. It
/// should be compact: an object or array that was opened is written without white space, all others
/// as they were.
package struct PatchedDocument: Sendable {
    /// Added text beyond which the document is written anew, so that memory stays in proportion.
    private static let slack = 64 * 1024

    private var tree: PatchedTree
    /// The text's length when it was written last.
    private var writtenCount: Int

    /// A document with this text.
    package init(_ text: [UInt8]) {
        tree = PatchedTree(text)
        writtenCount = text.count
    }

    /// Applies a patch.
    ///
    /// - Throws: `PatchFailure` where the bytes are no patch, or it does not fit: some of it may be
    ///   applied, and the document is of no use any more. One that comes from this state's history means
    ///   damage, or that a patch is missing.
    package mutating func apply(_ patch: Span<UInt8>) throws(PatchFailure) {
        for (index, operation) in try PatchOperation.list(in: patch).enumerated() {
            do {
                try perform(operation, patch)
            } catch {
                throw error.located(at: index, path: operation.path.description)
            }
        }
        if tree.text.count > 2 * writtenCount + Self.slack { renew() }
    }

    /// The text with all patches applied.
    package func bytes() -> [UInt8] { tree.bytes() }

    private mutating func renew() {
        let bytes = tree.bytes()
        writtenCount = bytes.count
        tree = PatchedTree(bytes)
    }

    private mutating func perform(
        _ operation: PatchOperation, _ patch: Span<UInt8>
    ) throws(PatchFailure) {
        let tokens = operation.path.tokens
        let value = operation.value.map { tree.added(patch.extracting($0)) }
        if tokens.isEmpty {
            guard let value else {
                throw PatchFailure(.place, "The whole document cannot be removed.")
            }
            return tree.set(value, at: .root)
        }
        var place = PatchedTree.Place.root
        for (level, token) in tokens.enumerated() {
            tree.open(place)
            switch (tree[place], isLast: level == tokens.count - 1) {
            case (.object(let object), false):
                place = .member(object: object, slot: try slot(token, of: object, level))
            case (.array(let array), false):
                place = .element(array: array, index: try index(token, of: array, level))
            case (.object(let object), true):
                try changeMember(operation, token, value, of: object, level)
            case (.array(let array), true):
                try changeElement(operation, token, value, of: array, level)
            case (.text, _):
                let detail = "The value at level \(level) is no object and no array."
                throw PatchFailure(.place, detail)
            }
        }
    }

    private func slot(
        _ name: String, of object: Int, _ level: Int
    ) throws(PatchFailure) -> Int {
        if let slot = tree.slot(named: name, in: object) { return slot }
        throw PatchFailure(.place, "The object at level \(level) has no such member.")
    }

    /// The index of an element that is there, or of the place behind the last one.
    private func index(
        _ token: String, of array: Int, _ level: Int, orEnd: Bool = false
    ) throws(PatchFailure) -> Int {
        let count = tree.elementCount(array)
        if orEnd, token == "-" { return count }
        guard let index = JSONPointer.index(token) else {
            let detail = "Level \(level) is an array, and the path has no index there."
            throw PatchFailure(.place, detail)
        }
        guard index < (orEnd ? count + 1 : count) else {
            throw PatchFailure(.place, "The array has \(count) elements.")
        }
        return index
    }

    private mutating func changeMember(
        _ operation: PatchOperation, _ name: String, _ value: PatchedNode?, of object: Int,
        _ level: Int
    ) throws(PatchFailure) {
        guard let value else {
            return tree.removeMember(try slot(name, of: object, level), of: object)
        }
        let next = operation.before.map { tree.slot(named: $0, in: object) }
        if case .some(nil) = next {
            throw PatchFailure(.place, "The object has no member that \"before\" names.")
        }
        if operation.kind == .add, tree.slot(named: name, in: object) == nil {
            return tree.insert(name, value, in: object, before: next ?? nil)
        }
        let slot = try slot(name, of: object, level)
        tree.set(value, at: .member(object: object, slot: slot))
    }

    private mutating func changeElement(
        _ operation: PatchOperation, _ token: String, _ value: PatchedNode?, of array: Int,
        _ level: Int
    ) throws(PatchFailure) {
        let isAdded = operation.kind == .add
        let index = try index(token, of: array, level, orEnd: isAdded)
        guard let value else { return tree.removeElement(index, of: array) }
        if isAdded { return tree.insert(value, in: array, at: index) }
        tree.set(value, at: .element(array: array, index: index))
    }
}
