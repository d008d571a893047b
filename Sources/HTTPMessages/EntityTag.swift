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

    /// When two tags of the same opaque part are equal (RFC 9110 §8.8.3.2).
    package enum Comparison: Sendable, Hashable {
        /// Always: for If-None-Match.
        case weak
        /// When neither has the prefix `W/`: for If-Match.
        case strong
    }

    /// Compares the lists of a field with the current tag, which is strong; only its opaque part
    /// without quotation marks is given.
    ///
    /// Nil where the field is absent.
    package static func condition(
        _ field: KnownField, of head: RequestHead, in bytes: Span<UInt8>, current: [UInt8],
        comparison: Comparison = .weak
    ) -> Condition? {
        condition(field, of: head, in: bytes, comparison: comparison) { tag in
            isEqual(tag, current, in: bytes)
        }
    }

    /// Asks of each tag in the lists of a field, without quotation marks, whether it stands for the
    /// current representation: for tags of which several do.
    ///
    /// Nil where the field is absent.
    package static func condition(
        _ field: KnownField, of head: RequestHead, in bytes: Span<UInt8>,
        comparison: Comparison = .weak, isCurrent: (Slice) -> Bool
    ) -> Condition? {
        guard head.value(field) != nil else { return nil }
        var isMatch = false
        var isMalformed = false
        var isAny = false
        var count = 0
        head.forEachValue(field, in: bytes) { value in
            ListElements.forEach(in: value, of: bytes) { element in
                count += 1
                isAny = isAny || element.isEqual(to: "*", in: bytes)
                switch compare(element, in: bytes, comparison, isCurrent) {
                case .matches: isMatch = true
                case .differs: break
                case .malformed: isMalformed = true
                }
            }
        }
        if isMalformed || count == 0 || isAny && count > 1 { return .malformed }
        return isMatch ? .matches : .differs
    }

    private static func compare(
        _ element: Slice, in bytes: Span<UInt8>, _ comparison: Comparison,
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
        for index in start + 1..<end - 1
        where bytes[index] < 0x21 || bytes[index] == quote
            || bytes[index] == 0x7F
        {
            return .malformed
        }
        guard !isWeak || comparison == .weak, isCurrent(Slice(start + 1..<end - 1)) else {
            return .differs
        }
        return .matches
    }

    private static func isEqual(_ tag: Slice, _ current: [UInt8], in bytes: Span<UInt8>) -> Bool {
        guard tag.length == current.count else { return false }
        let start = tag.range.lowerBound
        for index in current.indices where bytes[start + index] != current[index] { return false }
        return true
    }
}
