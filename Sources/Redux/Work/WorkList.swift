/// The works that the committed state wants, as the application has listed them, and the slot that
/// each one has under its name.
///
/// The members of a group are looked at only when its part has changed.
@usableFromInline
struct WorkList: Sendable {
    @usableFromInline
    struct Item: Sendable {
        @usableFromInline let name: String
        @usableFromInline var value: any WorkValue
        /// The slot of a single work; nil for a group, and where another one has the name.
        var slot: UInt64?
        /// The members, if it is a group.
        var members: WorkList?

        var counts: Bool { slot != nil || members != nil }
    }

    @usableFromInline var items: [Item] = []
    /// The names that several works have.
    private var doubled: Set<String> = []

    /// Tells whether works have the names and values of items, in their order.
    @inlinable
    static func isSame<Action>(_ works: [Work<Action>], as items: [Item]) -> Bool {
        guard works.count == items.count else { return false }
        for index in works.indices
        where !works[index].isSame(items[index].name, items[index].value) { return false }
        return true
    }

    /// Lists other works instead, and adds the difference to the changes.
    ///
    /// - Parameter prefix: the names of the groups around it, each with a slash behind it.
    mutating func replace<Action: Sendable>(
        with works: [Work<Action>], of session: SessionID, in prefix: String = "",
        _ changes: inout WorkChanges<Action>
    ) {
        let (former, formerDoubled) = (items, doubled)
        var old: [String: Item] = [:]
        for item in former where item.counts { old[item.name] = item }
        var seen: Set<String> = []
        doubled = []
        items = []
        for work in works {
            if seen.insert(work.name).inserted {
                let item = old.removeValue(forKey: work.name)
                items.append(Self.item(of: work, in: session, after: item, prefix, &changes))
                continue
            }
            if doubled.insert(work.name).inserted, !formerDoubled.contains(work.name) {
                changes.doubled.append(prefix + work.name)
            }
            items.append(Item(name: work.name, value: work.value))
        }
        for item in former where item.counts && old[item.name] != nil { Self.leave(item, &changes) }
    }

    private static func item<Action: Sendable>(
        of work: Work<Action>, in session: SessionID, after old: Item?, _ prefix: String,
        _ changes: inout WorkChanges<Action>
    ) -> Item {
        if let old, work.value.isEqual(to: old.value) { return old }
        var item = Item(name: work.name, value: work.value)
        let kind = work.kind()
        if case .group(let members) = kind {
            if let old, old.members == nil { leave(old, &changes) }
            item.members = old?.members ?? WorkList()
            item.members?.replace(
                with: members(session), of: session, in: prefix + work.name + "/", &changes)
            return item
        }
        if let old, old.slot == nil { leave(old, &changes) }
        if old?.slot == nil { changes.lastSlot += 1 }
        let slot = old?.slot ?? changes.lastSlot
        item.slot = slot
        changes.wanted.append((slot, prefix + work.name, kind))
        return item
    }

    private static func leave<Action: Sendable>(_ item: Item, _ changes: inout WorkChanges<Action>)
    {
        if let slot = item.slot { changes.gone.append(slot) }
        for member in item.members?.items ?? [] { leave(member, &changes) }
    }
}

/// The difference between two lists of works.
struct WorkChanges<Action: Sendable>: Sendable {
    /// The last slot that was given; new works get the ones after it.
    var lastSlot: UInt64
    /// The slots of works that are gone.
    var gone: [UInt64] = []
    /// The works that are new or have another value, in the order of the list.
    var wanted: [(slot: UInt64, name: String, kind: WorkKind<Action>)] = []
    /// Names that two works have, unless they had it before.
    var doubled: [String] = []
}

/// The works of states as an application lists them, and a quick answer where a state wants nothing
/// new. Made where the types are known, so that comparing looks up none of them.
@usableFromInline
package struct WorkSource<State, Action: Sendable>: Sendable {
    @usableFromInline let list: @Sendable (State) -> [Work<Action>]
    /// Tells whether a state lists the same works, with the same values, as known items.
    @usableFromInline let isListed: @Sendable (State, [WorkList.Item]) -> Bool

    /// Tells whether a state wants nothing to go on.
    package func isEmpty(in state: State) -> Bool { isListed(state, []) }

    /// The earliest time at which a state wants something that its session has to be in memory for.
    package func wakingTime(
        in state: State, of session: SessionID, at now: Timestamp
    ) -> Timestamp? {
        Work.wakingTime(of: list(state), in: session, at: now)
    }

    @inlinable
    package init(_ list: @escaping @Sendable (State) -> [Work<Action>]) {
        self.list = list
        isListed = { WorkList.isSame(list($0), as: $1) }
    }
}

extension Work {
    /// The earliest time at which a session has to be in memory for works: that of an alarm, or for other
    /// work a given one; nil where there is neither. What waits for watchers does not count, nor what only
    /// ends well, as the keeping of a value.
    static func wakingTime(
        of works: [Work], in session: SessionID, at now: Timestamp
    ) -> Timestamp? {
        list(works, of: session).compactMap { work in
            switch work.kind {
            case .alarm(let time, _): time
            case .operation(let operation):
                operation.policy.isWhileWatched || operation.policy.isFinishing ? nil : now
            case .group: nil
            }
        }.min()
    }

    /// The full names and kinds of the works of a list, and in place of each group its members.
    package static func list(
        _ works: [Work], of session: SessionID, in prefix: String = ""
    ) -> [(name: String, kind: WorkKind<Action>)] {
        works.flatMap { work in
            let (name, kind) = (prefix + work.name, work.kind())
            guard case .group(let members) = kind else { return [(name, kind)] }
            return list(members(session), of: session, in: name + "/")
        }
    }
}

/// Collects the works of a state: single ones and arrays of them, within `if`, `switch` and `for`.
///
///     func work(in state: State) -> [Work<Action>] {
///         if state.results.isLoading { Work("search", for: state.text, search) { .found($0) } }
///         for row in state.rows { favorite.work(in: row).map(in: row.id) { .row(id: row.id, $0) } }
///     }
@resultBuilder
public enum WorkBuilder<Action: Sendable> {
    /// The works of a part of the body.
    public typealias Part = [Work<Action>]

    /// One work.
    @inlinable public static func buildExpression(_ work: Work<Action>) -> Part { [work] }

    /// The works of a child, or any others.
    @inlinable public static func buildExpression(_ works: [Work<Action>]) -> Part { works }

    /// An empty body.
    @inlinable public static func buildBlock() -> Part { [] }

    /// The first statement of a body.
    @inlinable public static func buildPartialBlock(first: Part) -> Part { first }

    /// A statement behind others.
    @inlinable
    public static func buildPartialBlock(accumulated: Part, next: Part) -> Part {
        accumulated.isEmpty ? next : accumulated + next
    }

    /// An `if` without an `else`.
    @inlinable public static func buildOptional(_ part: Part?) -> Part { part ?? [] }

    /// The first branch.
    @inlinable public static func buildEither(first: Part) -> Part { first }

    /// The other branch.
    @inlinable public static func buildEither(second: Part) -> Part { second }

    /// A loop.
    @inlinable public static func buildArray(_ parts: [Part]) -> Part { parts.flatMap { $0 } }
}
