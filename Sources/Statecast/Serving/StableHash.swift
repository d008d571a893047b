/// A 64-bit hash that is the same in every process (FNV-1a): it tells apart what one client has
/// sent, and keeps nobody from making two texts that have the same.
enum StableHash {
    /// The hash of these bytes.
    static func of(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices {
            hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
        }
        return hash
    }
}
