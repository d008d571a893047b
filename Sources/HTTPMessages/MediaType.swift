import Bytes

/// A media type and its parameters: `application/json; charset=utf-8` (RFC 9110 §8.3.1).
package enum MediaType {
    /// A field's value names this type; parameters such as `charset` make no difference.
    package static func isEqual(
        _ value: Slice, to type: String, in bytes: Span<UInt8>
    ) -> Bool {
        var end = value.range.lowerBound
        while end < value.range.upperBound, bytes[end] != UInt8(ascii: ";") { end += 1 }
        return RequestParser.trimmed(value.range.lowerBound..<end, in: bytes)
            .isEqual(to: type, in: bytes)
    }

    /// A request says that its body is JSON.
    package static func isJSON(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard let type = head.value(.contentType) else { return false }
        // As nearly every client writes it.
        return bytes.extracting(type.range).elementsEqual(json.span)
            || isEqual(type, to: "application/json", in: bytes)
    }

    private static let json = Array("application/json".utf8)

    /// The value of a parameter, unescaped; nil where it is absent. Of two the first counts.
    package static func parameter(
        _ name: String, of value: Slice, in bytes: Span<UInt8>
    ) -> String? {
        var found: Slice?
        FieldParameters.forEach(in: value, of: bytes) { parameter, value in
            if found == nil, parameter.isEqual(to: name, in: bytes) { found = value }
        }
        guard let found else { return nil }
        var text: [UInt8] = []
        var isEscaped = false
        for index in found.range {
            if bytes[index] == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                text.append(bytes[index])
                isEscaped = false
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
