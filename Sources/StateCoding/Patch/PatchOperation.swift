import Bytes

/// One operation of a patch (RFC 6902 §4).
///
///     {"op":"add","path":"/a/b","value":[7],"before":"c"}
struct PatchOperation: Sendable {
    enum Kind: String, Sendable {
        case add, remove, replace
    }

    /// Objects and arrays within each other, in the patched document and in the patch's paths: as
    /// many as the encoder writes of a state. The operations are bounded by the patch's bytes.
    static let maximumDepth = 128

    let kind: Kind
    /// The bytes of the patch, from brace to brace.
    let range: Range<Int>
    let path: JSONPointer
    /// The bytes of the patch that are the value; present unless the operation removes.
    let value: Range<Int>?
    /// The name of the member before which an added one stands.
    private(set) var before: String?

    /// The operations of a patch, an array of them in strict JSON (RFC 6902 §3).
    static func list(in patch: Span<UInt8>) throws(PatchFailure) -> [PatchOperation] {
        let root = try parse(patch)
        guard let elements = root.elements else {
            throw PatchFailure("A patch is an array of operations.")
        }
        var operations: [PatchOperation] = []
        operations.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do {
                operations.append(try PatchOperation(element))
            } catch {
                throw error.located(at: index, path: element["path"]?.string ?? "")
            }
        }
        return operations
    }

    private static func parse(_ patch: Span<UInt8>) throws(PatchFailure) -> JSONValue {
        do {
            // The list and the operation are around the value.
            return try JSONValue(parsing: patch, maximumDepth: maximumDepth + 2)
        } catch {
            throw PatchFailure("At byte \(error.offset): \(error.detail)")
        }
    }

    /// Members of other names are ignored (RFC 6902 §4).
    private init(_ object: JSONValue) throws(PatchFailure) {
        guard object.isObject else { throw PatchFailure("An operation is an object.") }
        guard let name = object["op"]?.string else {
            throw PatchFailure("The operation has no op that is a string.")
        }
        guard let kind = Kind(rawValue: name) else {
            throw PatchFailure("Only add, remove and replace are understood.")
        }
        guard let path = object["path"]?.string else {
            throw PatchFailure("The operation has no path that is a string.")
        }
        self.kind = kind
        range = object.range
        self.path = try Self.pointer(path)
        let value = kind == .remove ? nil : object["value"]
        guard kind == .remove || value != nil else {
            throw PatchFailure("The operation has no value.")
        }
        guard self.path.tokens.count + (value?.depth ?? 0) <= Self.maximumDepth else {
            throw PatchFailure("Nested deeper than \(Self.maximumDepth) levels.")
        }
        self.value = value?.range
        guard kind == .add, let before = object["before"] else { return }
        self.before = before.string
        guard self.before != nil else {
            throw PatchFailure("The member \"before\" is not a string.")
        }
    }

    private static func pointer(_ text: String) throws(PatchFailure) -> JSONPointer {
        guard let path = JSONPointer(parsing: text) else {
            let hasSlash = text.utf8.first == UInt8(ascii: "/")
            throw PatchFailure(
                hasSlash
                    ? "In a path 0 or 1 follows a tilde."
                    : "A path is empty or starts with a slash.")
        }
        return path
    }
}

extension PatchOperation {
    /// The operation changes something in a value.
    func isInside(_ part: [String]) -> Bool {
        path.tokens.count > part.count && isAlong(part, part.count)
    }

    /// The operation, which is not inside of a value, may replace or move it. A token of digits counts
    /// as an index.
    func mayMove(_ part: [String]) -> Bool {
        let count = path.tokens.count
        guard count <= part.count else { return false }
        if isAlong(part, count) { return true }
        guard kind != .replace, let last = path.tokens.last else { return false }
        return JSONPointer.index(last) != nil && isAlong(part, count - 1)
    }

    /// The first tokens are those of another path: by their bytes, as names are compared.
    private func isAlong(_ part: [String], _ count: Int) -> Bool {
        (0..<count).allSatisfy { path.tokens[$0].utf8.elementsEqual(part[$0].utf8) }
    }

    /// Writes the operation with the rest of its path.
    ///
    /// - Parameter count: the tokens that are left out.
    func write(behind count: Int, in patch: [UInt8], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("op", kind.rawValue)
        let rest = JSONPointer(tokens: Array(path.tokens.dropFirst(count)))
        writer.member("path", rest.description)
        if let value { writer.member("value", json: patch.span.extracting(value)) }
        if let before { writer.member("before", before) }
        writer.endObject()
    }
}

extension JSONValue {
    /// Objects and arrays within each other in the value.
    fileprivate var depth: Int {
        var ends: [Int] = []
        var deepest = 0
        for index in index..<Int(tape.entries[index].next) {
            let kind = tape.entries[index].kind
            guard kind == .object || kind == .array else { continue }
            while let end = ends.last, index >= end { ends.removeLast() }
            ends.append(Int(tape.entries[index].next))
            deepest = max(deepest, ends.count)
        }
        return deepest
    }
}
