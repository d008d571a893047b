import Bytes

/// Entity tags and the conditions on them (RFC 9110 §§8.8.3, 13.1).
package enum EntityTag {
    /// The condition that a list of tags in If-Match or If-None-Match makes.
    package enum Condition: Sendable, Hashable {
        /// `*`, or a tag of the list, is the current one.
        case matches
        /// None is.
        case differs
        /// The field is not of the form `"a", W/"b"` or `*`.
        case malformed
    }

    /// Compares the lists of a field with the current tag, which is strong; only its opaque part
    /// without quotation marks is given. A strong comparison, that of If-Match, takes no tag with the
    /// prefix `W/` (RFC 9110 §8.8.3.2).
    ///
    /// Nil where the field is absent.
    package static func condition(
        _ field: KnownField, of head: RequestHead, in bytes: Span<UInt8>, current: [UInt8],
        isStrong: Bool = false
    ) -> Condition? {
        condition(field, of: head, in: bytes, isStrong: isStrong) { tag in
            bytes.extracting(tag.range).elementsEqual(current.span)
        }
    }

    /// Asks of each tag in the lists of a field, without quotation marks, whether it stands for the
    /// current representation: for tags of which several do.
    ///
    /// Nil where the field is absent.
    package static func condition(
        _ field: KnownField, of head: RequestHead, in bytes: Span<UInt8>,
        isStrong: Bool = false, isCurrent: (Slice) -> Bool
    ) -> Condition? {
        guard head.value(field) != nil else { return nil }
        var isMatch = false
        var isMalformed = false
        var isAny = false
        var count = 0
        head.forEachElement(field, in: bytes) { element in
            count += 1
            isAny = isAny || element.isEqual(to: "*", in: bytes)
            let condition = compare(element, in: bytes, isStrong, isCurrent)
            isMatch = isMatch || condition == .matches
            isMalformed = isMalformed || condition == .malformed
        }
        if isMalformed || count == 0 || isAny && count > 1 { return .malformed }
        return isMatch ? .matches : .differs
    }

    private static func compare(
        _ element: Slice, in bytes: Span<UInt8>, _ isStrong: Bool,
        _ isCurrent: (Slice) -> Bool
    ) -> Condition {
        var start = element.range.lowerBound
        let end = element.range.upperBound
        var isWeak = false
        if element.length == 1, bytes[start] == UInt8(ascii: "*") { return .matches }
        if element.length > 2, bytes[start] == UInt8(ascii: "W"),
            bytes[start + 1] == UInt8(ascii: "/")
        {
            start += 2
            isWeak = true
        }
        let quote = UInt8(ascii: "\"")
        guard end - start >= 2, bytes[start] == quote, bytes[end - 1] == quote else {
            return .malformed
        }
        let tag = start + 1..<end - 1
        if tag.contains(where: { bytes[$0] < 0x21 || bytes[$0] == quote || bytes[$0] == 0x7F }) {
            return .malformed
        }
        return !(isWeak && isStrong) && isCurrent(Slice(tag)) ? .matches : .differs
    }
}
