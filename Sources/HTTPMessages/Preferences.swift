extension RequestHead {
    /// The value of a preference that a client states, the first of its name (RFC 7240): of
    /// `wait=25`, how many seconds an answer may be held; of `return=representation`, that it shall
    /// hold the state.
    package func preference(_ name: String, in bytes: Span<UInt8>) -> Slice? {
        guard value(.prefer) != nil else { return nil }
        var found: Slice?
        forEachElement(.prefer, in: bytes) { element in
            let preference = element.forEachParameter(in: bytes) { _, _ in }
            let (known, value) = preference.pair(in: bytes)
            if found == nil, known.isEqual(to: name, in: bytes) { found = value }
        }
        return found
    }
}

extension Slice {
    /// The key that a value of Idempotency-Key holds, without quotation marks and escapes: a structured
    /// string, or a bare word, of 1 to 128 bytes (draft-ietf-httpapi-idempotency-key-header §2.1;
    /// RFC 8941 §3.3.3). Nil where it is malformed.
    package func idempotencyKey(in bytes: Span<UInt8>) -> String? {
        let quote = UInt8(ascii: "\"")
        guard let first = range.first else { return nil }
        guard bytes[first] == quote else {
            let isWord = range.allSatisfy {
                bytes[$0] > 0x20 && bytes[$0] < 0x7F && bytes[$0] != quote
                    && bytes[$0] != UInt8(ascii: "\\")
            }
            return isWord && length <= 128 ? string(in: bytes) : nil
        }
        return unquotedKey(in: bytes)
    }

    private func unquotedKey(in bytes: Span<UInt8>) -> String? {
        let quote = UInt8(ascii: "\"")
        let backslash = UInt8(ascii: "\\")
        let last = range.upperBound - 1
        var key: [UInt8] = []
        var index = range.lowerBound + 1
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
