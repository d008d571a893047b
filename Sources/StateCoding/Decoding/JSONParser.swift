/// One pass over JSON text, without recursion: checks it and writes the entries of a
/// ``JSONTape``.
struct JSONParser {
    struct Fault: Error {
        var reason: DecodingFailure.Reason
        var offset: Int
        var detail: String
    }

    let maximumDepth: Int
    var entries: [JSONTape.Entry]
    var position = 0
    /// The innermost open container; −1 if there is none. While one is open, `end` of its entry
    /// holds the container around it, plus one.
    private var current = -1
    /// The innermost container is an object, and its members or elements so far; what is around it
    /// keeps its own in its entry.
    private var isObject = false
    private var count: UInt32 = 0
    private var depth = 0

    /// The entry of the innermost value that had been entered.
    var innermost: Int { max(entries.count - 1, 0) }

    /// Writes into the storage of `entries`, which are empty.
    init(maximumDepth: Int, entries: consuming [JSONTape.Entry] = []) {
        self.maximumDepth = maximumDepth
        self.entries = entries
    }

    /// Parses the whole text; the answer is what is wrong with it.
    mutating func parse(_ bytes: Span<UInt8>) -> Fault? {
        precondition(entries.isEmpty && position == 0, "A parser reads one text.")
        guard bytes.count < Int(Int32.max) else {
            return Fault(reason: .syntax, offset: 0, detail: "The text is too long.")
        }
        entries.reserveCapacity(min(bytes.count / 6 + 4, 1 << 20))
        do {
            try parseDocument(bytes)
            return nil
        } catch {
            return error
        }
    }

    private mutating func parseDocument(_ bytes: Span<UInt8>) throws(Fault) {
        try value(bytes)
        while current >= 0 {
            if isObject { try continueObject(bytes) } else { try continueArray(bytes) }
        }
        skipSpace(bytes)
        guard position == bytes.count else { throw syntax("Nothing may follow the value.") }
    }

    /// One scalar, or the opening of a container.
    private mutating func value(_ bytes: Span<UInt8>) throws(Fault) {
        skipSpace(bytes)
        guard position < bytes.count else { throw syntax("A value is missing at the end.") }
        switch bytes[position] {
        case UInt8(ascii: "\""): try string(bytes)
        case UInt8(ascii: "{"): try begin(.object)
        case UInt8(ascii: "["): try begin(.array)
        case UInt8(ascii: "t"): try literal("true", .yes, bytes)
        case UInt8(ascii: "f"): try literal("false", .no, bytes)
        case UInt8(ascii: "n"): try literal("null", .null, bytes)
        default: try number(bytes)
        }
    }

    private mutating func begin(_ kind: JSONTape.Kind) throws(Fault) {
        guard depth < maximumDepth else {
            let detail = "Nested deeper than \(maximumDepth) levels."
            throw Fault(reason: .tooDeep, offset: position, detail: detail)
        }
        if current >= 0 { entries[current].count = count }
        append(kind, from: position, to: current + 1)
        current = entries.count - 1
        entries[current].next = .max
        isObject = kind == .object
        count = 0
        depth += 1
        position += 1
    }

    private mutating func end(_ bytes: Span<UInt8>) throws(Fault) {
        precondition(current >= 0, "Only a container that is open ends.")
        depth -= 1
        let container = current
        current = Int(entries[container].end) - 1
        entries[container].end = UInt32(truncatingIfNeeded: position)
        entries[container].next = UInt32(truncatingIfNeeded: entries.count)
        entries[container].count = count
        if isObject, count > 1 { try checkNames(of: container, bytes) }
        guard current >= 0 else { return }
        isObject = entries[current].kind == .object
        count = entries[current].count
    }

    /// From behind `{`, or behind a member, to the end or into the next member's value.
    private mutating func continueObject(_ bytes: Span<UInt8>) throws(Fault) {
        let container = current
        while current == container {
            skipSpace(bytes)
            if skip(UInt8(ascii: "}"), bytes) { return try end(bytes) }
            if count > 0 {
                guard skip(UInt8(ascii: ","), bytes) else {
                    throw syntax("A comma or } is missing.")
                }
                skipSpace(bytes)
            }
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw syntax("A member's name in quotes is missing.")
            }
            try string(bytes)
            skipSpace(bytes)
            guard skip(UInt8(ascii: ":"), bytes) else { throw syntax("A colon is missing.") }
            count += 1
            try value(bytes)
        }
    }

    private mutating func continueArray(_ bytes: Span<UInt8>) throws(Fault) {
        let container = current
        while current == container {
            skipSpace(bytes)
            if skip(UInt8(ascii: "]"), bytes) { return try end(bytes) }
            guard count == 0 || skip(UInt8(ascii: ","), bytes) else {
                throw syntax("A comma or ] is missing.")
            }
            count += 1
            try value(bytes)
        }
    }

    @inline(__always)
    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    @inline(__always)
    private mutating func skip(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func literal(
        _ text: StaticString, _ kind: JSONTape.Kind, _ bytes: Span<UInt8>
    ) throws(Fault) {
        let start = position
        for byte in text.description.utf8 {
            guard skip(byte, bytes) else { throw syntax("No JSON value starts like this.") }
        }
        append(kind, from: start, to: position)
    }

    @inline(__always)
    mutating func append(_ kind: JSONTape.Kind, from start: Int, to end: Int) {
        entries.append(
            JSONTape.Entry(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: entries.count + 1), count: 0, kind: kind))
    }

    func syntax(_ detail: String) -> Fault {
        Fault(reason: .syntax, offset: position, detail: detail)
    }
}
