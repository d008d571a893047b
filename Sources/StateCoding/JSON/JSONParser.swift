import Bytes

/// One pass over JSON text, without recursion: checks it and writes the entries of a
/// ``JSONTape``.
struct JSONParser {
    let maximumDepth: Int
    let refusesRepeatedNames: Bool
    var entries: [JSONTape.Entry]
    var position: Int
    /// The innermost open container; −1 if there is none. While one is open, `end` of its entry
    /// holds the container around it, plus one.
    private var current: Int
    /// The innermost container is an object, and its members or elements so far; what is around it
    /// keeps its own in its entry.
    private var isObject: Bool
    private var count: UInt32
    private var depth: Int

    /// The entry of the innermost value that had been entered.
    var innermost: Int { max(entries.count - 1, 0) }

    /// Writes into the storage of `entries`, which are empty.
    init(
        maximumDepth: Int, entries: consuming [JSONTape.Entry] = [],
        refusesRepeatedNames: Bool = true
    ) {
        self.maximumDepth = maximumDepth
        self.refusesRepeatedNames = refusesRepeatedNames
        self.entries = entries
        position = 0
        current = -1
        isObject = false
        count = 0
        depth = 0
    }

    /// Parses the whole text; the answer is what is wrong with it.
    mutating func parse(_ bytes: Span<UInt8>) -> DecodingFailure? {
        precondition(entries.isEmpty, "A parser reads one text.")
        guard bytes.count < Int(Int32.max) else {
            return syntax("The text is too long.")
        }
        entries.reserveCapacity(min(bytes.count / 6 + 4, 1 << 20))
        do throws(DecodingFailure) {
            try value(bytes)
            while current >= 0 {
                if isObject { try continueObject(bytes) } else { try continueArray(bytes) }
            }
            skipSpace(bytes)
            return position == bytes.count ? nil : syntax("Nothing may follow the value.")
        } catch {
            return error
        }
    }

    /// One scalar, or the opening of a container.
    private mutating func value(_ bytes: Span<UInt8>) throws(DecodingFailure) {
        skipSpace(bytes)
        guard position < bytes.count else { throw syntax("A value is missing at the end.") }
        switch bytes[position] {
        case UInt8(ascii: "\""): try string(bytes)
        case UInt8(ascii: "{"): try begin(.object)
        case UInt8(ascii: "["): try begin(.array)
        case UInt8(ascii: "t"): try literal("true", 0x6575_7274, .yes, bytes)
        case UInt8(ascii: "f"): try literal("false", 0x6573_6C61, .no, bytes)
        case UInt8(ascii: "n"): try literal("null", 0x6C6C_756E, .null, bytes)
        default: try number(bytes)
        }
    }

