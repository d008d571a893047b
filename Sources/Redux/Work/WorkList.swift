/// The works that the committed state wants, as the application has listed them, and the slot that
/// each one has under its name.
///
/// Comparing costs one look at each work, at its place; only what is not where it was is looked up
/// by name. The members of a group are looked at only when its part has changed.
@usableFromInline
struct WorkList: Sendable {
    @usableFromInline
    struct Item: Sendable {
        @usableFromInline var body: any WorkBody
        /// The slot of a single work; nil for a group, and where another one has the name.
        var slot: UInt64?
        /// The members, if it is a group.
        var members: WorkList?
    }

    /// The names of the groups around it, each with a slash behind it.
    private let prefix: String
    @usableFromInline var items: [Item] = []
    private var names: Set<WorkName> = []
    /// The names that several works have.
    private var doubled: Set<WorkName> = []

    init(in prefix: String = "") {
        self.prefix = prefix
    }

    /// Tells whether works have the names and values of this list.
    func isSame<Action>(as works: [Work<Action>]) -> Bool { Self.isSame(works, as: items) }

    /// Tells whether works have the names and values of items, in their order.
    @inlinable
    static func isSame<Action>(_ works: [Work<Action>], as items: [Item]) -> Bool {
        let count = works.count
        guard count == items.count else { return false }
        var index = 0
        while index < count {
            guard works[index].body.isSame(as: items[index].body) else { return false }
            index += 1
        }
        return true
    }

    /// Lists other works instead, and adds the difference to the changes.
    mutating func replace<Action: Sendable>(
        with works: [Work<Action>], _ changes: inout WorkChanges<Action>
    ) {
        let (head, tail) = trim(works)
        for index in 0..<head { update(index, to: works[index], &changes) }
        let middle = head..<items.count - tail
        var old: [WorkName: Item] = [:]
        for item in items[middle] where item.slot != nil || item.members != nil {
            old[item.body.name] = item
        }
        let new = list(works[head..<works.count - tail], &old, &changes)
        for item in items[middle] where old.removeValue(forKey: item.body.name) != nil {
            Self.leave(item, &changes)
        }
        items.replaceSubrange(middle, with: new)
        for index in works.count - tail..<works.count { update(index, to: works[index], &changes) }
    }

    /// The number of works at the beginning and at the end that are where they were by name. The
    /// names in between are registered anew; where one is there twice, all of them.
    private mutating func trim<Action: Sendable>(_ works: [Work<Action>]) -> (head: Int, tail: Int)
    {
        guard doubled.isEmpty else { return (0, 0) }
        let count = min(items.count, works.count)
        var head = 0
        while head < count, works[head].name == items[head].body.name { head += 1 }
        var tail = 0
        while tail < count - head,
            works[works.count - 1 - tail].name == items[items.count - 1 - tail].body.name
        { tail += 1 }
        for item in items[head..<items.count - tail] { names.remove(item.body.name) }
        for work in works[head..<works.count - tail] where !names.insert(work.name).inserted {
            return (0, 0)
        }
        return (head, tail)
    }

    /// The items of works that are not where they were: with the slot of their name, or a new one.
    private mutating func list<Action: Sendable>(
        _ works: ArraySlice<Work<Action>>, _ old: inout [WorkName: Item],
        _ changes: inout WorkChanges<Action>
    ) -> [Item] {
        var seen: Set<WorkName> = []
        var twice: Set<WorkName> = []
        var items: [Item] = []
        items.reserveCapacity(works.count)
        for work in works {
            if !seen.insert(work.name).inserted {
                if twice.insert(work.name).inserted, !doubled.contains(work.name) {
                    changes.doubled.append(prefix + work.name.text)
                }
                items.append(Item(body: work.body))
            } else if var item = old.removeValue(forKey: work.name) {
                Self.update(&item, to: work, prefix, &changes)
                items.append(item)
            } else {
                items.append(Self.made(work, prefix, &changes))
            }
        }
        // Where a name is there twice, or was, all works are listed here.
        if !twice.isEmpty || !doubled.isEmpty { names = seen }
        doubled = twice
        return items
    }

