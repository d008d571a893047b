import Bytes

/// Reads patches, JSON arrays of operations (RFC 6902 §3), and keeps the memory of small ones for the
/// next one.
struct PatchReader: Sendable {
    /// Entries of memory that is kept.
    private static let keptCapacity = 1024

    private let limits: PatchLimits
    private var entries: [JSONTape.Entry] = []
    /// The operations of the patch that was read last.
    private(set) var operations: [PatchOperation] = []

    init(_ limits: PatchLimits) {
        self.limits = limits
    }

    /// Reads a patch: strict JSON, in which no object names a member twice.
    ///
    /// - Throws: `PatchFailure`, after which there are no operations.
    mutating func read(_ patch: Span<UInt8>) throws(PatchFailure) {
        operations.removeAll(keepingCapacity: operations.capacity <= Self.keptCapacity)
        try parse(patch)
        defer { if entries.capacity > Self.keptCapacity { entries = [] } }
        guard let root = entries.first, root.kind == .array else {
            throw PatchFailure(.syntax, "A patch is an array of operations.")
        }
        guard Int(root.count) <= limits.maximumOperations else {
            let detail = "\(root.count) operations, where \(limits.maximumOperations) are allowed."
            throw PatchFailure(.limit, detail)
        }
        do {
            try readOperations(Int(root.count), patch)
        } catch {
            operations.removeAll(keepingCapacity: true)
            throw error
        }
    }

    private mutating func parse(_ patch: Span<UInt8>) throws(PatchFailure) {
        var storage: [JSONTape.Entry] = []
        swap(&storage, &entries)
        storage.removeAll(keepingCapacity: true)
        // The list and the operation are around the value.
        var parser = JSONParser(maximumDepth: limits.maximumDepth + 2, entries: consume storage)
        let fault = parser.parse(patch)
        entries = parser.entries
        guard let fault else { return }
        let reason = fault.reason == .tooDeep ? PatchFailure.Reason.limit : .syntax
        throw PatchFailure(reason, "At byte \(fault.offset): \(fault.detail)")
    }

    private mutating func readOperations(
        _ count: Int, _ patch: Span<UInt8>
    ) throws(PatchFailure) {
        var entry = 1
        for index in 0..<count {
            precondition(entry < entries.count, "Each element of the list has an entry.")
            do {
                operations.append(try operation(at: entry, patch))
            } catch {
                throw error.located(at: index, path: path(at: entry, patch))
            }
            entry = Int(entries[entry].next)
        }
    }

    private func operation(
        at object: Int, _ patch: Span<UInt8>
    ) throws(PatchFailure) -> PatchOperation {
        guard entries[object].kind == .object else {
            throw PatchFailure(.syntax, "An operation is an object.")
        }
        let members = members(of: object, patch)
        let kind = try kind(members.op, patch)
        guard let path = members.path.flatMap(text) else {
            throw PatchFailure(.syntax, "The operation has no path that is a string.")
        }
        var operation = PatchOperation(
            kind: kind, range: range(at: object), path: path, value: nil, valueDepth: 0,
            before: nil)
        if kind == .remove { return operation }
        guard let value = members.value else {
            throw PatchFailure(.syntax, "The operation has no value.")
        }
        operation.value = range(at: value)
        operation.valueDepth = depth(of: value)
        guard kind == .add, let before = members.before else { return operation }
        operation.before = text(before)
        guard operation.before != nil else {
            throw PatchFailure(.syntax, "The member \"before\" is not a string.")
        }
        return operation
    }

    private struct Members {
        var op: Int?
        var path: Int?
        var value: Int?
        var before: Int?
    }

    /// The entries of the members' values; others are ignored (RFC 6902 §4).
    private func members(of object: Int, _ patch: Span<UInt8>) -> Members {
        var members = Members()
        var name = object + 1
        for _ in 0..<entries[object].count {
            if isText(name, "op", patch) {
                members.op = name + 1
            } else if isText(name, "path", patch) {
                members.path = name + 1
            } else if isText(name, "value", patch) {
                members.value = name + 1
            } else if isText(name, "before", patch) {
                members.before = name + 1
            }
            name = Int(entries[name + 1].next)
        }
        return members
    }

    private func kind(
        _ entry: Int?, _ patch: Span<UInt8>
    ) throws(PatchFailure) -> PatchOperation.Kind {
        guard let entry, text(entry) != nil else {
            throw PatchFailure(.syntax, "The operation has no op that is a string.")
        }
        if isText(entry, "replace", patch) { return .replace }
        if isText(entry, "add", patch) { return .add }
        if isText(entry, "remove", patch) { return .remove }
        throw PatchFailure(.unsupported, "Only add, remove and replace are understood.")
    }

    @inline(__always)
    private func isText(_ index: Int, _ name: StaticString, _ patch: Span<UInt8>) -> Bool {
        let entry = entries[index]
        guard entry.kind == .string else {
            return entry.kind == .escapedString && isEscapedText(entry, name, patch)
        }
        guard Int(entry.end - entry.start) == name.utf8CodeUnitCount else { return false }
        var position = Int(entry.start)
        for byte in name.description.utf8 {
            guard patch[position] == byte else { return false }
            position += 1
        }
        return true
    }

    @inline(never)
    private func isEscapedText(
        _ entry: JSONTape.Entry, _ name: StaticString, _ patch: Span<UInt8>
    ) -> Bool {
        let inside = patch.extracting(Int(entry.start)..<Int(entry.end))
        return JSONText.equal(inside, isEscaped: true, to: name.description)
    }

    /// The string at this entry; nil if it is something else.
    private func text(_ index: Int) -> PatchOperation.Text? {
        let entry = entries[index]
        guard entry.kind == .string || entry.kind == .escapedString else { return nil }
        return PatchOperation.Text(
            range: Int(entry.start)..<Int(entry.end), isEscaped: entry.kind == .escapedString)
    }

    /// The path of an operation that may lack one, for a message.
    private func path(at entry: Int, _ patch: Span<UInt8>) -> String {
        guard entries[entry].kind == .object,
            let path = members(of: entry, patch).path.flatMap(text)
        else { return "" }
        return String(decoding: path.unescaped(patch), as: UTF8.self)
    }

    /// The value with its quotes or brackets.
    private func range(at index: Int) -> Range<Int> {
        let entry = entries[index]
        return entry.kind == .string || entry.kind == .escapedString
            ? Int(entry.start) - 1..<Int(entry.end) + 1 : Int(entry.start)..<Int(entry.end)
    }

    private func depth(of value: Int) -> Int {
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
