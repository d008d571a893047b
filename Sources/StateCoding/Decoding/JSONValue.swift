import Bytes

/// One value of a ``JSONDocument``.
package struct JSONValue: Sendable {
    let tape: JSONTape
    let index: Int

    private var entry: JSONTape.Entry { tape.entries[index] }

    /// The member of an object; nil if this is no object or has none of this name.
    package subscript(name: String) -> JSONValue? {
        guard entry.kind == .object else { return nil }
        return tape.member(name, of: index, from: 0).map { JSONValue(tape: tape, index: $0) }
    }

    /// The elements if this is an array.
    package var elements: [JSONValue]? {
        guard entry.kind == .array else { return nil }
        var result: [JSONValue] = []
        var child = index + 1
        for _ in 0..<entry.count {
            result.append(JSONValue(tape: tape, index: child))
            child = Int(tape.entries[child].next)
        }
        return result
    }

    /// The members in their order if this is an object.
    package var members: [(name: String, value: JSONValue)]? {
        guard entry.kind == .object else { return nil }
        var result: [(name: String, value: JSONValue)] = []
        var child = index + 1
        for _ in 0..<entry.count {
            result.append((tape.string(at: child), JSONValue(tape: tape, index: child + 1)))
            child = Int(tape.entries[child + 1].next)
        }
        return result
    }

    /// The text if this is a string.
    package var string: String? {
        entry.kind == .string || entry.kind == .escapedString ? tape.string(at: index) : nil
    }

    /// The number if this is an integer that fits.
    package var integer: Int? { tape.integer(at: index, Int.self) }

    /// The number if this is one.
    package var double: Double? { tape.double(at: index) }

    /// The value of `true` or `false`; nil where it is neither.
    package var bool: Bool? {
        switch entry.kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    /// The value is `null`.
    package var isNull: Bool { entry.kind == .null }

    /// The value's place in the document's bytes.
    package var range: Range<Int> { tape.range(at: index) }

    /// The value's text.
    package var json: [UInt8] { Array(tape.bytes[range]) }
}
