/// The 256 random bits from which an entry's random numbers come.
public struct Seed: Sendable, Hashable {
    private let words: SIMD4<UInt64>

    /// Bits from the system's source, which no token, id or earlier draw tells.
    public static func random() -> Seed {
        var system = SystemRandomNumberGenerator()
        return Seed(words: SIMD4(system.next(), system.next(), system.next(), system.next()))
    }

    /// The bits as 32 bytes; nil where there are more or fewer.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        var words = SIMD4<UInt64>()
        for index in 0..<32 {
            words[index / 8] |= UInt64(bytes[index]) << UInt64(index % 8 * 8)
        }
        self.init(words: words)
    }

    private init(words: SIMD4<UInt64>) { self.words = words }

    /// The bits as 32 bytes.
    public var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64($0 % 8 * 8)) }
    }

    /// Eight words in little-endian order, the key of ChaCha20.
    var key: SIMD8<UInt32> {
        var key = SIMD8<UInt32>()
        for index in 0..<8 {
            key[index] = UInt32(truncatingIfNeeded: words[index / 2] >> UInt64(index % 2 * 32))
        }
        return key
    }
}
