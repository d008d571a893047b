/// What differs between two values, found by their mirrors: one line a leaf.
///
///     count: 1 → 2
///     screens[0].home.searchText: "" → "tin"
public enum StateDiff {
    /// The lines, at most `limit` of them and of moderate length; a value's own description stands
    /// for it, so that a `Secret` shows nothing.
    public static func lines<Value>(_ old: Value, _ new: Value, limit: Int = 50) -> [String] {
        var lines: [String] = []
        compare(old, new, at: "", depth: 0, limit: limit, into: &lines)
        if lines.count > limit {
            lines.removeSubrange(limit...)
            lines.append("…")
        }
        return lines
    }

    private static func compare(
        _ old: Any, _ new: Any, at path: String, depth: Int, limit: Int, into lines: inout [String]
    ) {
        guard lines.count <= limit else { return }
        let before = Mirror(reflecting: old)
        let after = Mirror(reflecting: new)
        let isLeaf = before.children.isEmpty || after.children.isEmpty || depth > 32
        let olds = isLeaf ? [] : Array(before.children)
        let news = isLeaf ? [] : Array(after.children)
        guard !isLeaf, olds.map(\.label) == news.map(\.label) || before.displayStyle == .collection
        else {
            let (one, other) = (text(of: old), text(of: new))
            guard one != other else { return }
            lines.append(
                "\(path.isEmpty ? "state" : path): \(shortened(one)) → \(shortened(other))")
            return
        }
        for index in 0..<max(olds.count, news.count) {
            let label = index < news.count ? news[index].label : olds[index].label
            let name = label.map { path.isEmpty ? $0 : "\(path).\($0)" } ?? "\(path)[\(index)]"
            switch (index < olds.count, index < news.count) {
            case (true, true):
                compare(
                    olds[index].value, news[index].value, at: unwrapped(name), depth: depth + 1,
                    limit: limit, into: &lines)
            case (true, false): lines.append("\(name): \(describe(olds[index].value)) → absent")
            default: lines.append("\(name): absent → \(describe(news[index].value))")
            }
            guard lines.count <= limit else { return }
        }
    }

    /// A path without the steps that Swift makes of an optional.
    private static func unwrapped(_ path: String) -> String {
        path.hasSuffix(".some") ? String(path.dropLast(5)) : path
    }

    private static func describe(_ value: Any) -> String {
        shortened(text(of: value))
    }

    private static func text(of value: Any) -> String {
        (value as? String).map { "\"\($0)\"" } ?? String(describing: value)
    }

    /// At most 120 characters of a text, however long it is.
    static func shortened(_ text: String) -> String {
        let start = text.prefix(120)
        return start.endIndex < text.endIndex ? start + "…" : text
    }
}
