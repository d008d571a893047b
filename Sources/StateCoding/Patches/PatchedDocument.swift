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

    private let limits: PatchLimits
    private var tree: PatchedTree
    private var reader: PatchReader
    private var path = PatchPath()
    /// The text's length when it was written last.
    private var writtenCount: Int

    /// A document with this text.
    package init(_ text: [UInt8], limits: PatchLimits = PatchLimits()) {
        self.limits = limits
        tree = PatchedTree(text)
        reader = PatchReader(limits)
        writtenCount = text.count
    }

    /// Applies a patch, whole or not at all.
    ///
    /// - Throws: `PatchFailure` where the bytes are no patch, or it does not fit: the document is as
    ///   it was. One that comes from this state's history means damage, or that a patch is missing.
    package mutating func apply(_ patch: Span<UInt8>) throws(PatchFailure) {
        try reader.read(patch)
        for index in reader.operations.indices {
            let operation = reader.operations[index]
            do {
                try perform(operation, patch)
            } catch {
                tree.undo()
                throw error.located(at: index, path: operation.pathText(patch))
            }
        }
        tree.keep()
        if tree.textCount > 2 * writtenCount + Self.slack { renew() }
    }

    /// The memory that it takes, about: its text, and what was opened of it.
    package var heldByteCount: Int { tree.heldByteCount }

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
        try path.read(operation.path, in: patch, limits)
        guard path.count + operation.valueDepth <= limits.maximumDepth else {
            throw PatchFailure(.limit, "Nested deeper than \(limits.maximumDepth) levels.")
        }
        let value = operation.value.map { tree.added(patch.extracting($0)) }
        guard path.count > 0 else { return try performAtRoot(value) }
        let container = try parent()
        if container.kind == .object {
            try changeMember(operation, value, of: container.number, patch)
        } else {
            try changeElement(operation.kind, value, of: container.number)
        }
    }

    private mutating func performAtRoot(_ value: PatchedNode?) throws(PatchFailure) {
        guard let value else {
            throw PatchFailure(.place, "The whole document cannot be removed.")
        }
        tree.replace(.root, with: value)
    }

    /// Opens the containers on the way to what the path names.
    ///
    /// - Returns: the innermost.
    private mutating func parent() throws(PatchFailure) -> PatchedNode {
        precondition(path.count > 0, "The root has no parent.")
        var container = try open(.root, level: 0)
        for level in 0..<path.count - 1 {
            let place = try place(in: container, level: level)
            container = try open(place, level: level + 1)
        }
        return container
    }

    private mutating func open(
        _ place: PatchedTree.Place, level: Int
    ) throws(PatchFailure) -> PatchedNode {
        if let container = tree.open(place) { return container }
        throw PatchFailure(.place, "The value at level \(level) is no object and no array.")
    }

    private mutating func place(
        in container: PatchedNode, level: Int
    ) throws(PatchFailure) -> PatchedTree.Place {
        let number = container.number
        if container.kind == .array {
            return .element(array: number, index: try index(of: number, level: level))
        }
        return .member(object: number, slot: try slot(of: number, level: level))
    }

    private mutating func slot(of object: Int, level: Int) throws(PatchFailure) -> Int {
        if let slot = foundSlot(of: object, level: level) { return slot }
        throw PatchFailure(.place, "The object at level \(level) has no such member.")
    }

    private mutating func foundSlot(of object: Int, level: Int) -> Int? {
        path.withToken(level) { tree.slot(named: $0, in: object) }
    }

    /// The index of an element that is there.
    private func index(of array: Int, level: Int) throws(PatchFailure) -> Int {
        let index = try index(level: level)
        guard index < tree.elementCount(array) else { throw outOfRange(array) }
        return index
    }

    private func index(level: Int) throws(PatchFailure) -> Int {
        if let index = path.index(level) { return index }
        throw PatchFailure(.place, "Level \(level) is an array, and the path has no index there.")
    }

    private func outOfRange(_ array: Int) -> PatchFailure {
        PatchFailure(.place, "The array has \(tree.elementCount(array)) elements.")
    }

    private mutating func changeMember(
        _ operation: PatchOperation, _ value: PatchedNode?, of object: Int, _ patch: Span<UInt8>
    ) throws(PatchFailure) {
        let level = path.count - 1
        guard let value else {
            return tree.removeMember(try slot(of: object, level: level), of: object)
        }
        let next = try slot(before: operation.before, in: object, patch)
        if operation.kind == .replace {
            let slot = try slot(of: object, level: level)
            return tree.replace(.member(object: object, slot: slot), with: value)
        }
        if let slot = foundSlot(of: object, level: level) {
            return tree.replace(.member(object: object, slot: slot), with: value)
        }
        path.withToken(level) { tree.insert($0, value, in: object, before: next) }
    }

    private mutating func slot(
        before name: PatchOperation.Text?, in object: Int, _ patch: Span<UInt8>
    ) throws(PatchFailure) -> Int? {
        guard let name else { return nil }
        let bytes = name.unescaped(patch)
        if let slot = tree.slot(named: bytes.span, in: object) { return slot }
        throw PatchFailure(.place, "The object has no member that \"before\" names.")
    }

    private mutating func changeElement(
        _ kind: PatchOperation.Kind, _ value: PatchedNode?, of array: Int
    ) throws(PatchFailure) {
        let level = path.count - 1
        guard let value else {
            return tree.removeElement(try index(of: array, level: level), of: array)
        }
        if kind == .replace {
            let index = try index(of: array, level: level)
            return tree.replace(.element(array: array, index: index), with: value)
        }
        let count = tree.elementCount(array)
        let index = path.isEnd(level) ? count : try index(level: level)
        guard index <= count else { throw outOfRange(array) }
        tree.insert(value, in: array, at: index)
    }
}
