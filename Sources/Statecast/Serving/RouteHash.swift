import HTTPMessages

/// Where a session lives: a hash of its id, different in every process so that nobody can choose
/// ids that collide.
enum RouteHash {
    private static let seed = UInt64.random(in: .min ... .max)

    /// Of an id inside of a request.
    @inline(__always)
    static func of(_ slice: Slice, in bytes: Span<UInt8>) -> UInt64 {
        var hash = seed
        for index in slice.range { hash = mix(hash, bytes[index]) }
        return finish(hash)
    }

    /// Of an id.
    static func of(_ bytes: [UInt8]) -> UInt64 {
        var hash = seed
        for byte in bytes { hash = mix(hash, byte) }
        return finish(hash)
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
        let mixed = (hash ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ mixed >> 29
    }

    @inline(__always)
    private static func finish(_ hash: UInt64) -> UInt64 {
        let mixed = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }
}
