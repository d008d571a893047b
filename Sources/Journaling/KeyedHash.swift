/// SipHash-2-4 with 128 bits: what it makes of a text is the same wherever the key is the same, and
/// cannot be foreseen without it (Aumasson and Bernstein, 2012).
public struct KeyedHash: Sendable {
    private var a, b, c, d: UInt64

    /// The one of a process that keeps no key.
    static let ofProcess = KeyedHash(key: makeKey())

    /// - Parameter key: 16 bytes.
    public init(key: [UInt8]) {
        precondition(key.count == 16, "The key of a hash has 16 bytes.")
        let (low, high) = (Self.word(key.span, at: 0), Self.word(key.span, at: 8))
        a = low ^ 0x736f_6d65_7073_6575
        b = high ^ 0x646f_7261_6e64_6f6d ^ 0xee
        c = low ^ 0x6c79_6765_6e65_7261
        d = high ^ 0x7465_6462_7974_6573
    }

    /// A key that nobody has had before.
    public static func makeKey() -> [UInt8] {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// The 16 bytes that stand for others.
    public func hash(of bytes: [UInt8]) -> [UInt8] { number(of: bytes.span).bytes }

    /// The same as a number, the first byte the lowest.
    package func number(of bytes: Span<UInt8>) -> UInt128 {
        var state = self
        for place in stride(from: 0, to: bytes.count - 7, by: 8) {
            state.add(Self.word(bytes, at: place))
        }
        let rest = Self.word(bytes, at: bytes.count & ~7)
        state.add(rest | UInt64(truncatingIfNeeded: bytes.count) << 56)
        state.c ^= 0xee
        let low = state.finish()
        return UInt128(state.finish()) << 64 | UInt128(low)
    }

    /// What stands for an idempotency key of a principal, whose id is empty where it is not known.
    package func hash(ofKey key: String, of principal: String) -> UInt128 {
        let bytes = Array(principal.utf8) + [0] + key.utf8
        return number(of: bytes.span)
    }

    /// The print by which a client's account is known, here and in journals; never 0. Of a principal the
    /// name is the id, of a network its bytes behind a 0.
    package func client(_ name: [UInt8]) -> UInt16 {
        // The first number is nobody's, and the last one that of what the server's code makes.
        min(max(1, UInt16(truncatingIfNeeded: number(of: name.span))), .max - 1)
    }

    /// Up to eight bytes, the first of them the lowest.
    private static func word(_ bytes: Span<UInt8>, at place: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in place..<min(place + 8, bytes.count) {
            word |= UInt64(bytes[index]) << UInt64(8 * (index - place))
        }
        return word
    }

    private mutating func add(_ word: UInt64) {
        d ^= word
        turn(2)
        a ^= word
    }

    /// The lower half, then the higher one.
    private mutating func finish() -> UInt64 {
        turn(4)
        defer { b ^= 0xdd }
        return a ^ b ^ c ^ d
    }

    private mutating func turn(_ count: Int) {
        func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word << count | word >> (64 - count)
        }
        for _ in 0..<count {
            a &+= b
            b = rotate(b, 13) ^ a
            a = rotate(a, 32)
            c &+= d
            d = rotate(d, 16) ^ c
            a &+= d
            d = rotate(d, 21) ^ a
            c &+= b
            b = rotate(b, 17) ^ c
            c = rotate(c, 32)
        }
    }
}

extension UInt128 {
    /// Its sixteen bytes, the lowest first.
    package var bytes: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }

    /// Nil where there are not sixteen.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self = bytes.reversed().reduce(0) { $0 << 8 | UInt128($1) }
    }
}
