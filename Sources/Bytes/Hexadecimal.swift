/// Hexadecimal digits.
@usableFromInline
package enum Hexadecimal {
    /// The value of a digit in either case; nil for any other byte.
    @inlinable
    @inline(__always)
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// The digit of a value below 16, `0` to `9` and `a` to `f`.
    @inlinable
    @inline(__always)
    package static func digit(_ value: UInt8) -> UInt8 {
        precondition(value < 16, "A hexadecimal digit is below 16.")
        return value < 10 ? 0x30 + value : 0x57 + value
    }

    /// A text in which all but the unreserved characters is percent-encoded (RFC 3986 §2.3).
    package static func percentEncoded(_ text: String) -> String {
        let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
        return text.utf8.map {
            unreserved.contains($0)
                ? "\(UnicodeScalar($0))"
                : "%" + String(0x100 + Int($0), radix: 16, uppercase: true).dropFirst()
        }.joined()
    }
}
