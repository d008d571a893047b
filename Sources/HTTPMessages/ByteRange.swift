/// The part of a representation that the field Range asks for (RFC 9110 §14.2).
package enum ByteRange: Sendable, Hashable {
    /// All of it: no range, another unit, a malformed one, or several at once.
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// Nothing that there is: 416.
    case unsatisfiable

    /// Reads a field's value for a resource of `length` bytes.
    package init(_ value: Slice, in bytes: Span<UInt8>, length: Int) {
        let text = value.string(in: bytes)
        guard text.lowercased().hasPrefix("bytes="), !text.contains(",") else {
            self = .whole
            return
        }
        let sides = text.dropFirst(6).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false
        )
        guard sides.count == 2,
            sides.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } })
        else {
            self = .whole
            return
        }
        switch (Self.position(sides[0]), Self.position(sides[1])) {
        case (nil, nil): self = .whole
        case (nil, let suffix?):
            self =
                suffix == 0 || length == 0
                ? .unsatisfiable : .part(max(0, length - suffix)..<length)
        case (let first?, nil):
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (let first?, let last?):
            guard first <= last else {
                self = .whole
                return
            }
            self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        }
    }

    /// The number of some digits, the largest one where it is larger; nil where there are none.
    private static func position(_ digits: Substring) -> Int? {
        digits.isEmpty ? nil : Int(digits) ?? .max
    }
}
