/// Eight bytes at a time. A word holds its first byte in the lowest place.
extension Span<UInt8> {
    /// The eight bytes at an offset. Taken as a window of constant length, they are one load.
    @inlinable
    @inline(__always)
    package func word(at offset: Int) -> UInt64 {
        let window = extracting(offset..<offset &+ 8)
        let low =
            UInt64(window[0]) | UInt64(window[1]) << 8 | UInt64(window[2]) << 16
            | UInt64(window[3]) << 24
        let high =
            UInt64(window[4]) << 32 | UInt64(window[5]) << 40 | UInt64(window[6]) << 48
            | UInt64(window[7]) << 56
        return low | high
    }

    /// The four bytes at an offset.
    @inlinable
    @inline(__always)
    package func halfWord(at offset: Int) -> UInt64 {
        let window = extracting(offset..<offset &+ 4)
        return UInt64(window[0]) | UInt64(window[1]) << 8 | UInt64(window[2]) << 16
            | UInt64(window[3]) << 24
    }

    /// Both hold the same bytes.
    @inlinable
    package func elementsEqual(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index <= count &- 8 {
            guard word(at: index) == other.word(at: index) else { return false }
            index &+= 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index &+= 1
        }
        return true
    }
}
