/// The place of a part in a state.
struct StatePath {
    /// As it is shown: `members[0].name`.
    var text = ""
    /// As it is hidden: `members.name`.
    var shape = ""

    /// The path of a part, without the steps that Swift makes of an optional.
    func appending(_ label: String) -> StatePath {
        guard label != "some" else { return self }
        return StatePath(
            text: text.isEmpty ? label : "\(text).\(label)",
            shape: shape.isEmpty ? label : "\(shape).\(label)")
    }

    /// The path of an element.
    func appending(index: String) -> StatePath {
        StatePath(text: "\(text)[\(index)]", shape: shape)
    }

    var name: String { text.isEmpty ? "state" : text }
}

/// The lines so far, and how to find more of them.
struct StateComparison {
    let limit: Int
    let hidden: Set<String>
    var lines: [String] = []
    /// The first part that differs in what is not shown, or a state around it.
    private var unseen: StatePath?

    init(limit: Int, hidden: Set<String>) {
        self.limit = limit
        self.hidden = hidden
    }

    /// The line of states that differ in nothing that is shown.
    var unseenLine: [String] {
        unseen.map { ["\($0.name): \(Self.notShown)"] } ?? []
    }

    private var isFull: Bool { lines.count > limit }

    mutating func compare(_ old: Any, _ new: Any, at path: StatePath, depth: Int) {
        guard !isFull, !areEqual(old, new) else { return }
        if depth == 0, old is any Equatable { unseen = path }
        guard !isHidden(path) else { return add("\(Self.redacted) → \(Self.redacted)", at: path) }
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
            let step = one.label.map { path.appending($0) } ?? path.appending(index: "\(index)")
            compare(one.value, other.value, at: step, depth: depth + 1)
        }
    }

    private mutating func compareElements(
        _ olds: Mirror.Children, _ news: Mirror.Children, at path: StatePath, depth: Int
    ) {
        let after = news.makeIterator()
        var index = 0
        for old in olds {
            guard !isFull else { return }
            let step = path.appending(index: "\(index)")
            if let new = after.next() {
                compare(old.value, new.value, at: step, depth: depth + 1)
            } else {
                add("\(describe(old.value, at: step)) → absent", at: step)
            }
            index += 1
        }
        while !isFull, let new = after.next() {
            let step = path.appending(index: "\(index)")
            add("absent → \(describe(new.value, at: step))", at: step)
            index += 1
        }
    }

    private mutating func compareValues(
        _ olds: [AnyHashable: Any], _ news: [AnyHashable: Any], at path: StatePath, depth: Int
    ) {
        let changed = Set(olds.keys).union(news.keys).filter { key in
            guard let old = olds[key], let new = news[key] else { return true }
            return !areEqual(old, new)
        }
        let named = changed.map { (name: Self.describe($0.base), key: $0) }
        for (name, key) in named.sorted(by: { $0.name < $1.name }) {
            guard !isFull else { return }
            let step = path.appending(index: name)
            switch (olds[key], news[key]) {
            case (let old?, let new?): compare(old, new, at: step, depth: depth + 1)
            case (let old?, nil): add("\(describe(old, at: step)) → absent", at: step)
            case (nil, let new?): add("absent → \(describe(new, at: step))", at: step)
            case (nil, nil): break
            }
        }
    }

    private mutating func compareMembers(
        _ olds: Set<AnyHashable>, _ news: Set<AnyHashable>, at path: StatePath
    ) {
        let gone = olds.subtracting(news).map { "\(describe($0.base, at: path)) → absent" }
        let come = news.subtracting(olds).map { "absent → \(describe($0.base, at: path))" }
        for change in gone.sorted() + come.sorted() {
            guard !isFull else { return }
            add(change, at: path)
        }
    }

    private mutating func addLeaf(_ old: Any, _ new: Any, at path: StatePath) {
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

    private mutating func add(_ change: String, at path: StatePath) {
        lines.append(StateDiff.escaped("\(path.name): \(change)"))
    }

    private func areEqual(_ old: Any, _ new: Any) -> Bool {
        func isSame<Value: Equatable>(_ old: Value) -> Bool { new as? Value == old }
        return (old as? any Equatable).map { isSame($0) } ?? false
    }

    // MARK: What is hidden

    static let notShown = "what differs is not shown"
    private static let redacted = "<redacted>"

    /// Tells whether a part is hidden, or lies below one that is.
    private func isHidden(_ path: StatePath) -> Bool {
        hidden.contains { path.shape == $0 || path.shape.hasPrefix("\($0).") }
    }

    /// Tells whether a description of a part would show what is hidden.
    private func holdsHidden(_ path: StatePath) -> Bool {
        isHidden(path)
            || hidden.contains { path.shape.isEmpty || $0.hasPrefix("\(path.shape).") }
    }

    private func describe(_ value: Any, at path: StatePath) -> String {
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
        guard start > 0 else { return StateDiff.shortened(text) }
        return "…" + StateDiff.shortened(String(text.dropFirst(start)))
    }
}
