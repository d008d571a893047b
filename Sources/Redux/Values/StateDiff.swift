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
package struct StateDiff {
    /// The place of a part: as it is shown, `members[0].name`, and as it is hidden, `members.name`.
    private typealias Path = (text: String, shape: String)

    private let limit: Int
    private let hidden: Set<String>
    private var lines: [String] = []
    /// The first part that differs in what is not shown, or a state around it.
    private var unseen: Path?

    /// The line of states that differ in nothing that is shown.
    private var unseenLine: [String] {
        unseen.map { ["\(Self.name($0)): \(Self.notShown)"] } ?? []
    }

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
        var diff = StateDiff(limit: limit, hidden: hidden)
        diff.compare(old, new, at: ("", ""), depth: 0)
        guard diff.lines.count > limit else {
            return diff.lines.isEmpty ? diff.unseenLine : diff.lines
        }
        return diff.lines.prefix(limit) + ["…"]
    }

    private var isFull: Bool { lines.count > limit }

    /// Nil: the part is not there.
    private mutating func compare(_ old: Any?, _ new: Any?, at path: Path, depth: Int) {
        guard !isFull else { return }
        guard let old, let new else {
            let (one, other) = (
                old.map { describe($0, at: path) }, new.map { describe($0, at: path) }
            )
            return add("\(one ?? "absent") → \(other ?? "absent")", at: path)
        }
        guard !areEqual(old, new) else { return }
        if depth == 0, old is any Equatable { unseen = path }
        guard !isHidden(path) else { return add("\(Self.redacted) → \(Self.redacted)", at: path) }
        if let before = old as? [AnyHashable: Any], let after = new as? [AnyHashable: Any],
            !before.isEmpty, !after.isEmpty
        {
            let changed = Set(before.keys).union(after.keys).filter {
                !areEqual(before[$0], after[$0])
            }
            let named = changed.map { (key: $0, name: Self.describe($0.base)) }
            for (key, name) in named.sorted(by: { $0.name < $1.name }) {
                let step = Self.path(path, index: name)
                compare(before[key], after[key], at: step, depth: depth + 1)
            }
        } else if let before = old as? Set<AnyHashable>, let after = new as? Set<AnyHashable> {
            compareMembers(before, after, at: path)
        } else {
            compareParts(old, new, at: path, depth: depth)
        }
    }

    private mutating func compareParts(_ old: Any, _ new: Any, at path: Path, depth: Int) {
        let (before, after) = (Mirror(reflecting: old), Mirror(reflecting: new))
        let (olds, news) = (Array(before.children), Array(after.children))
        let isList = before.displayStyle == .collection
        guard !olds.isEmpty, !news.isEmpty, depth <= 32,
            isList || olds.map(\.label) == news.map(\.label)
        else { return addLeaf(old, new, at: path) }
        for index in 0..<max(olds.count, news.count) {
            let (one, other) = (
                index < olds.count ? olds[index] : nil, index < news.count ? news[index] : nil
            )
            let label = isList ? nil : one?.label
            let step = label.map { Self.path(path, $0) } ?? Self.path(path, index: "\(index)")
            compare(one?.value, other?.value, at: step, depth: depth + 1)
        }
    }

    private mutating func compareMembers(
        _ olds: Set<AnyHashable>, _ news: Set<AnyHashable>, at path: Path
    ) {
        let gone = olds.subtracting(news).map { "\(describe($0.base, at: path)) → absent" }
        let come = news.subtracting(olds).map { "absent → \(describe($0.base, at: path))" }
        for change in gone.sorted() + come.sorted() where !isFull { add(change, at: path) }
    }

    private mutating func addLeaf(_ old: Any, _ new: Any, at path: Path) {
        guard !holdsHidden(path) else {
            return add("\(Self.redacted) → \(Self.redacted)", at: path)
        }
        let (one, other) = (Self.text(of: old), Self.text(of: new))
        guard one != other || Self.isLarge(old) else {
            if let before = unseen, before.text.isEmpty, old is any Equatable { unseen = path }
            return
        }
        let start = Self.start(ofDifferenceIn: one, other)
        add("\(Self.shorten(one, from: start)) → \(Self.shorten(other, from: start))", at: path)
    }

    private mutating func add(_ change: String, at path: Path) {
        lines.append(Self.escaped("\(Self.name(path)): \(change)"))
    }

    /// The path of a part, without the steps that Swift makes of an optional.
    private static func path(_ path: Path, _ label: String) -> Path {
        guard label != "some" else { return path }
        return (
            path.text.isEmpty ? label : "\(path.text).\(label)",
            path.shape.isEmpty ? label : "\(path.shape).\(label)"
        )
    }

    /// The path of an element.
    private static func path(_ path: Path, index: String) -> Path {
        ("\(path.text)[\(index)]", path.shape)
    }

    private static func name(_ path: Path) -> String { path.text.isEmpty ? "state" : path.text }

    private func areEqual(_ old: Any?, _ new: Any?) -> Bool {
        func isSame<Value: Equatable>(_ old: Value) -> Bool { new as? Value == old }
        return (old as? any Equatable).map { isSame($0) } ?? false
    }

    // MARK: What is hidden

    static let notShown = "what differs is not shown"
    private static let redacted = "<redacted>"

    /// Tells whether a part is hidden, or lies below one that is.
    private func isHidden(_ path: Path) -> Bool {
        hidden.contains { path.shape == $0 || path.shape.hasPrefix("\($0).") }
    }

    /// Tells whether a description of a part would show what is hidden.
    private func holdsHidden(_ path: Path) -> Bool {
        isHidden(path)
            || hidden.contains { path.shape.isEmpty || $0.hasPrefix("\(path.shape).") }
    }

    private func describe(_ value: Any, at path: Path) -> String {
        holdsHidden(path) ? Self.redacted : Self.describe(value)
    }

    // MARK: Text

    private static let longest = 120

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

    /// The character from which two texts are shown: a little before they differ, if that is beyond
    /// the part that would be shown.
    private static func start(ofDifferenceIn one: String, _ other: String) -> Int {
        let common = zip(one, other).prefix { $0 == $1 }.count
        return common < longest - 20 ? 0 : common - 20
    }

    private static func shorten(_ text: String, from start: Int) -> String {
        guard start > 0 else { return Self.shortened(text) }
        return "…" + Self.shortened(String(text.dropFirst(start)))
    }

    /// A text in which line breaks and control characters are escaped, as Swift writes them.
    package static func escaped(_ text: String) -> String {
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

    /// The beginning of a text, however long it is.
    static func shortened(_ text: String) -> String {
        let start = text.prefix(longest)
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
