/// The field Idempotency-Key: a structured string, or the same characters bare, of 1 to 128 bytes
/// (draft-ietf-httpapi-idempotency-key-header §2.1; RFC 8941 §3.3.3).
public enum IdempotencyKey {
    /// The key without quotation marks; nil where the field is malformed.
    public static func parse(_ value: Slice, in bytes: Span<UInt8>) -> String? {
        var text = value.array(in: bytes)[...]
        let quote = UInt8(ascii: "\"")
        if text.first == quote {
            guard text.count >= 2, text.last == quote else { return nil }
            text = text.dropFirst().dropLast()
        }
        guard (1...128).contains(text.count),
            text.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != quote && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
