import Bytes

/// A part of the bytes that a message was parsed from, by offsets: valid for those bytes only.
@usableFromInline
package struct Slice: Sendable, Hashable, BitwiseCopyable {
    /// The first byte's place.
    @usableFromInline package var offset: Int32
    /// The number of bytes.
    @usableFromInline package var length: Int32

    /// A part from one offset up to another.
    @inlinable
    package init(_ range: Range<Int>) {
        offset = Int32(truncatingIfNeeded: range.lowerBound)
        length = Int32(truncatingIfNeeded: range.count)
    }

    /// No bytes.
    @inlinable package static var empty: Slice { Slice(0..<0) }

    /// The offsets.
    @inlinable package var range: Range<Int> { Int(offset)..<Int(offset) + Int(length) }

    @inlinable package var isEmpty: Bool { length == 0 }

    /// A copy of the bytes as text, repaired where they are not UTF-8.
    package func string(in bytes: Span<UInt8>) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            return String(decoding: array(in: bytes), as: UTF8.self)
        }
    }

    /// A copy of the bytes.
    package func array(in bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](copying: bytes.extracting(range))
    }

    /// The bytes are this ASCII text, letters compared without regard to case.
    package func isEqual(to text: String, in bytes: Span<UInt8>) -> Bool {
        text.utf8.count == Int(length) && isPrefix(of: text, in: bytes)
    }

    /// The number that the bytes spell in at most 18 decimal digits; nil where they do not.
    package func decimal(in bytes: Span<UInt8>) -> Int? {
        guard (1...18).contains(length) else { return nil }
        var value = 0
        for index in range {
            guard bytes[index].isDigit else { return nil }
            value = value * 10 + Int(bytes[index] - 0x30)
        }
        return value
    }

    /// This ASCII text begins with the bytes, letters compared without regard to case.
    func isPrefix(of text: String, in bytes: Span<UInt8>) -> Bool {
        let text = text.utf8.span
        guard text.count >= Int(length) else { return false }
        let own = bytes.extracting(range)
        for index in own.indices
        where own[index] != text[index] && own[index].lowercased != text[index].lowercased {
            return false
        }
        return true
    }
}

extension Slice {
    /// Calls `body` with each element of a comma-separated list (RFC 9110 §5.6.1), empty ones passed
    /// over, commas inside quotation marks left alone.
    package func forEachElement(in bytes: Span<UInt8>, _ body: (Slice) -> Void) {
        var start = range.lowerBound
        var index = start
        var isQuoted = false
        while index <= range.upperBound {
            let isEnd = index == range.upperBound
            if !isEnd, bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isEnd || bytes[index] == UInt8(ascii: ",") && !isQuoted {
                let element = RequestParser.trimmed(start..<index, in: bytes)
                if !element.isEmpty { body(element) }
                start = index + 1
            }
            index += 1
        }
    }
}
