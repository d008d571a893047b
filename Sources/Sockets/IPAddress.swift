internal import Glibc

/// An IPv4 or IPv6 address. An IPv4 address inside IPv6 (`::ffff:a.b.c.d`) is that IPv4 address.
package struct IPAddress: Sendable, Hashable, BitwiseCopyable {
    /// The first eight bytes of the IPv6 form, as a number.
    package let high: UInt64
    /// The last eight bytes.
    package let low: UInt64

    private static let mappedPrefix: UInt64 = 0xFFFF << 32

    /// The IPv6 address of these 128 bits.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The IPv4 address of these 32 bits, `0x7F00_0001` for 127.0.0.1.
    package init(v4 bits: UInt32) {
        self.init(high: 0, low: Self.mappedPrefix | UInt64(bits))
    }

    /// The address in a text such as `127.0.0.1`, `2001:db8::1` or `[::1]`; nil for anything else,
    /// names among it.
    package init?(parsing text: String) {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let literal = isBracketed ? String(text.dropFirst().dropLast()) : text
        var v4 = in_addr()
        if !isBracketed, unsafe inet_pton(AF_INET, literal, &v4) == 1 {
            self.init(v4: UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, literal, &v6) == 1 else { return nil }
        let (high, low) = unsafe withUnsafeBytes(of: &v6) {
            unsafe (
                UInt64(bigEndian: $0.load(as: UInt64.self)),
                UInt64(bigEndian: $0.load(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self.init(high: high, low: low)
    }

    /// The network whose clients share an account where nobody says who they are: of IPv4 the first 24
    /// bits, of IPv6 64, which one client commonly owns.
    package var clientNetwork: IPAddress {
        isV4 ? IPAddress(high: 0, low: low & ~0xFF) : IPAddress(high: high, low: 0)
    }

    /// The address is one of IPv4.
    package var isV4: Bool {
        high == 0 && low >> 32 == 0xFFFF
    }

    /// The address is in 127.0.0.0/8, or is ::1.
    package var isLoopback: Bool {
        isV4 ? UInt8(truncatingIfNeeded: low >> 24) == 127 : high == 0 && low == 1
    }

    /// The address is one of this machine alone, or of a private network (RFC 1918, RFC 4193, RFC 6598), or
    /// a link's.
    package var isPrivate: Bool {
        guard isV4 else {
            return isLoopback || high >> 57 == 0xFC >> 1 || high >> 54 == 0xFE80 >> 6
        }
        let bits = UInt32(truncatingIfNeeded: low)
        return isLoopback || bits >> 24 == 10 || bits >> 20 == 0xAC1 || bits >> 16 == 0xC0A8
            || bits >> 22 == 0x6440 >> 6 || bits >> 16 == 0xA9FE
    }

    /// The address stands for every one of the machine: 0.0.0.0 or ::.
    package var isUnspecified: Bool {
        isV4 ? UInt32(truncatingIfNeeded: low) == 0 : high == 0 && low == 0
    }
}

extension IPAddress: CustomStringConvertible {
    /// `127.0.0.1` or `2001:db8::1` (RFC 5952).
    package var description: String {
        if isV4 {
            return (0..<4).map { String(UInt8(truncatingIfNeeded: low >> (24 - 8 * $0))) }
                .joined(separator: ".")
        }
        var address = in6_addr()
        unsafe withUnsafeMutableBytes(of: &address) {
            unsafe $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else {
            return "::"
        }
        return String(cText: text)
    }
}
