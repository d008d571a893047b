import Bytes

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
        bytes.append(decimal: integer)
    }

    /// A member with an integer.
    mutating func appendMember(_ name: String, _ integer: Int) {
        appendMember(name, capacity: 20) { $0.append(decimal: integer) }
    }

    /// The shortest number that reads back as the same value; `null` if it is not finite.
    mutating func append(_ number: Double) {
        if let decimal = ShortDecimal(number) {
            bytes.append(addingCapacity: ShortDecimal.greatestCount) { decimal.append(to: &$0) }
        } else {
            append(description: number.description, isFinite: number.isFinite)
        }
    }

    /// A member with the shortest number that reads back as the same value.
    mutating func appendMember(_ name: String, _ number: Double) {
        if let decimal = ShortDecimal(number) {
            appendMember(name, capacity: ShortDecimal.greatestCount) { decimal.append(to: &$0) }
        } else {
            appendName(name)
            append(description: number.description, isFinite: number.isFinite)
        }
    }

    /// The shortest number that reads back as the same `Float`; `null` if it is not finite.
    mutating func append(_ number: Float) {
        if let decimal = ShortDecimal(Double(number)), decimal.isInteger {
            bytes.append(addingCapacity: ShortDecimal.greatestCount) { decimal.append(to: &$0) }
        } else {
            append(description: number.description, isFinite: number.isFinite)
        }
    }

    private mutating func append(description: String, isFinite: Bool) {
        if isFinite {
            bytes.append(contentsOf: description.utf8)
        } else {
            appendNull()
        }
    }
}
