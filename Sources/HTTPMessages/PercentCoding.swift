import Bytes

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentCoding {
    /// The text that a part of a target stands for; nil where it is no UTF-8 or a digit is missing.
    static func decoded(_ slice: Slice, in bytes: Span<UInt8>) -> String? {
        guard slice.range.contains(where: { bytes[$0] == UInt8(ascii: "%") }) else {
            guard let text = try? UTF8Span(validating: bytes.extracting(slice.range)) else {
                return nil
            }
            return String(copying: text)
        }
        return decoded(slice.array(in: bytes))
    }

    /// The text that the bytes stand for; nil where they are no UTF-8 or a digit is missing.
    package static func decoded(_ bytes: some Collection<UInt8>) -> String? {
        decodedBytes(bytes).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The bytes that they stand for; nil where a digit is missing.
    package static func decodedBytes(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(Hexadecimal.value(of:)),
                let low = iterator.next().flatMap(Hexadecimal.value(of:))
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }
}
