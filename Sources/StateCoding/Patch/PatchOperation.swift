import Bytes

/// One operation of a patch (RFC 6902 §4).
///
///     {"op":"add","path":"/a/b","value":[7],"before":"c"}
struct PatchOperation: Sendable {
    enum Kind: String, Sendable {
        case add, remove, replace
    }

    let kind: Kind
    /// The bytes of the patch, from brace to brace.
    let range: Range<Int>
    let path: JSONPointer
    /// The bytes of the patch that are the value; present unless the operation removes.
    private(set) var value: Range<Int>?
    /// Objects and arrays within each other in the value; 0 for a scalar.
    private(set) var valueDepth = 0
    /// The name of the member before which an added one stands.
    private(set) var before: String?

    /// The operations of a patch, an array of them in strict JSON (RFC 6902 §3).
    static func list(
        in patch: Span<UInt8>, _ limits: PatchLimits
    ) throws(PatchFailure) -> [PatchOperation] {
        let root = try parse(patch, limits)
        guard let elements = root.elements else {
            throw PatchFailure(.syntax, "A patch is an array of operations.")
        }
        guard elements.count <= limits.maximumOperations else {
            let detail =
                "\(elements.count) operations, where \(limits.maximumOperations) are allowed."
            throw PatchFailure(.limit, detail)
        }
        var operations: [PatchOperation] = []
        operations.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do {
                operations.append(try PatchOperation(element, limits))
            } catch {
                throw error.located(at: index, path: element["path"]?.string ?? "")
            }
        }
        return operations
    }

    private static func parse(
        _ patch: Span<UInt8>, _ limits: PatchLimits
    ) throws(PatchFailure) -> JSONValue {
        do {
            // The list and the operation are around the value.
            return try JSONValue(parsing: patch, maximumDepth: limits.maximumDepth + 2)
        } catch {
            let reason = error.reason == .tooDeep ? PatchFailure.Reason.limit : .syntax
            throw PatchFailure(reason, "At byte \(error.offset): \(error.detail)")
        }
    }

    /// Members of other names are ignored (RFC 6902 §4).
    private init(_ object: JSONValue, _ limits: PatchLimits) throws(PatchFailure) {
        guard object.isObject else { throw PatchFailure(.syntax, "An operation is an object.") }
        guard let name = object["op"]?.string else {
            throw PatchFailure(.syntax, "The operation has no op that is a string.")
        }
        guard let kind = Kind(rawValue: name) else {
            throw PatchFailure(.unsupported, "Only add, remove and replace are understood.")
        }
        guard let path = object["path"]?.string else {
            throw PatchFailure(.syntax, "The operation has no path that is a string.")
        }
        self.kind = kind
        range = object.range
        self.path = try Self.pointer(path, limits)
        if kind == .remove { return }
        guard let value = object["value"] else {
            throw PatchFailure(.syntax, "The operation has no value.")
        }
        self.value = value.range
        valueDepth = value.depth
        guard kind == .add, let before = object["before"] else { return }
        self.before = before.string
        guard self.before != nil else {
            throw PatchFailure(.syntax, "The member \"before\" is not a string.")
        }
    }

    private static func pointer(
        _ text: String, _ limits: PatchLimits
    ) throws(PatchFailure) -> JSONPointer {
        guard let path = JSONPointer(parsing: text) else {
            let hasSlash = text.utf8.first == UInt8(ascii: "/")
            throw PatchFailure(
                .syntax,
                hasSlash
                    ? "In a path 0 or 1 follows a tilde."
                    : "A path is empty or starts with a slash.")
        }
        guard path.tokens.count <= limits.maximumDepth else {
            let detail = "The path is longer than \(limits.maximumDepth) levels."
            throw PatchFailure(.limit, detail)
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
