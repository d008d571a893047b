import Bytes

/// A parsed document: its bytes, and an entry for each value and each member's name in the order
/// in which they stand.
///
///     {"a":[1,"b"]}
///     0 object 0..<13 next 5    1 string 2..<3    2 array 5..<12 next 5    3 number    4 string
struct JSONTape: Sendable {
    /// What an entry is. No raw values: comparing kinds that have them is a generic call.
    enum Kind: Sendable {
        case object, array, string, escapedString, integer, number, yes, no, null
    }

    struct Entry: Sendable {
        /// The value's place; for strings that of the inside, without quotes.
        var start: UInt32
        var end: UInt32
        /// The entry behind this value.
        var next: UInt32
        /// Members or elements of a container.
        var count: UInt32
        var kind: Kind
    }

    var bytes: [UInt8]
    var entries: [Entry]

    /// Parses strict JSON (RFC 8259): UTF-8, no member named twice, nothing behind the value.
    ///
    /// Writes into the storage of `entries`, which are empty.
    init(
        parsing bytes: [UInt8], into entries: consuming [Entry] = [], maximumDepth: Int
    ) throws(DecodingFailure) {
        var parser = JSONParser(maximumDepth: maximumDepth, entries: entries)
        let fault = parser.parse(bytes.span)
        self.bytes = bytes
        self.entries = parser.entries
        precondition(fault != nil || !self.entries.isEmpty, "A document that is whole has a value.")
        if let fault {
            throw DecodingFailure(
                reason: fault.reason, pointer: pointer(toEntryAt: parser.innermost),
                offset: fault.offset, detail: fault.detail)
        }
    }

    /// The range of the value with its quotes or brackets.
    func range(at index: Int) -> Range<Int> {
        let entry = entries[index]
        switch entry.kind {
        case .string, .escapedString: return Int(entry.start) - 1..<Int(entry.end) + 1
        default: return Int(entry.start)..<Int(entry.end)
        }
    }

    /// The text of the string at this entry.
    func string(at index: Int) -> String {
        let entry = entries[index]
        precondition(entry.start <= entry.end, "The inside of a string ends behind its beginning.")
        let text = bytes.span.extracting(Int(entry.start)..<Int(entry.end))
        return JSONText.string(text, isEscaped: entry.kind == .escapedString)
    }

    /// The string at this entry means `text`.
    @inline(__always)
    private func isString(at index: Int, _ string: String, _ text: Span<UInt8>) -> Bool {
        let entry = entries[index]
        guard entry.kind == .string else { return isEscapedString(at: index, string) }
        guard Int(entry.end) - Int(entry.start) == text.count else { return false }
        return bytes.span.extracting(Int(entry.start)..<Int(entry.end)).elementsEqual(text)
    }

    @inline(never)
    private func isEscapedString(at index: Int, _ text: String) -> Bool {
        let entry = entries[index]
        let inside = bytes.span.extracting(Int(entry.start)..<Int(entry.end))
        return JSONText.equal(inside, isEscaped: entry.kind == .escapedString, to: text)
    }

    /// The value of an object's member: its entry. Looks first at `hint`, the entry where the
    /// search should start, and goes around.
    func member(_ name: String, of object: Int, from hint: Int) -> Int? {
        precondition(entries[object].kind == .object, "Only an object has members.")
        let first = object + 1
        let end = Int(entries[object].next)
        let text = name.utf8Span.span
        var index = hint > object && hint < end ? hint : first
        for _ in 0..<entries[object].count {
            if isString(at: index, name, text) { return index + 1 }
            index = Int(entries[index + 1].next)
            if index >= end { index = first }
        }
        return nil
    }

    /// The way from the root to an entry.
    func pointer(toEntryAt target: Int) -> JSONPointer {
        precondition(target >= 0, "The way leads to an entry.")
        var tokens: [String] = []
        var container = 0
        while container < target, container < entries.count {
            guard let (token, value) = step(into: container, toward: target) else { break }
            tokens.append(token)
            container = value
        }
        return JSONPointer(tokens: tokens)
    }

    /// The child of a container that is or holds `target`.
    private func step(into container: Int, toward target: Int) -> (token: String, value: Int)? {
        let isObject = entries[container].kind == .object
        guard isObject || entries[container].kind == .array else { return nil }
        var index = container + 1
        var position = 0
        while index < entries.count {
            let value = isObject ? index + 1 : index
            let next = value < entries.count ? Int(entries[value].next) : entries.count
            if target < next || next <= index || value >= entries.count {
                let token = isObject ? string(at: index) : position.description
                return (token, max(value, index))
            }
            index = next
            position += 1
        }
        return nil
    }
}
