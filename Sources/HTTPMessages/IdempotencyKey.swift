/// The field Idempotency-Key: a structured string, or a bare word, of 1 to 128 bytes
/// (draft-ietf-httpapi-idempotency-key-header §2.1; RFC 8941 §3.3.3).
package enum IdempotencyKey {
    /// The key without quotation marks and escapes; nil where the field is malformed.
    package static func parse(_ value: Slice, in bytes: Span<UInt8>) -> String? {
        let quote = UInt8(ascii: "\"")
        guard let first = value.range.first else { return nil }
        guard bytes[first] == quote else {
            let isWord = value.range.allSatisfy {
                bytes[$0] > 0x20 && bytes[$0] < 0x7F && bytes[$0] != quote
                    && bytes[$0] != UInt8(ascii: "\\")
            }
            return isWord && value.length <= 128 ? value.string(in: bytes) : nil
        }
        return unquoted(value, in: bytes)
    }

    private static func unquoted(_ value: Slice, in bytes: Span<UInt8>) -> String? {
        let quote = UInt8(ascii: "\"")
        let backslash = UInt8(ascii: "\\")
        let last = value.range.upperBound - 1
        var key: [UInt8] = []
        var index = value.range.lowerBound + 1
        while index < last {
            if bytes[index] == backslash {
                index += 1
                guard index < last, bytes[index] == quote || bytes[index] == backslash else {
                    return nil
                }
            } else if bytes[index] == quote || bytes[index] < 0x20 || bytes[index] > 0x7E {
                return nil
            }
            key.append(bytes[index])
            index += 1
        }
        guard index == last, bytes[last] == quote, (1...128).contains(key.count) else { return nil }
        return String(decoding: key, as: UTF8.self)
    }
}
