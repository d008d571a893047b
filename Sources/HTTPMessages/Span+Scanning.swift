import Bytes

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
        while index < end, mask(Words.ones &* UInt64(self[index])) == 0 { index &+= 1 }
        return index
    }

    /// The end of a run of token characters (RFC 9110 §5.6.2).
    @inline(__always)
    func endOfToken(from start: Int) -> Int {
        var index = start
        while true {
            index = firstIndex(from: index, to: count) { word in
                ~(Words.letters(word) | Words.bytes(word, from: 0x2D, to: 0x2D)) & Words.highBits
            }
            guard index < count, ByteClass.isToken(self[index]) else { return index }
            index &+= 1
        }
    }

    /// The end of a run of bytes of a field's value (RFC 9110 §5.5).
    @inline(__always)
    func endOfFieldContent(from start: Int) -> Int {
        var index = start
        while true {
            index = firstIndex(from: index, to: count) { word in
                Words.below(word, 0x20) | Words.bytes(word, equal: 0x7F)
            }
            guard index < count, self[index] == ByteClass.tab else { return index }
            index &+= 1
        }
    }

    /// The end of a run of visible ASCII characters.
    @inline(__always)
    func endOfVisible(from start: Int) -> Int {
        firstIndex(from: start, to: count) { word in
            Words.below(word, 0x21) | Words.bytes(word, equal: 0x7F) | word & Words.highBits
        }
    }

    /// The end of a run of letters, digits and `-./` within `start..<end`.
    @inline(__always)
    func endOfPlainPath(from start: Int, to end: Int) -> Int {
        firstIndex(from: start, to: end) { word in
            ~(Words.letters(word) | Words.bytes(word, from: 0x2D, to: 0x39)) & Words.highBits
        }
    }

    /// The place of the next line feed, or the end.
    @inline(__always)
    func nextLineFeed(from start: Int) -> Int {
        firstIndex(from: start, to: count) { Words.bytes($0, equal: ByteClass.lineFeed) }
    }

    /// The place of the next line feed or carriage return, or the end.
    func nextLineEnd(from start: Int) -> Int {
        firstIndex(from: start, to: count) { word in
            Words.bytes(word, equal: ByteClass.lineFeed)
                | Words.bytes(word, equal: ByteClass.carriageReturn)
        }
    }
}

/// Masks over the eight bytes of a word. In those of `below` and `equal` only the lowest set bit is
/// exact, which is the one that is asked for.
enum Words {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The bytes below a bound of at most 0x80.
    @inline(__always)
    static func below(_ word: UInt64, _ bound: UInt8) -> UInt64 {
        (word &- ones &* UInt64(bound)) & ~word & highBits
    }

    /// The bytes that are this one.
    @inline(__always)
    static func bytes(_ word: UInt64, equal byte: UInt8) -> UInt64 {
        below(word ^ ones &* UInt64(byte), 1)
    }

    /// The bytes from one to another of ASCII; exact in each byte.
    @inline(__always)
    static func bytes(_ word: UInt64, from first: UInt8, to last: UInt8) -> UInt64 {
        let guarded = word | highBits
        let reached = guarded &- ones &* UInt64(first)
        let passed = guarded &- ones &* (UInt64(last) &+ 1)
        return reached & ~passed & ~word & highBits
    }

    /// The letters of ASCII; exact in each byte.
    @inline(__always)
    static func letters(_ word: UInt64) -> UInt64 {
        bytes(word | ones &* 0x20, from: 0x61, to: 0x7A)
    }
}
