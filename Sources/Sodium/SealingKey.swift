internal import CSodium

/// A key that seals bytes, so that they can neither be read nor changed without it: XChaCha20-Poly1305
/// with a random nonce of 24 bytes, which stands before them.
///
/// Safety: libsodium reads and writes the bytes whose number it is given, during the call alone.
package struct SealingKey: Sendable {
    package static let byteCount = 32
    private static let nonceByteCount = 24
    private static let tagByteCount = 16
    /// libsodium is to be asked once, before anything else.
    private static let isReady = sodium_init() >= 0

    package let bytes: [UInt8]

    /// Nil for another number of bytes than 32.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, Self.isReady else { return nil }
        self.bytes = bytes
    }

    /// A key that nobody has had before.
    package static func make() -> SealingKey {
        precondition(isReady, "libsodium finds no randomness.")
        return SealingKey(random: byteCount)
    }

    private init(random count: Int) { bytes = Self.random(count) }

    private static func random(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// - Parameter place: opens it only where it is given again.
    package func seal(_ text: [UInt8], at place: String) -> [UInt8] {
        let nonce = Self.random(Self.nonceByteCount)
        var sealed = [UInt8](repeating: 0, count: text.count + Self.tagByteCount)
        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, nil, text, UInt64(text.count), place, UInt64(place.utf8.count), nil, nonce,
            bytes)
        return nonce + sealed
    }

    /// What was sealed; nil where it was not by this key, for this place.
    package func open(_ sealed: [UInt8], at place: String) -> [UInt8]? {
        let count = sealed.count - Self.nonceByteCount - Self.tagByteCount
        guard count >= 0 else { return nil }
        let (nonce, text) = (
            sealed.prefix(Self.nonceByteCount), sealed.dropFirst(Self.nonceByteCount)
        )
        var opened = [UInt8](repeating: 0, count: count)
        let failure = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            &opened, nil, nil, Array(text), UInt64(text.count), place,
            UInt64(place.utf8.count), Array(nonce), bytes)
        return failure == 0 ? opened : nil
    }
}

/// The HMAC-SHA-256 of bytes by a key of any length (RFC 2104): 32 bytes.
///
/// Safety: libsodium reads the bytes whose number it is given, and writes 32, during the calls alone.
package func hmacSHA256(of bytes: [UInt8], by key: [UInt8]) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    var code = [UInt8](repeating: 0, count: 32)
    unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
    unsafe crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
    unsafe crypto_auth_hmacsha256_final(&state, &code)
    return code
}

/// Compares in a time that depends on the number of the bytes alone.
package func isEqualSecretly(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe sodium_memcmp(one, other, one.count) == 0
}
