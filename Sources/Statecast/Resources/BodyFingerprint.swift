/// A 64-bit print of a body that is the same in every process (FNV-1a): it tells apart the bodies
/// that one client has sent, and keeps no client from making two that have the same.
enum BodyFingerprint {
    /// - Parameter use: what a body is for, other than actions.
    static func of(_ bytes: Span<UInt8>, for use: String = "") -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in use.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for index in bytes.indices {
            hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
        }
        return hash
    }
}
