extension JSONWriter {
    /// An integer of any width.
    mutating func append<Integer: FixedWidthInteger>(integer: Integer) {
        if let common = Int(exactly: integer) {
            append(common)
        } else {
            bytes.append(contentsOf: integer.description.utf8)
        }
    }

    /// An integer of the common width.
    mutating func append(_ integer: Int) {
        bytes.append(addingCapacity: 20) { Self.write(integer, to: &$0) }
    }

    /// A member with an integer.
    mutating func appendMember(_ name: String, _ integer: Int) {
        appendMember(name, capacity: 20) { Self.write(integer, to: &$0) }
    }

    /// The shortest number that reads back as the same value; `null` if it is not finite.
    mutating func append(_ number: Double) {
        if let integer = Self.exactInteger(number) {
            append(integer)
        } else {
            append(description: number.description, isFinite: number.isFinite)
        }
    }

    /// The shortest number that reads back as the same `Float`; `null` if it is not finite.
    mutating func append(_ number: Float) {
        if let integer = Self.exactInteger(Double(number)) {
            append(integer)
        } else {
            append(description: number.description, isFinite: number.isFinite)
        }
    }

    /// A natural number written with at least `width` digits, as dates need.
    mutating func append(_ integer: Int, width: Int) {
        let digits = integer.description.utf8
        for _ in digits.count..<max(width, digits.count) { bytes.append(UInt8(ascii: "0")) }
        bytes.append(contentsOf: digits)
    }

    @inline(__always)
    private static func write(_ integer: Int, to output: inout OutputSpan<UInt8>) {
        if integer < 0 { output.append(UInt8(ascii: "-")) }
        let magnitude = integer.magnitude
        if magnitude < 10 { return output.append(UInt8(ascii: "0") + UInt8(magnitude)) }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var rest = magnitude
        var first = 20
        while rest > 0 {
            first -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        while first < 20 {
            output.append(digits[first])
            first += 1
        }
    }

    private mutating func append(description: String, isFinite: Bool) {
        if isFinite {
            bytes.append(contentsOf: description.utf8)
        } else {
            appendNull()
        }
    }

    /// The integer that prints like `number`: exact, not too long, and not minus zero.
    private static func exactInteger(_ number: Double) -> Int? {
        guard number.magnitude < 1e15, let integer = Int(exactly: number) else { return nil }
        return integer == 0 && number.sign == .minus ? nil : integer
    }
}
