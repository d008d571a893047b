/// The preferences that a client may state (RFC 7240).
package struct Preferences: Sendable, Hashable {
    /// `wait=25`: how long an answer may be held, in seconds.
    package var wait: Int?
    /// `return=representation`: the answer shall hold the state.
    package var returnsRepresentation = false
    /// `return=minimal`.
    package var returnsMinimal = false

    /// Reads the field Prefer; unknown preferences are ignored, of two the first counts.
    package init(_ head: RequestHead, in bytes: Span<UInt8>) {
        guard head.value(.prefer) != nil else { return }
        var wait: Slice?
        var returned: Slice?
        head.forEachElement(.prefer, in: bytes) { element in
            let preference = element.forEachParameter(in: bytes) { _, _ in }
            let (name, value) = preference.pair(in: bytes)
            guard let value else { return }
            if wait == nil, name.isEqual(to: "wait", in: bytes) { wait = value }
            if returned == nil, name.isEqual(to: "return", in: bytes) { returned = value }
        }
        if let wait { self.wait = wait.decimal(in: bytes) }
        returnsRepresentation = returned?.isEqual(to: "representation", in: bytes) ?? false
        returnsMinimal = returned?.isEqual(to: "minimal", in: bytes) ?? false
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
