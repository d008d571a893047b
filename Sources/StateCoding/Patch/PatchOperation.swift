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
        let tape = try parse(patch, limits)
        let root = tape.entries[0]
        guard root.kind == .array else {
            throw PatchFailure(.syntax, "A patch is an array of operations.")
        }
        guard Int(root.count) <= limits.maximumOperations else {
            let detail = "\(root.count) operations, where \(limits.maximumOperations) are allowed."
            throw PatchFailure(.limit, detail)
        }
        var operations: [PatchOperation] = []
        operations.reserveCapacity(Int(root.count))
        var entry = 1
        for index in 0..<Int(root.count) {
            do {
                operations.append(try PatchOperation(at: entry, of: tape, limits))
            } catch {
                throw error.located(at: index, path: tape.text("path", of: entry) ?? "")
            }
            entry = Int(tape.entries[entry].next)
        }
        return operations
    }

    private static func parse(
        _ patch: Span<UInt8>, _ limits: PatchLimits
    ) throws(PatchFailure) -> JSONTape {
        do {
            // The list and the operation are around the value.
            return try JSONTape(
                parsing: [UInt8](copying: patch), maximumDepth: limits.maximumDepth + 2)
        } catch {
            let reason = error.reason == .tooDeep ? PatchFailure.Reason.limit : .syntax
            throw PatchFailure(reason, "At byte \(error.offset): \(error.detail)")
        }
    }

    /// Members of other names are ignored (RFC 6902 §4).
    private init(
        at object: Int, of tape: JSONTape, _ limits: PatchLimits
    ) throws(PatchFailure) {
        guard tape.entries[object].kind == .object else {
            throw PatchFailure(.syntax, "An operation is an object.")
        }
        guard let name = tape.text("op", of: object) else {
            throw PatchFailure(.syntax, "The operation has no op that is a string.")
        }
        guard let kind = Kind(rawValue: name) else {
            throw PatchFailure(.unsupported, "Only add, remove and replace are understood.")
        }
        guard let path = tape.text("path", of: object) else {
            throw PatchFailure(.syntax, "The operation has no path that is a string.")
        }
        self.kind = kind
        range = tape.range(at: object)
        self.path = try Self.pointer(path, limits)
        if kind == .remove { return }
        guard let value = tape.member("value", of: object, from: 0) else {
            throw PatchFailure(.syntax, "The operation has no value.")
        }
        self.value = tape.range(at: value)
        valueDepth = tape.depth(of: value)
        guard kind == .add, tape.member("before", of: object, from: 0) != nil else { return }
        before = tape.text("before", of: object)
        guard before != nil else {
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

extension JSONTape {
    /// The string that is a member of an object; nil where it is something else.
    fileprivate func text(_ name: String, of object: Int) -> String? {
        guard entries[object].kind == .object, let value = member(name, of: object, from: 0) else {
            return nil
        }
        let kind = entries[value].kind
        return kind == .string || kind == .escapedString ? string(at: value) : nil
    }

    /// Objects and arrays within each other in a value.
    fileprivate func depth(of value: Int) -> Int {
        var ends: [Int] = []
        var deepest = 0
        for index in value..<Int(entries[value].next) {
            let kind = entries[index].kind
            guard kind == .object || kind == .array else { continue }
            while let end = ends.last, index >= end { ends.removeLast() }
            ends.append(Int(entries[index].next))
            deepest = max(deepest, ends.count)
        }
        return deepest
    }
}
