import Bytes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A parsed document: its bytes, and an entry for each value and each member's name in the order
/// in which they stand.
///
///     {"a":[1,"b"]}
///     0 object 0..<13 next 5    1 string 2..<3    2 array 5..<12 next 5    3 number    4 string
struct JSONTape: Sendable {
    /// What an entry is. No raw values: comparing kinds that have them is a generic call.
    enum Kind: Sendable {
        case object, array, string, escapedString, integer, number, yes, no, null

        var isString: Bool { self == .string || self == .escapedString }
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
        if var fault {
            fault.pointer = pointer(toEntryAt: parser.innermost)
            throw fault
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
        entries[index].kind == .escapedString && string(at: index).utf8.elementsEqual(text.utf8)
    }

    /// The value of an object's member: its entry. Looks first at `hint`, the entry where the
    /// search should start, and goes around.
    func member(_ name: String, of object: Int, from hint: Int) -> Int? {
        precondition(entries[object].kind == .object, "Only an object has members.")
        let first = object + 1
        let end = Int(entries[object].next)
        let text = name.utf8Span.span
        var index = (first..<end).contains(hint) ? hint : first
        for _ in 0..<entries[object].count {
            if isString(at: index, name, text) { return index + 1 }
            index = Int(entries[index + 1].next)
            if index >= end { index = first }
        }
        return nil
    }

    /// The entries of an array's elements, or of the values of an object's members, each of which
    /// stands behind its name.
    func children(of container: Int) -> [Int] {
        let nameCount = entries[container].kind == .object ? 1 : 0
        var next = container + 1
        return (0..<entries[container].count).map { _ in
            let child = next + nameCount
            next = Int(entries[child].next)
            return child
        }
    }

    /// The way from the root to an entry.
    func pointer(toEntryAt target: Int) -> JSONPointer {
        var way = Way()
        lead(&way, to: target)
        return JSONPointer(tokens: way.tokens)
    }

    /// A way from the root, which the next one goes on from.
    struct Way {
        /// The entry with which a child begins, of a member its name, and its place among them.
        fileprivate typealias Step = (container: Int, child: Int, position: Int)

        fileprivate var steps: [Step] = []
        fileprivate(set) var tokens: [String] = []
    }

    /// Has a way lead from the root to an entry. Children that it has gone through already it does not go
    /// through again, so that the ways to one element after the other take no longer than the elements.
    func lead(_ way: inout Way, to target: Int) {
        precondition(target >= 0, "The way leads to an entry.")
        var (container, level) = (0, 0)
        while container < target, container < entries.count {
            let known = level < way.steps.count ? way.steps[level] : nil
            var step: Way.Step = (container, container + 1, 0)
            if let known, known.container == container, known.child <= target { step = known }
            guard lead(&step, toward: target) else { break }
            let isObject = entries[container].kind == .object
            if known?.container != container || known?.child != step.child {
                way.steps.removeSubrange(level...)
                way.tokens.removeSubrange(level...)
                way.steps.append(step)
                way.tokens.append(isObject ? string(at: step.child) : step.position.description)
            }
            container = isObject ? step.child + 1 : step.child
            level += 1
        }
        way.steps.removeSubrange(level...)
        way.tokens.removeSubrange(level...)
    }

    /// Goes on to the child of a container that is or holds `target`.
    private func lead(_ step: inout Way.Step, toward target: Int) -> Bool {
        let isObject = entries[step.container].kind == .object
        guard isObject || entries[step.container].kind == .array else { return false }
        while step.child < entries.count {
            let value = isObject ? step.child + 1 : step.child
            let next = value < entries.count ? Int(entries[value].next) : entries.count
            if target < next || next <= step.child || value >= entries.count { return true }
            step.child = next
            step.position += 1
        }
        return false
    }

    /// The number at this entry as an integer, exact; nil if it is not one or does not fit.
    /// `1.0` and `1e2` are integers too.
    func integer<Integer: FixedWidthInteger>(at index: Int, _ type: Integer.Type) -> Integer? {
        let entry = entries[index]
        switch entry.kind {
        case .integer: return digits(Int(entry.start)..<Int(entry.end))
        case .number:
            guard let digits = shifted(Int(entry.start)..<Int(entry.end)) else { return nil }
            return Self.integer(digits)
        default: return nil
        }
    }

