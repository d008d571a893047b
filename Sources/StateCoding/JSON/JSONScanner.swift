import Bytes

/// Finds its way in bytes that are believed to be JSON: linear, without recursion, and without a
/// trap if they are not.
///
/// The bytes are given to each call: they must be the same ones each time.
struct JSONScanner {
    var position = 0

    /// The byte here, after white space; nil at the end.
    mutating func next(_ bytes: Span<UInt8>) -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case let byte: return byte
            }
        }
        return nil
    }

    /// Steps over `byte` if it stands here.
    mutating func skip(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard next(bytes) == byte else { return false }
        position += 1
        return true
    }

    /// The range of one value; the position is behind it.
    mutating func value(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard let first = next(bytes) else { return nil }
        let start = position
        switch first {
        case UInt8(ascii: "\""):
            guard string(bytes) != nil else { return nil }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard skipContainer(bytes) else { return nil }
        default:
            skipScalar(bytes)
        }
        return position > start ? start..<position : nil
    }

    /// The inside of a string and whether it has escapes; the position is behind it.
    mutating func string(_ bytes: Span<UInt8>) -> (range: Range<Int>, isEscaped: Bool)? {
        guard skip(UInt8(ascii: "\""), bytes) else { return nil }
        let start = position
        let isEscaped = Self.endString(&position, bytes)
        return isEscaped.map { (start..<position - 1, $0) }
    }

    /// Moves from the inside of a string behind its end; answers whether it has escapes, with nil where it
    /// does not end.
    @inline(__always)
    private static func endString(_ place: inout Int, _ bytes: Span<UInt8>) -> Bool? {
        var isEscaped = false
        while place < bytes.count {
            let byte = bytes[place]
            place &+= 1
            if byte == UInt8(ascii: "\"") { return isEscaped }
            guard byte == UInt8(ascii: "\\") else { continue }
            isEscaped = true
            place &+= 1
        }
        return nil
    }

    /// Looks at strings and brackets alone, by a place of its own: half the time of a selection in 1 MB.
    private mutating func skipContainer(_ bytes: Span<UInt8>) -> Bool {
        var (place, depth) = (position, 0)
        defer { position = place }
        while place < bytes.count {
            let byte = bytes[place]
            place &+= 1
            if byte == UInt8(ascii: "\"") {
                guard Self.endString(&place, bytes) != nil else { return false }
            } else if byte | 0x20 == UInt8(ascii: "{") {
                // Of this bit brackets and braces differ.
                depth &+= 1
            } else if byte | 0x20 == UInt8(ascii: "}") {
                depth &-= 1
                if depth == 0 { return true }
            }
        }
        return false
    }

    private mutating func skipScalar(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"),
                0x20, 0x09, 0x0A, 0x0D:
                return
            default: position += 1
            }
        }
    }

    /// The name or index of the last thing begun in a container that is still being written.
    static func lastToken(in container: Span<UInt8>) -> String? {
        var last: String?
        var items = ItemScanner(JSONScanner(), container)
        while let item = items.next(container) {
            let name = container.extracting(item.name)
            last =
                items.isObject
                ? JSONText.string(name, isEscaped: item.isEscaped) : "\(items.count - 1)"
            if items.scanner.value(container) == nil { break }
        }
        return last
    }
}

/// Goes through the members of an object, or the elements of an array.
struct ItemScanner {
    /// Whoever asks for an item moves it over the item's value before the next one is asked for.
    var scanner: JSONScanner
    let isObject: Bool
    /// The number of items that were found.
    private(set) var count = 0
    /// The bracket behind the last one has been passed.
    private(set) var isWhole = false

    /// Begins in front of the container.
    init(_ scanner: JSONScanner, _ bytes: Span<UInt8>) {
        self.scanner = scanner
        isObject = self.scanner.next(bytes) == UInt8(ascii: "{")
    }

    /// Where the next item begins, and a member's name without its quotes; nil behind the last, and
    /// where none can be read.
    mutating func next(
        _ bytes: Span<UInt8>
    ) -> (start: Int, name: Range<Int>, isEscaped: Bool)? {
        let opening = isObject ? UInt8(ascii: "{") : UInt8(ascii: "[")
        let isSeparated = scanner.skip(count == 0 ? opening : UInt8(ascii: ","), bytes)
        if count > 0 ? !isSeparated : isSeparated {
            isWhole = scanner.skip(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), bytes)
        }
        guard isSeparated, !isWhole else { return nil }
        _ = scanner.next(bytes)
        let start = scanner.position
        count += 1
        guard isObject else { return (start, start..<start, false) }
        guard let (name, isEscaped) = scanner.string(bytes), scanner.skip(UInt8(ascii: ":"), bytes)
        else { return nil }
        return (start, name, isEscaped)
    }
}

/// The text of JSON, and the inside of its strings.
package enum JSONText {
    /// The text of the inside of a string; wrong escapes become U+FFFD.
    static func string(_ text: Span<UInt8>, isEscaped: Bool) -> String {
        if isEscaped { return String(decoding: unescape(text), as: UTF8.self) }
        if let valid = try? UTF8Span(validating: text) { return String(copying: valid) }
        return String(decoding: [UInt8](copying: text), as: UTF8.self)
    }

    /// The bytes that the inside of a string stands for.
    static func bytes(_ text: Span<UInt8>, isEscaped: Bool) -> [UInt8] {
        isEscaped ? unescape(text) : [UInt8](copying: text)
    }

    /// The bytes that the escapes stand for.
    static func unescape(_ text: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < text.count else {
                result.append(byte)
                continue
            }
            let mark = text[index]
            index += 1
            if mark == UInt8(ascii: "u") {
                appendScalar(text, &index, to: &result)
            } else {
                result.append(plain(mark))
            }
        }
        return result
    }

    private static func plain(_ mark: UInt8) -> UInt8 {
        switch mark {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: mark
        }
    }

    private static func appendScalar(
        _ text: Span<UInt8>, _ index: inout Int, to result: inout [UInt8]
    ) {
        guard var code = codeUnit(text, at: index) else {
            return result.append(contentsOf: "\u{FFFD}".utf8)
        }
        index += 4
        let isPairBegun = (0xD800..<0xDC00).contains(code)
        if isPairBegun, index + 1 < text.count, text[index] == UInt8(ascii: "\\"),
            text[index + 1] == UInt8(ascii: "u"), let low = codeUnit(text, at: index + 2),
            (0xDC00..<0xE000).contains(low)
        {
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            index += 6
        }
        let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// The value of four hexadecimal digits.
    static func codeUnit(_ text: Span<UInt8>, at start: Int) -> UInt32? {
        precondition(start >= 0, "The digits stand within the text.")
        guard start + 4 <= text.count else { return nil }
        var code: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = Hexadecimal.value(of: text[index]) else { return nil }
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    /// The same bytes without the white space that stands outside of strings; what is no JSON stays
    /// none.
    package static func compact(_ text: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var scanner = JSONScanner()
        // What has no white space in it is copied at once.
        var (start, end) = (0, 0)
        while let byte = scanner.next(text) {
            if scanner.position > end {
                output.append(copying: text.extracting(start..<end))
                (start, end) = (scanner.position, scanner.position)
            }
            if byte != UInt8(ascii: "\"") {
                scanner.position = end + 1
            } else if scanner.string(text) == nil {
                scanner.position = text.count
            }
            end = scanner.position
        }
        output.append(copying: text.extracting(start..<end))
        return output
    }
}
