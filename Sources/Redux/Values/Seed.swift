/// The 256 random bits from which an entry's random numbers come.
public struct Seed: Sendable, Hashable {
    /// In little-endian order, the key of ChaCha20.
    let words: SIMD8<UInt32>

    /// Bits from the system's source, which no token, id or earlier draw tells.
    public static func random() -> Seed { Seed(words: .random(in: .min ... .max)) }

    private init(words: SIMD8<UInt32>) { self.words = words }

    /// The bits of a number, for a test: anybody can guess what is drawn of them.
    public init(_ number: UInt64) {
        words = [UInt32(truncatingIfNeeded: number), UInt32(number >> 32), 0, 0, 0, 0, 0, 0]
    }

    /// The bits as 32 bytes; nil where there are more or fewer.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        var words = SIMD8<UInt32>()
        for index in 0..<32 {
            words[index / 4] |= UInt32(bytes[index]) << UInt32(index % 4 * 8)
        }
        self.words = words
    }

    /// The bits as 32 bytes.
    public var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 4] >> UInt32($0 % 4 * 8)) }
    }
}

/// Random numbers out of a seed: the key stream of ChaCha20 (RFC 8439, section 2.4).
///
/// One who has seen some of the numbers can compute no other: neither the next ones, nor those of
/// another nonce, nor the seed.
struct ChaCha20: RandomNumberGenerator, Sendable {
    private let key: SIMD8<UInt32>
    private let nonce: SIMD3<UInt32>
    private var counter: UInt32
    private var block = SIMD16<UInt32>()
    /// The number of words of the block that were drawn.
    private var drawn = 16

    /// The key stream of a key and a nonce, from a block on.
    init(key: SIMD8<UInt32>, nonce: SIMD3<UInt32>, counter: UInt32 = 0) {
        self.key = key
        self.nonce = nonce
        self.counter = counter
    }

    /// The generator of a number within an entry.
    init(_ seed: Seed, number: UInt64) {
        self.init(
            key: seed.words,
            nonce: SIMD3(
                UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: number >> 32), 0))
    }

    /// The next 64 bits of the key stream, in little-endian order.
    mutating func next() -> UInt64 {
        if drawn >= 16 {
            block = Self.block(key, counter, nonce)
            counter &+= 1
            drawn = 0
        }
        precondition(drawn <= 14, "A draw takes two words of a block.")
        defer { drawn += 2 }
        return UInt64(block[drawn]) | UInt64(block[drawn + 1]) << 32
    }

    /// One block of the key stream (RFC 8439, section 2.3).
    static func block(
        _ key: SIMD8<UInt32>, _ counter: UInt32, _ nonce: SIMD3<UInt32>
    ) -> SIMD16<UInt32> {
        let first = SIMD4<UInt32>(0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574)
        let (second, third) = (key.lowHalf, key.highHalf)
        let fourth = SIMD4(counter, nonce.x, nonce.y, nonce.z)
        var (a, b, c, d) = (first, second, third, fourth)
        for _ in 0..<10 {
            quarterRounds(&a, &b, &c, &d)
            b = b[SIMD4(1, 2, 3, 0)]
            c = c[SIMD4(2, 3, 0, 1)]
            d = d[SIMD4(3, 0, 1, 2)]
            quarterRounds(&a, &b, &c, &d)
            b = b[SIMD4(3, 0, 1, 2)]
            c = c[SIMD4(2, 3, 0, 1)]
            d = d[SIMD4(1, 2, 3, 0)]
        }
        return SIMD16(
            lowHalf: SIMD8(lowHalf: a &+ first, highHalf: b &+ second),
            highHalf: SIMD8(lowHalf: c &+ third, highHalf: d &+ fourth))
    }

    /// Four quarter rounds side by side (RFC 8439, section 2.1).
    private static func quarterRounds(
        _ a: inout SIMD4<UInt32>, _ b: inout SIMD4<UInt32>, _ c: inout SIMD4<UInt32>,
        _ d: inout SIMD4<UInt32>
    ) {
        a &+= b
        d = rotated(d ^ a, by: 16)
        c &+= d
        b = rotated(b ^ c, by: 12)
        a &+= b
        d = rotated(d ^ a, by: 8)
        c &+= d
        b = rotated(b ^ c, by: 7)
    }

    private static func rotated(_ words: SIMD4<UInt32>, by count: UInt32) -> SIMD4<UInt32> {
        words &<< count | words &>> (32 - count)
    }
}

extension SIMD4 where Scalar == UInt32 {
    /// The words at four places.
    fileprivate subscript(_ places: SIMD4<Int>) -> SIMD4 {
        SIMD4(self[places.x], self[places.y], self[places.z], self[places.w])
    }
}
