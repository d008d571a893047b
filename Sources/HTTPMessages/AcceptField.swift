/// Content negotiation (RFC 9110 §12): weights in thousandths, 0 for what is refused.
public enum AcceptField {
    /// How much a media type is wanted by Accept, 1000 where the field is absent.
    public static func weight(
        ofType type: String, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Int {
        guard head.value(.accept) != nil else { return 1000 }
        let group = type.prefix { $0 != "/" } + "/*"
        return best(.accept, head, in: bytes) { name in
            name == type ? 3 : name == group ? 2 : name == "*/*" ? 1 : 0
        } ?? 0
    }

    /// How much a content coding is wanted by Accept-Encoding. Without the field nothing but
    /// `identity` is; `identity` is wanted unless it is refused by name or by `*`.
    public static func weight(
        ofCoding coding: String, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Int {
        let isIdentity = coding == "identity"
        guard head.value(.acceptEncoding) != nil else { return isIdentity ? 1000 : 0 }
        let found = best(.acceptEncoding, head, in: bytes) { name in
            name == coding || name == "x-gzip" && coding == "gzip" ? 2 : name == "*" ? 1 : 0
        }
        return found ?? (isIdentity ? 1 : 0)
    }

    /// Whether the answer should be coded so: the coding is accepted, and no less than identity.
    public static func prefers(
        coding: String, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Bool {
        guard head.value(.acceptEncoding) != nil else { return false }
        let weight = weight(ofCoding: coding, head, in: bytes)
        return weight > 0 && weight >= self.weight(ofCoding: "identity", head, in: bytes)
    }

    /// The weight of the element that fits most closely; `fit` tells how closely, 0 for not.
    private static func best(
        _ field: KnownField, _ head: RequestHead, in bytes: Span<UInt8>,
        fit: (String) -> Int
    ) -> Int? {
        var closest = 0
        var weight: Int?
        head.forEachValue(field, in: bytes) { value in
            ListElements.forEach(in: value, of: bytes) { element in
                let parts = element.string(in: bytes).lowercased().split(separator: ";")
                let name = parts.first.map { String($0.filter { $0 != " " && $0 != "\t" }) } ?? ""
                let closeness = fit(name)
                guard closeness > closest else { return }
                closest = closeness
                weight = quality(of: parts.dropFirst())
            }
        }
        return weight
    }

    /// `q=0.5` as 500; 1000 where it is not given, 0 where it is malformed.
    private static func quality(of parameters: ArraySlice<Substring>) -> Int {
        for parameter in parameters {
            let text = parameter.filter { $0 != " " && $0 != "\t" }
            guard text.hasPrefix("q=") else { continue }
            let number = text.dropFirst(2)
            guard let whole = number.first, whole == "0" || whole == "1" else { return 0 }
            let digits = number.dropFirst(2)
            guard number.count < 2 || number.dropFirst().first == ".", digits.count <= 3,
                digits.allSatisfy({ $0.isASCII && $0.isNumber })
            else { return 0 }
            let padded = String(digits) + String(repeating: "0", count: 3 - digits.count)
            return min(1000, (whole == "1" ? 1000 : 0) + (Int(padded) ?? 0))
        }
        return 1000
    }
}

/// A media type without its parameters (RFC 9110 §8.3.1).
public enum MediaType {
    /// Whether a field's value names this type; parameters such as `charset` make no difference.
    public static func isEqual(
        _ value: Slice, to type: String, in bytes: Span<UInt8>
    ) -> Bool {
        var end = value.range.lowerBound
        while end < value.range.upperBound, bytes[end] != UInt8(ascii: ";") { end += 1 }
        return RequestParser.trimmed(value.range.lowerBound..<end, in: bytes)
            .isEqual(to: type, in: bytes)
    }
}
