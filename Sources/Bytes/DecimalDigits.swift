/// A number in decimal digits, with a minus sign where it is negative.
@usableFromInline
package struct DecimalDigits: BitwiseCopyable, Sendable {
    @usableFromInline package static let capacity = 20

    /// The digits stand at the end.
    @usableFromInline var storage = InlineArray<20, UInt8>(repeating: UInt8(ascii: "-"))
    @usableFromInline var start = DecimalDigits.capacity

    @inlinable
    @inline(__always)
    package init(_ value: UInt64) {
        var rest = value
        repeat {
            start &-= 1
            storage[start] = UInt8(truncatingIfNeeded: 0x30 &+ rest % 10)
            rest /= 10
        } while rest > 0
    }

    @inlinable
    @inline(__always)
    package init(_ value: Int) {
        self.init(UInt64(value.magnitude))
        if value < 0 { start &-= 1 }
    }

    /// The number of digits, sign included: 20 at most.
    @inlinable package var count: Int { Self.capacity - start }
}

extension OutputSpan<UInt8> {
    /// Appends a number's digits; there is room for them.
    @inlinable
    @inline(__always)
    package mutating func append(_ digits: DecimalDigits) {
        for index in digits.start..<DecimalDigits.capacity { append(digits.storage[index]) }
    }

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
        guard value < 100_000_000 else { return append(DecimalDigits(value)) }
        // Up to eight digits are one word, the first of them lowest.
        var rest = UInt32(truncatingIfNeeded: value)
        var word: UInt64 = 0
        var count = 0
        repeat {
            word = word << 8 | UInt64(0x30 &+ rest % 10)
            rest /= 10
            count &+= 1
        } while rest > 0
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

    /// Appends a natural number with zeros in front, so that it has at least `width` digits.
    package mutating func append(decimal value: Int, width: Int) {
        precondition(value >= 0, "A number with zeros in front has no sign.")
        let digits = DecimalDigits(value)
        append(addingCapacity: Swift.max(width, digits.count)) { output in
            for _ in digits.count..<Swift.max(width, digits.count) {
                output.append(UInt8(ascii: "0"))
            }
            output.append(digits)
        }
    }
}
