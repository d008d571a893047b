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
        var isEscaped = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return (start..<position - 1, isEscaped)
            case UInt8(ascii: "\\"):
                isEscaped = true
                position += 2
            default:
                position += 1
            }
        }
        return nil
    }

    private mutating func skipContainer(_ bytes: Span<UInt8>) -> Bool {
        var depth = 0
        while let byte = next(bytes) {
            switch byte {
            case UInt8(ascii: "\""):
                guard string(bytes) != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return true }
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
}

extension JSONScanner {
    /// The name or index of the last thing begun in a container that is still being written.
    static func lastToken(in container: Span<UInt8>) -> String? {
        var scanner = JSONScanner()
        if scanner.skip(UInt8(ascii: "["), container) {
            var index = 0
            while scanner.value(container) != nil, scanner.skip(UInt8(ascii: ","), container) {
                index += 1
            }
            return index.description
        }
        guard scanner.skip(UInt8(ascii: "{"), container) else { return nil }
        var last: String?
        while let (range, isEscaped) = scanner.string(container) {
            last = JSONText.string(container.extracting(range), isEscaped: isEscaped)
            guard scanner.skip(UInt8(ascii: ":"), container), scanner.value(container) != nil else {
                break
            }
            guard scanner.skip(UInt8(ascii: ","), container) else { break }
        }
        return last
    }
}
