/// What differs between two values, found by their mirrors: one line a leaf.
///
///     count: 1 → 2
///     screens[0].home.searchText: "" → "tin"
///     byName["ada"]: absent → Person(age: 36)
///
/// Parts that are equal are not looked into, so that a small change of a large value costs little
/// more than a comparison. A value's own description stands for it: a `Secret` shows nothing.
public enum StateDiff {
    /// The lines, at most `limit` of them and of moderate length.
    public static func lines<Value>(_ old: Value, _ new: Value, limit: Int = 50) -> [String] {
        var comparison = StateComparison(limit: limit)
        comparison.compare(old, new, at: "", depth: 0)
        guard comparison.lines.count > limit else { return comparison.lines }
        return comparison.lines.prefix(limit) + ["…"]
    }

    /// At most 120 characters of a text, however long it is.
    static func shortened(_ text: String) -> String {
        let start = text.prefix(120)
        return start.endIndex < text.endIndex ? start + "…" : text
    }
}

/// The lines so far, and how to find more of them.
private struct StateComparison {
    let limit: Int
    var lines: [String] = []

    private var isFull: Bool { lines.count > limit }

    mutating func compare(_ old: Any, _ new: Any, at path: String, depth: Int) {
        guard !isFull, !areEqual(old, new) else { return }
        if let before = old as? [AnyHashable: Any], let after = new as? [AnyHashable: Any],
            !before.isEmpty, !after.isEmpty
        {
            return compareValues(before, after, at: path, depth: depth)
        }
        if let before = old as? Set<AnyHashable>, let after = new as? Set<AnyHashable> {
            return compareMembers(before, after, at: path)
        }
        let before = Mirror(reflecting: old)
        let after = Mirror(reflecting: new)
        guard !before.children.isEmpty, !after.children.isEmpty, depth <= 32 else {
            return addLeaf(old, new, at: path)
        }
        if before.displayStyle == .collection {
            return compareElements(before.children, after.children, at: path, depth: depth)
        }
        guard before.children.map(\.label) == after.children.map(\.label) else {
            return addLeaf(old, new, at: path)
        }
        for (index, (one, other)) in zip(before.children, after.children).enumerated() {
            let step = one.label.map { path.isEmpty ? $0 : "\(path).\($0)" } ?? "\(path)[\(index)]"
            compare(one.value, other.value, at: Self.unwrapped(step), depth: depth + 1)
        }
    }

    private mutating func compareElements(
        _ olds: Mirror.Children, _ news: Mirror.Children, at path: String, depth: Int
    ) {
        let after = news.makeIterator()
        var index = 0
        for old in olds {
            guard !isFull else { return }
            if let new = after.next() {
                compare(old.value, new.value, at: "\(path)[\(index)]", depth: depth + 1)
            } else {
                lines.append("\(path)[\(index)]: \(Self.describe(old.value)) → absent")
            }
            index += 1
        }
        while !isFull, let new = after.next() {
            lines.append("\(path)[\(index)]: absent → \(Self.describe(new.value))")
            index += 1
        }
    }

    private mutating func compareValues(
        _ olds: [AnyHashable: Any], _ news: [AnyHashable: Any], at path: String, depth: Int
    ) {
        let changed = Set(olds.keys).union(news.keys).filter { key in
            guard let old = olds[key], let new = news[key] else { return true }
            return !areEqual(old, new)
        }
        let named = changed.map { (name: Self.describe($0.base), key: $0) }
        for (name, key) in named.sorted(by: { $0.name < $1.name }) {
            guard !isFull else { return }
            let step = "\(path)[\(name)]"
            switch (olds[key], news[key]) {
            case (let old?, let new?): compare(old, new, at: step, depth: depth + 1)
            case (let old?, nil): lines.append("\(step): \(Self.describe(old)) → absent")
            case (nil, let new): lines.append("\(step): absent → \(new.map(Self.describe) ?? "")")
            }
        }
    }

    private mutating func compareMembers(
        _ olds: Set<AnyHashable>, _ news: Set<AnyHashable>, at path: String
    ) {
        let gone = olds.subtracting(news).map { "\(Self.describe($0.base)) → absent" }
        let come = news.subtracting(olds).map { "absent → \(Self.describe($0.base))" }
        for change in gone.sorted() + come.sorted() {
            guard !isFull else { return }
            lines.append("\(Self.name(path)): \(change)")
        }
    }

    private mutating func addLeaf(_ old: Any, _ new: Any, at path: String) {
        let (one, other) = (Self.text(of: old), Self.text(of: new))
        guard one != other || Self.isLarge(old) else { return }
        let start = Self.start(ofDifferenceIn: one, other)
        lines.append(
            "\(Self.name(path)): \(Self.shorten(one, from: start)) → "
                + Self.shorten(other, from: start))
    }

    private func areEqual(_ old: Any, _ new: Any) -> Bool {
        func isSame<Value: Equatable>(_ old: Value) -> Bool { new as? Value == old }
        return (old as? any Equatable).map { isSame($0) } ?? false
    }

    // MARK: Text

    private static let longest = 120

    private static func name(_ path: String) -> String { path.isEmpty ? "state" : path }

    /// A path without the steps that Swift makes of an optional.
    private static func unwrapped(_ path: String) -> String {
        path.hasSuffix(".some") ? String(path.dropLast(5)) : path
    }

    private static func describe(_ value: Any) -> String { shorten(text(of: value), from: 0) }

    /// Too large to be described: its size stands for it.
    private static func isLarge(_ value: Any) -> Bool {
        StateSize.byteCount(of: value, limit: 10_000) > 10_000
    }

    private static func text(of value: Any) -> String {
        if isLarge(value) {
            let byteCount = (value as? String)?.utf8.count
            let count = byteCount ?? Mirror(reflecting: value).children.count
            return "\(type(of: value)) of \(count)"
        }
        return (value as? String).map { "\"\($0)\"" } ?? String(describing: value)
    }

    /// Where to begin showing two texts, in characters: a little before they differ, if that is
    /// beyond what would be shown.
    private static func start(ofDifferenceIn one: String, _ other: String) -> Int {
        let common = zip(one, other).prefix { $0 == $1 }.count
        return common < longest - 20 ? 0 : common - 20
    }

    private static func shorten(_ text: String, from start: Int) -> String {
        guard start > 0 else { return StateDiff.shortened(text) }
        return "…" + StateDiff.shortened(String(text.dropFirst(start)))
    }
}
