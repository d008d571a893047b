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