    /// The digits of the integer that a number with a point or an exponent stands for: none is
    /// rounded away.
    private func shifted(_ range: Range<Int>) -> String? {
        let parts = bytes[range].split { $0 | 0x20 == UInt8(ascii: "e") }
        let number = parts[0].split(separator: UInt8(ascii: "."))
        let fraction = number.count > 1 ? number[1] : []
        var digits = Array((number[0] + fraction).drop { $0 == UInt8(ascii: "-") })
        digits.trimPrefix { $0 == UInt8(ascii: "0") }
        guard !digits.isEmpty else { return "0" }
        // An exponent beyond all integers stands for none of them, whatever the digits.
        let exponent = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) : 0
        guard var shift = exponent, shift.magnitude < 1 << 32 else { return nil }
        shift -= fraction.count
        while shift < 0, digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            shift += 1
        }
        guard shift >= 0, digits.count + shift <= Self.greatestDigitCount else { return nil }
        digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: shift))
        let sign = bytes[range.lowerBound] == UInt8(ascii: "-") ? "-" : ""
        return sign + String(decoding: digits, as: UTF8.self)
    }

    private static func integer<Integer: FixedWidthInteger>(_ digits: String) -> Integer? {
        if let value = Int128(digits) { return Integer(exactly: value) }
        guard let value = UInt128(digits) else { return nil }
        return Integer(exactly: value)
    }

    /// As many as the widest integer type has.
    private static var greatestDigitCount: Int { 39 }

    private func digits<Integer: FixedWidthInteger>(_ range: Range<Int>) -> Integer? {
        let text = bytes.span.extracting(range)
        let isNegative = text[0] == UInt8(ascii: "-")
        var magnitude: UInt64 = 0
        for index in (isNegative ? 1 : 0)..<text.count {
            let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: 10)
            let digit = UInt64(text[index] &- 0x30)
            let (sum, isOver) = product.addingReportingOverflow(digit)
            guard !isTooLarge, !isOver else {
                return Self.integer(JSONText.string(text, isEscaped: false))
            }
            magnitude = sum
        }
        guard isNegative else { return Integer(exactly: magnitude) }
        if let small = Int64(exactly: magnitude) { return Integer(exactly: -small) }
        return Integer(exactly: -Int128(magnitude))
    }

    /// `true` or `false` at this entry; nil if it is neither.
    func bool(at index: Int) -> Bool? {
        let kind = entries[index].kind
        return kind == .yes ? true : kind == .no ? false : nil
    }

    /// The place of the number at this entry; nil if it is none.
    private func number(at index: Int) -> Range<Int>? {
        let entry = entries[index]
        guard entry.kind == .integer || entry.kind == .number else { return nil }
        return Int(entry.start)..<Int(entry.end)
    }

    private func text(in range: Range<Int>) -> String {
        JSONText.string(bytes.span.extracting(range), isEscaped: false)
    }

    /// The number at this entry, correctly rounded; nil if it is none or too large.
    func double(at index: Int) -> Double? {
        guard let range = number(at: index) else { return nil }
        if let exact = Self.exactDouble(bytes.span.extracting(range)) { return exact }
        let number = Double(text(in: range))
        return number?.isFinite == true ? number : nil
    }

    /// The number at this entry as a `Float`, rounded once.
    func float(at index: Int) -> Float? {
        let number = number(at: index).flatMap { Float(text(in: $0)) }
        return number?.isFinite == true ? number : nil
    }

    /// The number at this entry with all its digits (38 at most).
    func decimal(at index: Int) -> Decimal? {
        number(at: index).flatMap { Decimal(string: text(in: $0)) }
    }

    /// Up to 2⁵³ and 10²² both factors are exact, so that one operation rounds correctly
    /// (W. D. Clinger, How to Read Floating Point Numbers Accurately).
    private static func exactDouble(_ text: Span<UInt8>) -> Double? {
        var mantissa: UInt64 = 0
        var fraction = 0
        var isFraction = false
        let isNegative = text[0] == UInt8(ascii: "-")
        guard text.count <= 18 else { return nil }
        for index in (isNegative ? 1 : 0)..<text.count {
            switch text[index] {
            case UInt8(ascii: "."): isFraction = true
            case let byte where byte >= 0x30 && byte <= 0x39:
                mantissa = mantissa &* 10 &+ UInt64(byte - 0x30)
                if isFraction { fraction += 1 }
            default: return nil
            }
        }
        guard mantissa <= 1 << 53, fraction < powersOfTen.count else { return nil }
        let magnitude = Double(mantissa) / powersOfTen[fraction]
        return isNegative ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}

