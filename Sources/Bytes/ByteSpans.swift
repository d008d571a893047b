extension [UInt8] {
    /// Copies bytes.
    @inlinable
    @inline(__always)
    package init(copying span: Span<UInt8>) {
        self = []
        append(copying: span)
    }

    /// Appends bytes at once.
    @inlinable
    @inline(__always)
    package mutating func append(copying span: Span<UInt8>) {
        // All empty arrays are one, in whose count the library would write: a race, if a harmless one.
        if !span.isEmpty { append(addingCapacity: span.count) { $0.append(copying: span) } }
    }

    /// Appends the bytes of a text at once.
    @inlinable
    @inline(__always)
    package mutating func append(copying text: String) {
        append(copying: text.utf8.span)
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes; there is room for them.
    ///
    /// The loop becomes moves of many bytes at a time, as fast as a call of `memcpy` from 2 KB on
    /// and faster below.
    @inlinable
    @inline(__always)
    package mutating func append(copying span: Span<UInt8>) {
        for index in span.indices { append(span[index]) }
    }
}

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

@usableFromInline
package enum DecimalDigits {
    /// The most bytes of a number: 20 digits, or a sign and 19.
    @usableFromInline package static let capacity = 20
}

extension OutputSpan<UInt8> {
    /// Appends a number in decimal digits; there is room for 20 bytes.
    @inlinable
    @inline(__always)
    package mutating func append(decimal value: Int) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(decimal: UInt64(value.magnitude))
    }

    /// Appends a number in decimal digits; there is room for 20 bytes.
    @inlinable
    @inline(__always)
    package mutating func append(decimal value: UInt64) {
        if value < 100_000_000 {
            return append(digits: UInt32(truncatingIfNeeded: value), least: 1)
        }
        appendLong(value)
    }

    @usableFromInline
    mutating func appendLong(_ value: UInt64) {
        let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
        append(decimal: high)
        append(digits: UInt32(truncatingIfNeeded: low), least: 8)
    }

    /// Appends a number below a hundred million, with zeros in front up to a number of digits.
    @inlinable
    @inline(__always)
    mutating func append(digits value: UInt32, least: Int) {
        // Up to eight digits are one word, the first of them lowest.
        var rest = value
        var word: UInt64 = 0
        var count = 0
        repeat {
            word = word << 8 | UInt64(0x30 &+ rest % 10)
            rest /= 10
            count &+= 1
        } while rest > 0
        while count < least {
            word = word << 8 | 0x30
            count &+= 1
        }
        for _ in 0..<count {
            append(UInt8(truncatingIfNeeded: word))
            word >>= 8
        }
    }
}

extension [UInt8] {
    /// Appends a number in decimal digits.
    @inlinable
    package mutating func append(decimal value: Int) {
        append(addingCapacity: DecimalDigits.capacity) { $0.append(decimal: value) }
    }

    /// Appends a number in decimal digits.
    @inlinable
    package mutating func append(decimal value: UInt64) {
        append(addingCapacity: DecimalDigits.capacity) { $0.append(decimal: value) }
    }

    /// Appends a natural number below a hundred million with zeros in front, so that it has at least
    /// `width` digits, eight at most.
    package mutating func append(decimal value: Int, width: Int) {
        precondition(
            (0..<100_000_000).contains(value) && width <= 8,
            "Zeros stand in front of short numbers.")
        append(addingCapacity: 8) { $0.append(digits: UInt32(value), least: width) }
    }
}