    private mutating func update<Action: Sendable>(
        _ index: Int, to work: Work<Action>, _ changes: inout WorkChanges<Action>
    ) {
        Self.update(&items[index], to: work, prefix, &changes)
    }

    private static func update<Action: Sendable>(
        _ item: inout Item, to work: Work<Action>, _ prefix: String,
        _ changes: inout WorkChanges<Action>
    ) {
        guard !work.body.hasSameValue(as: item.body) else { return }
        switch (work.kind, item.slot) {
        case (.group(let members), nil):
            item.body = work.body
            item.members?.replace(with: members(), &changes)
        case (.group, .some), (_, nil):
            leave(item, &changes)
            item = made(work, prefix, &changes)
        case (let kind, .some(let slot)):
            item.body = work.body
            changes.wanted.append(work.order(kind, in: prefix, slot: slot))
        }
    }

    private static func made<Action: Sendable>(
        _ work: Work<Action>, _ prefix: String, _ changes: inout WorkChanges<Action>
    ) -> Item {
        let kind = work.kind
        if case .group(let members) = kind {
            var list = WorkList(in: prefix + work.name.text + "/")
            list.replace(with: members(), &changes)
            return Item(body: work.body, members: list)
        }
        changes.lastSlot += 1
        changes.wanted.append(work.order(kind, in: prefix, slot: changes.lastSlot))
        return Item(body: work.body, slot: changes.lastSlot)
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
    var wanted: [WorkOrder<Action>] = []
    /// Names that two works have, unless they had it before.
    var doubled: [String] = []

    init(after lastSlot: UInt64) {
        self.lastSlot = lastSlot
    }
}

extension Work {
    fileprivate func order(
        _ kind: WorkKind<Action>, in prefix: String, slot: UInt64
    ) -> WorkOrder<Action> {
        WorkOrder(slot: slot, name: prefix + name.text, policy: body.policy, kind)
    }
}

/// The works of states as an application lists them, and a quick answer where a state wants nothing
/// new. Made where the types are known, so that comparing looks up none of them.
@usableFromInline
package struct WorkSource<State, Action: Sendable>: Sendable {
    let list: @Sendable (State) -> [Work<Action>]
    /// Tells whether a state lists the same works, with the same values, as known items.
    let isListed: @Sendable (State, [WorkList.Item]) -> Bool

    /// Tells whether a state wants nothing to go on.
    package func isEmpty(in state: State) -> Bool { isListed(state, []) }

    @inlinable
    package init(_ list: @escaping @Sendable (State) -> [Work<Action>]) {
        self.init(list) { state, items in WorkList.isSame(list(state), as: items) }
    }

    @usableFromInline
    init(
        _ list: @escaping @Sendable (State) -> [Work<Action>],
        isListed: @escaping @Sendable (State, [WorkList.Item]) -> Bool
    ) {
        self.list = list
        self.isListed = isListed
    }
}

/// A piece of work as a state lists it, with nothing of it under way: for tests.
package struct ListedWork<Action: Sendable>: Sendable {
    /// The report that it is listed for.
    package enum Report: Sendable {
        /// An action at a time.
        case alarm(at: Timestamp, Action)
        /// The action that an answer of a type makes; nil where the work says nothing of it.
        case answer(any (Decodable & Sendable).Type, @Sendable (any Decodable) -> Action?)
        case nothing
    }

    /// The full name, with those of the groups around it.
    package let name: String
    package let report: Report

    /// The works of a list, and in place of each group its members.
    package static func list(_ works: [Work<Action>]) -> [ListedWork] { list(works, in: "") }

    private static func list(_ works: [Work<Action>], in prefix: String) -> [ListedWork] {
        works.flatMap { work -> [ListedWork] in
            let name = prefix + work.name.text
            switch work.kind {
            case .alarm(let time, let action):
                return [ListedWork(name: name, report: .alarm(at: time, action))]
            case .group(let members): return list(members(), in: name + "/")
            case .once, .subscription, .effect:
                guard let body = work.body as? any AnsweringWork else {
                    return [ListedWork(name: name, report: .nothing)]
                }
                let report = Report.answer(body.answerType) { body.report(of: $0) as? Action }
                return [ListedWork(name: name, report: report)]
            }
        }
    }
}