/// A JSON value that is looked into by name and index, without a type to decode: what a test or a
/// tool reads of an answer.
package struct JSONValue: Sendable {
    let tape: JSONTape
    let index: Int

    /// Reads strict JSON (RFC 8259): the whole document.
    package init(
        parsing bytes: Span<UInt8>, maximumDepth: Int = 128
    ) throws(DecodingFailure) {
        tape = try JSONTape(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
        index = 0
    }

    /// States and actions nest 128 levels each. The most that this house writes around one are the list, the
    /// entry, the patch and the operation of a page of the log.
    package static let writtenDepth = 128 + 4

    /// Reads what this house itself has written.
    package init(written bytes: Span<UInt8>) throws(DecodingFailure) {
        try self.init(parsing: bytes, maximumDepth: Self.writtenDepth)
    }

    /// Reads a line that others may have edited, and has it compact: what is taken out of it is one line, too.
    package init(
        line: Span<UInt8>, maximumDepth: Int = JSONValue.writtenDepth
    ) throws(DecodingFailure) {
        try self.init(parsing: line, maximumDepth: maximumDepth)
        let compact = JSONText.compact(line)
        if compact.count < line.count {
            try self.init(parsing: compact.span, maximumDepth: maximumDepth)
        }
    }

    private init(_ tape: JSONTape, at index: Int) { (self.tape, self.index) = (tape, index) }

    private var entry: JSONTape.Entry { tape.entries[index] }

    /// The member of an object; nil if this is no object or has none of this name.
    package subscript(name: String) -> JSONValue? {
        guard entry.kind == .object else { return nil }
        return tape.member(name, of: index, from: 0).map { JSONValue(tape, at: $0) }
    }

    /// The elements if this is an array.
    package var elements: [JSONValue]? {
        guard entry.kind == .array else { return nil }
        return tape.children(of: index).map { JSONValue(tape, at: $0) }
    }

    /// The members in their order if this is an object.
    package var members: [(name: String, value: JSONValue)]? {
        guard entry.kind == .object else { return nil }
        return tape.children(of: index).map {
            (tape.string(at: $0 - 1), JSONValue(tape, at: $0))
        }
    }

    /// The value is an object.
    var isObject: Bool { entry.kind == .object }

    /// The text if this is a string.
    package var string: String? {
        entry.kind.isString ? tape.string(at: index) : nil
    }

    /// The number if this is an integer that fits.
    package var integer: Int? { tape.integer(at: index, Int.self) }

    /// The value of `true` or `false`; nil where it is neither.
    package var bool: Bool? { tape.bool(at: index) }

    /// The value's place in the document's bytes.
    package var range: Range<Int> { tape.range(at: index) }

    /// The value's text.
    package var json: [UInt8] { Array(tape.bytes[range]) }

    /// Appends the value on lines, a member or an element a line; what has none inside is appended by `show`.
    ///
    /// - Parameter limit: where the text has more bytes, the rest of the value is left out.
    /// - Returns: the text has no more bytes than that, and is whole.
    @discardableResult
    package func write(
        to text: inout [UInt8], behind indent: Int = 0, limit: Int = .max,
        _ show: (_ text: inout [UInt8], _ json: ArraySlice<UInt8>, _ isName: Bool) -> Void
    ) -> Bool {
        let isContainer = isObject || entry.kind == .array
        let children = isContainer ? tape.children(of: index) : []
        guard !children.isEmpty else {
            show(&text, tape.bytes[range], false)
            return text.count <= limit
        }
        let spaces = repeatElement(UInt8(ascii: " "), count: indent)
        text.append(UInt8(ascii: isObject ? "{" : "["))
        for child in children where text.count <= limit {
            text += (child == children[0] ? "\n  " : ",\n  ").utf8
            text += spaces
            if isObject {
                show(&text, tape.bytes[tape.range(at: child - 1)], true)
                text += ": ".utf8
            }
            JSONValue(tape, at: child).write(to: &text, behind: indent + 2, limit: limit, show)
        }
        text.append(UInt8(ascii: "\n"))
        text += spaces
        text.append(UInt8(ascii: isObject ? "}" : "]"))
        return text.count <= limit
    }
}
