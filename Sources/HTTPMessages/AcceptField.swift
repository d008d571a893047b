import Bytes

/// Content negotiation (RFC 9110 §12): weights in thousandths, 0 for what is refused.
package enum AcceptField {
    /// The weight of a media type in Accept, 1000 where the field is absent.
    package static func weight(
        ofType type: String, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Int {
        guard head.value(.accept) != nil else { return 1000 }
        return best(.accept, head, in: bytes) { name in
            if name.isEqual(to: type, in: bytes) { return 3 }
            let range = name.range
            guard range.count >= 3, bytes[range.upperBound - 1] == UInt8(ascii: "*"),
                bytes[range.upperBound - 2] == UInt8(ascii: "/")
            else { return 0 }
            if range.count == 3, bytes[range.lowerBound] == UInt8(ascii: "*") { return 1 }
            let group = Slice(range.dropLast())
            return group.isPrefix(of: type, in: bytes) ? 2 : 0
        } ?? 0
    }

    /// The weight of a content coding in Accept-Encoding. Without the field nothing but
    /// `identity` is; `identity` is wanted unless it is refused by name or by `*`.
    package static func weight(
        ofCoding coding: String, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Int {
        let isIdentity = coding == "identity"
        guard head.value(.acceptEncoding) != nil else { return isIdentity ? 1000 : 0 }
        let found = best(.acceptEncoding, head, in: bytes) { name in
            if name.isEqual(to: coding, in: bytes) { return 2 }
            if coding == "gzip", name.isEqual(to: "x-gzip", in: bytes) { return 2 }
            return name.isEqual(to: "*", in: bytes) ? 1 : 0
        }
        return found ?? (isIdentity ? 1 : 0)
    }

    /// The answer should be coded so: the coding is accepted, and no less than identity.
    package static func prefers(
        coding: String, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Bool {
        guard head.value(.acceptEncoding) != nil else { return false }
        let weight = weight(ofCoding: coding, head, in: bytes)
        return weight > 0 && weight >= self.weight(ofCoding: "identity", head, in: bytes)
    }

    /// The weight of the element that fits most closely; `fit` tells how closely, 0 for not.
    @inline(__always)
    private static func best(
        _ field: KnownField, _ head: RequestHead, in bytes: Span<UInt8>,
        fit: (Slice) -> Int
    ) -> Int? {
        var closest = 0
        var weight: Int?
        head.forEachElement(field, in: bytes) { element in
            var quality: Int?
            let name = element.forEachParameter(in: bytes) { name, value in
                guard quality == nil, name.isEqual(to: "q", in: bytes) else { return }
                quality = thousandths(value, in: bytes)
            }
            let closeness = fit(name)
            guard closeness > closest else { return }
            closest = closeness
            weight = quality ?? 1000
        }
        return weight
    }

    /// `0.5` as 500; 0 where it is malformed.
    private static func thousandths(_ value: Slice, in bytes: Span<UInt8>) -> Int {
        let range = value.range
        guard (1...5).contains(range.count), bytes[range.lowerBound] &- 0x30 < 2,
            range.count == 1 || bytes[range.lowerBound + 1] == UInt8(ascii: ".")
        else { return 0 }
        var weight = Int(bytes[range.lowerBound] - 0x30) * 1000
        var place = 100
        for index in range.dropFirst(2) {
            guard bytes[index].isDigit else { return 0 }
            weight += Int(bytes[index] - 0x30) * place
            place /= 10
        }
        return min(1000, weight)
    }
}

/// The parameters behind a list element or a media type: `text/html;charset="utf-8";q=0.5`
/// (RFC 9110 §5.6.6).
extension Slice {
    /// Calls `body` with each parameter's name and value, quotation marks taken off and escapes left
    /// as they are; an absent value is empty. Returns what stands before the parameters.
    @inline(__always)
    @discardableResult
    func forEachParameter(
        in bytes: Span<UInt8>, _ body: (_ name: Slice, _ value: Slice) -> Void
    ) -> Slice {
        let end = range.upperBound
        let leadEnd = Self.endOfPart(from: range.lowerBound, to: end, of: bytes)
        var start = leadEnd + 1
        while start <= end {
            let partEnd = Self.endOfPart(from: start, to: end, of: bytes)
            let (name, value) = Slice(start..<partEnd).pair(in: bytes)
            if !name.isEmpty { body(name, value ?? .empty) }
            start = partEnd + 1
        }
        return RequestParser.trimmed(range.lowerBound..<leadEnd, in: bytes)
    }

    /// What stands around the first equals sign, if there is one, the value without quotation marks.
    func pair(in bytes: Span<UInt8>) -> (name: Slice, value: Slice?) {
        guard let equals = range.first(where: { bytes[$0] == UInt8(ascii: "=") }) else {
            return (RequestParser.trimmed(range, in: bytes), nil)
        }
        let name = RequestParser.trimmed(range.lowerBound..<equals, in: bytes)
        let value = RequestParser.trimmed(equals + 1..<range.upperBound, in: bytes)
        return (name, value.unquoted(in: bytes))
    }

    private static func endOfPart(from start: Int, to end: Int, of bytes: Span<UInt8>) -> Int {
        var index = start
        var isQuoted = false
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: ";"), !isQuoted { return index }
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\\"), isQuoted { index += 1 }
            index += 1
        }
        return end
    }

    /// Without the quotation marks around it, if there are any.
    private func unquoted(in bytes: Span<UInt8>) -> Slice {
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\""),
            bytes[range.upperBound - 1] == UInt8(ascii: "\"")
        else { return self }
        return Slice(range.lowerBound + 1..<range.upperBound - 1)
    }
}