    private mutating func begin(_ kind: JSONTape.Kind) throws(DecodingFailure) {
        guard depth < maximumDepth else {
            throw DecodingFailure(
                reason: .tooDeep, pointer: JSONPointer(), offset: position,
                detail: "Nested deeper than \(maximumDepth) levels.")
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

    private mutating func end(_ bytes: Span<UInt8>) throws(DecodingFailure) {
        depth -= 1
        let container = current
        current = Int(entries[container].end) - 1
        entries[container].end = UInt32(truncatingIfNeeded: position)
        entries[container].next = UInt32(truncatingIfNeeded: entries.count)
        entries[container].count = count
        if isObject, count > 1, refusesRepeatedNames { try checkNames(of: container, bytes) }
        guard current >= 0 else { return }
        isObject = entries[current].kind == .object
        count = entries[current].count
    }

    /// From behind `{`, or behind a member, to the end or into the next member's value.
    private mutating func continueObject(_ bytes: Span<UInt8>) throws(DecodingFailure) {
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

    private mutating func continueArray(_ bytes: Span<UInt8>) throws(DecodingFailure) {
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

    /// - Parameter ending: the last four bytes, the first of them lowest; they are compared at once.
    private mutating func literal(
        _ text: StaticString, _ ending: UInt64, _ kind: JSONTape.Kind, _ bytes: Span<UInt8>
    ) throws(DecodingFailure) {
        let start = position
        position += text.utf8CodeUnitCount
        if position > bytes.count || bytes.halfWord(at: position - 4) != ending {
            position = start
            for byte in text.description.utf8 {
                guard skip(byte, bytes) else { throw syntax("No JSON value starts like this.") }
            }
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

    /// What is wrong here; the pointer to it is found on the tape.
    private func syntax(_ detail: String, at offset: Int? = nil) -> DecodingFailure {
        DecodingFailure(
            reason: .syntax, pointer: JSONPointer(), offset: offset ?? position, detail: detail)
    }

    /// A number (RFC 8259 §6).
    mutating func number(_ bytes: Span<UInt8>) throws(DecodingFailure) {
        let start = position
        var kind = JSONTape.Kind.integer
        if byte(bytes) == UInt8(ascii: "-") { position += 1 }
        if byte(bytes) == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits(bytes, "No JSON value starts like this.")
        }
        if byte(bytes) == UInt8(ascii: ".") {
            position += 1
            kind = .number
            try digits(bytes, "A digit is missing behind the point.")
        }
        if let mark = byte(bytes), mark | 0x20 == UInt8(ascii: "e") {
            position += 1
            kind = .number
            if let sign = byte(bytes), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                position += 1
            }
            try digits(bytes, "A digit is missing in the exponent.")
        }
        append(kind, from: start, to: position)
    }

    private func byte(_ bytes: Span<UInt8>) -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func digits(_ bytes: Span<UInt8>, _ detail: String) throws(DecodingFailure) {
        var index = position
        while index < bytes.count, bytes[index] &- 0x30 <= 9 { index += 1 }
        if index == position { throw syntax(detail) }
        position = index
    }

    /// A string (RFC 8259 §7) of well-formed UTF-8 (RFC 3629).
    mutating func string(_ bytes: Span<UInt8>) throws(DecodingFailure) {
        position += 1
        let start = position
        var kind = JSONTape.Kind.string
        while true {
            position = endOfPlain(bytes)
            guard position < bytes.count else { throw syntax("A string is not closed.") }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                append(kind, from: start, to: position)
                position += 1
                return
            case UInt8(ascii: "\\"):
                kind = .escapedString
                try escape(bytes)
            case let byte where byte >= 0x80: try multibyte(byte, bytes)
            default: throw syntax("A control character in a string must be escaped.")
            }
        }
    }

    /// Where the characters that mean themselves, of one byte each, end.
    @inline(__always)
    private func endOfPlain(_ bytes: Span<UInt8>) -> Int {
        var index = position
        while index < bytes.count {
            // By their codes: behind the backslash (small letters), between quote and backslash, in
            // front of the quote.
            switch bytes[index] {
            case 0x5D...0x7F, 0x23...0x5B, 0x20, 0x21: index += 1
            default: return index
            }
        }
        return index
    }

    private mutating func escape(_ bytes: Span<UInt8>) throws(DecodingFailure) {
        guard position + 1 < bytes.count else { throw syntax("A string is not closed.") }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            try codeUnits(bytes)
        default:
            throw syntax("No such escape.")
        }
    }

    /// `\uXXXX`; a surrogate must have its partner, for alone it is no text.
    private mutating func codeUnits(_ bytes: Span<UInt8>) throws(DecodingFailure) {
        guard let code = JSONText.codeUnit(bytes, at: position + 2) else {
            throw syntax("Four hexadecimal digits are missing.")
        }
        guard (0xD800..<0xE000).contains(code) else {
            position += 6
            return
        }
        guard code < 0xDC00, position + 12 <= bytes.count,
            bytes[position + 6] == UInt8(ascii: "\\"), bytes[position + 7] == UInt8(ascii: "u"),
            let low = JSONText.codeUnit(bytes, at: position + 8), (0xDC00..<0xE000).contains(low)
        else { throw syntax("Half of a surrogate pair.") }
        position += 12
    }

    /// A character of two to four bytes: neither overlong, nor a surrogate, nor past U+10FFFF.
    private mutating func multibyte(_ first: UInt8, _ bytes: Span<UInt8>) throws(DecodingFailure) {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: throw syntax("Not UTF-8.")
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else {
            throw syntax("Not UTF-8.")
        }
        for index in position + 2..<max(position + length, position + 2) {
            guard (0x80...0xBF).contains(bytes[index]) else { throw syntax("Not UTF-8.") }
        }
        position += length
    }

    /// Refuses an object that names a member twice: which one counts would be left to chance
    /// (RFC 8259 §4), and a check in front of us could have seen the other one.
    func checkNames(of object: Int, _ bytes: Span<UInt8>) throws(DecodingFailure) {
        let count = entries[object].count
        guard count <= 8 else { return try checkManyNames(of: object, bytes) }
        var index = object + 1
        for _ in 0..<count {
            if isRepeated(index, in: object, bytes) { throw repeated(index) }
            index = Int(entries[index + 1].next)
        }
    }

    private func checkManyNames(of object: Int, _ bytes: Span<UInt8>) throws(DecodingFailure) {
        let count = entries[object].count
        var seen = Set<[UInt8]>()
        seen.reserveCapacity(Int(count))
        var index = object + 1
        for _ in 0..<count {
            guard seen.insert(name(at: index, bytes)).inserted else { throw repeated(index) }
            index = Int(entries[index + 1].next)
        }
    }

    private func repeated(_ index: Int) -> DecodingFailure {
        syntax("An object names a member twice.", at: Int(entries[index].start))
    }

    @inline(__always)
    private func isRepeated(_ name: Int, in object: Int, _ bytes: Span<UInt8>) -> Bool {
        let entry = entries[name]
        var index = object + 1
        while index < name {
            let other = entries[index]
            if entry.kind == .escapedString || other.kind == .escapedString {
                if self.name(at: name, bytes) == self.name(at: index, bytes) { return true }
            } else if entry.end - entry.start == other.end - other.start {
                let left = bytes.extracting(Int(entry.start)..<Int(entry.end))
                let right = bytes.extracting(Int(other.start)..<Int(other.end))
                if left.elementsEqual(right) { return true }
            }
            index = Int(entries[index + 1].next)
        }
        return false
    }

    private func name(at index: Int, _ bytes: Span<UInt8>) -> [UInt8] {
        let text = bytes.extracting(Int(entries[index].start)..<Int(entries[index].end))
        return JSONText.bytes(text, isEscaped: entries[index].kind == .escapedString)
    }
}
