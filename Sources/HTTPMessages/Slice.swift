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

/// Eight bytes at a time: most of a request head is passed over by words.
///
/// What is found in one is a mask with the highest bit of each byte that fits, so that the first such
/// byte is at `trailingZeroBitCount / 8`.
extension Span where Element == UInt8 {
    /// The place of the first byte in `start..<end` that `mask` marks, or `end`.
    @inline(__always)
    func firstIndex(from start: Int, to end: Int, _ mask: (UInt64) -> UInt64) -> Int {
        var index = start
        while index <= end &- 8 {
            let found = mask(word(at: index))
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < end, mask(UInt64.ones &* UInt64(self[index])) == 0 { index &+= 1 }
        return index
    }

    /// The end of a run of token characters (RFC 9110 §5.6.2).
    @inline(__always)
    func endOfToken(from start: Int) -> Int {
        var index = start
        while true {
            index = firstIndex(from: index, to: count) { word in
                ~(word.letters | word.bytes(from: 0x2D, to: 0x2D)) & .highBits
            }
            guard index < count, self[index].isToken else { return index }
            index &+= 1
        }
    }

    /// The end of a run of bytes of a field's value (RFC 9110 §5.5).
    @inline(__always)
    func endOfFieldContent(from start: Int) -> Int {
        var index = start
        while true {
            index = firstIndex(from: index, to: count) { word in
                word.bytes(below: 0x20) | word.bytes(equal: 0x7F)
            }
            guard index < count, self[index] == .tab else { return index }
            index &+= 1
        }
    }

    /// The end of a run of visible ASCII characters.
    @inline(__always)
    func endOfVisible(from start: Int) -> Int {
        firstIndex(from: start, to: count) { word in
            word.bytes(below: 0x21) | word.bytes(equal: 0x7F) | word & .highBits
        }
    }

    /// The end of a run of letters, digits and `-./` within `start..<end`.
    @inline(__always)
    func endOfPlainPath(from start: Int, to end: Int) -> Int {
        firstIndex(from: start, to: end) { word in
            ~(word.letters | word.bytes(from: 0x2D, to: 0x39)) & .highBits
        }
    }

    /// The place of the next line feed, or the end.
    @inline(__always)
    func nextLineFeed(from start: Int) -> Int {
        firstIndex(from: start, to: count) { $0.bytes(equal: UInt8.lineFeed) }
    }

    /// The place of the next line feed or carriage return, or the end.
    func nextLineEnd(from start: Int) -> Int {
        firstIndex(from: start, to: count) { word in
            word.bytes(equal: UInt8.lineFeed)
                | word.bytes(equal: UInt8.carriageReturn)
        }
    }
}

/// Masks over the eight bytes of a word. In those of `bytes(below:)` and `bytes(equal:)` only the lowest set bit is
/// exact, which is the one that is asked for.
extension UInt64 {
    fileprivate static let ones: UInt64 = 0x0101_0101_0101_0101
    fileprivate static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The bytes below a bound of at most 0x80.
    @inline(__always)
    fileprivate func bytes(below bound: UInt8) -> UInt64 {
        (self &- .ones &* UInt64(bound)) & ~self & .highBits
    }

    /// The bytes that are this one.
    @inline(__always)
    fileprivate func bytes(equal byte: UInt8) -> UInt64 {
        (self ^ .ones &* UInt64(byte)).bytes(below: 1)
    }

    /// The bytes from one to another of ASCII; exact in each byte.
    @inline(__always)
    fileprivate func bytes(from first: UInt8, to last: UInt8) -> UInt64 {
        let guarded = self | .highBits
        let reached = guarded &- .ones &* UInt64(first)
        let passed = guarded &- .ones &* (UInt64(last) &+ 1)
        return reached & ~passed & ~self & .highBits
    }

    /// The letters of ASCII; exact in each byte.
    @inline(__always)
    fileprivate var letters: UInt64 {
        (self | .ones &* 0x20).bytes(from: 0x61, to: 0x7A)
    }
}

/// Classes of bytes, as RFC 9110 and RFC 3986 draw them.
extension UInt8 {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let tab: UInt8 = 0x09
    static let colon: UInt8 = 0x3A

    /// `tchar` (RFC 9110 §5.6.2), as one bit a byte of ASCII.
    @inline(__always)
    var isToken: Bool {
        guard self < 0x80 else { return false }
        let bits: UInt64 = self < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return bits >> UInt64(self & 0x3F) & 1 == 1
    }

    /// A byte of a field value (RFC 9110 §5.5): visible, space, tab, or above ASCII.
    @inline(__always)
    var isFieldContent: Bool {
        self >= 0x20 && self != 0x7F || self == .tab
    }

    /// A byte of a path, query or authority as RFC 3986 spells them, `%` included.
    @inline(__always)
    var isURI: Bool {
        guard self < 0x80 else { return false }
        // ! $ % & ' ( ) * + , - . / 0-9 : ; = ?    @ A-Z [ ] _ a-z ~
        let bits: UInt64 = self < 0x40 ? 0xAFFF_FFF2_0000_0000 : 0x47FF_FFFE_AFFF_FFFF
        return bits >> UInt64(self & 0x3F) & 1 == 1
    }

    /// A byte that browsers send in a query without encoding it, although RFC 3986 forbids that.
    @inline(__always)
    var isTolerated: Bool {
        switch self {
        case UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }

    @inline(__always)
    var isWhitespace: Bool { self == .space ? true : self == .tab }

    @inline(__always)
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
