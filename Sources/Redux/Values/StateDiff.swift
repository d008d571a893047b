/// The differences between two values, found by their mirrors: one line a leaf.
///
///     count: 1 → 2
///     screens[0].home.searchText: "" → "tin"
///     byName["ada"]: absent → Person(age: 36)
///
/// Line breaks and control characters in texts are escaped, `"a\nb"`, so that no value can look like
/// a line of a log. Parts that are equal are not looked into, so that a small change of a large
/// value costs little more than a comparison. A value's own description stands for it: a `Secret`
/// shows nothing.
package enum StateDiff {
    /// The lines, at most `limit` of them and of moderate length.
    ///
    /// Of states that differ in nothing that is shown (a `Secret`, a NaN) there is one line, which
    /// says so.
    ///
    /// - Parameter hidden: paths whose values are shown as `<redacted>`, and everything below them,
    ///   without the indexes and keys of elements: `form.password`, `members.name`.
    package static func lines<Value>(
        _ old: Value, _ new: Value, limit: Int = 50, hiding hidden: Set<String> = []
    ) -> [String] {
        var comparison = StateComparison(limit: limit, hidden: hidden)
        comparison.compare(old, new, at: StatePath(), depth: 0)
        guard comparison.lines.count > limit else {
            return comparison.lines.isEmpty ? comparison.unseenLine : comparison.lines
        }
        return comparison.lines.prefix(limit) + ["…"]
    }

    /// A text in which line breaks and control characters are escaped, as Swift writes them.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isLineBreakOrControl) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where isLineBreakOrControl(scalar):
                escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isLineBreakOrControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// At most 120 characters of a text, however long it is.
    static func shortened(_ text: String) -> String {
        let start = text.prefix(120)
        return start.endIndex < text.endIndex ? start + "…" : text
    }
}

/// The rough size of a value, found by its mirror.
public enum StateSize {
    /// The bytes of the strings and byte arrays in a value, and 8 for everything else that has no
    /// parts. Stops beyond the limit, so that a large value costs no more than the limit does.
    @Sendable public static func byteCount(of value: some Any, limit: Int) -> Int {
        var count = 0
        var waiting: [Any] = [value]
        while count <= limit, let next = waiting.popLast() {
            switch next {
            case let text as String: count += 1 + text.utf8.count
            case let bytes as [UInt8]: count += 1 + bytes.count
            default:
                let children = Mirror(reflecting: next).children
                count += children.isEmpty ? 8 : 1
                guard children.count <= limit - count else { return count + children.count }
                for child in children { waiting.append(child.value) }
            }
        }
        return count
    }
}
