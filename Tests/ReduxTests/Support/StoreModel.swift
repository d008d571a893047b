import Redux

/// What the random walk does to a store.
enum WalkStep: Sendable, Equatable {
    case dispatch(WalkAction)
    case batch([WalkAction])
    case stage(WalkAction)
    case stageBatch([WalkAction])
    case commit(ahead: UInt64)
    case revert
    case causedActions
    case observe
    case forget(Int)
    case switchMiddleware(String, Bool)
}

enum WalkAction: Sendable, Equatable {
    /// The last digit decides: 6 is replaced, 7 expanded, 8 dropped and 9 refused by an
    /// interceptor.
    case added(Int)
    case refused
    /// Is followed by one with a number less, until it is 0.
    case chained(Int)
}

/// A store as simple as it can be thought, one line a rule.
struct StoreModel {
    struct Entry {
        var action: WalkAction
        var count: Int
        var version: UInt64
        var isToldLater = false
    }

    static let refused = Rejection("refused", "No.", kind: .conflict)
    static let nine = Rejection("nine", "No nines.")

    var count = 0
    var version: UInt64 = 0
    var lastChange: UInt64 = 0
    var pending: [Entry] = []
    var waiting: [WalkAction] = []
    /// What each observer was told; nil once it has gone.
    var told: [[Int]?] = []
    var enabled: Set = ["digits", "chains"]
    private var isUntold = false

    var head: (count: Int, version: UInt64) {
        pending.last.map { ($0.count, $0.version) } ?? (count, version)
    }

    static func reduce(_ count: inout Int, _ action: WalkAction) throws(Rejection) {
        switch action {
        case .added(let number): count &+= number
        case .refused: throw refused
        case .chained: break
        }
    }

    static func verdict(on action: WalkAction) -> Verdict<WalkAction> {
        guard case .added(let number) = action else { return .pass }
        return switch number % 10 {
        case 6: .replace(.added(number * 10))
        case 7: .expand([.added(number), .added(0), .added(1)])
        case 8: .drop
        case 9: .reject(nine)
        default: .pass
        }
    }

    mutating func dispatch(_ action: WalkAction) -> Outcome {
        drain()
        let outcome = keep { $0.stage(action) }
        drain()
        return outcome
    }

    mutating func dispatch(batch actions: [WalkAction]) -> BatchOutcome {
        drain()
        let outcome = keep { $0.stage(batch: actions) }
        drain()
        return outcome
    }

    private mutating func drain() {
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            _ = keep { $0.stage(next) }
        }
    }

    /// What is kept is committed, with all that was handed over before.
    private mutating func keep<Result>(_ stage: (inout StoreModel) -> Result) -> Result {
        let before = head.version
        let result = stage(&self)
        if head.version > before { commit(through: .max) }
        return result
    }

    /// What follows is staged first, and nothing is committed.
    mutating func submitLater<Result>(_ stage: (inout StoreModel) -> Result) -> Result {
        stageCausedActions()
        return stage(&self)
    }

    mutating func stageCausedActions() {
        while !waiting.isEmpty { _ = stage(waiting.removeFirst()) }
    }

    mutating func stage(_ action: WalkAction) -> Outcome {
        let mark = pending.count
        let before = head
        for action in intercept(action) {
            switch action {
            case .success(let action):
                var count = head.count
                do throws(Rejection) {
                    try Self.reduce(&count, action)
                } catch {
                    pending.removeSubrange(mark...)
                    return .rejected(error)
                }
                pending.append(Entry(action: action, count: count, version: head.version + 1))
            case .failure(let rejection): return .rejected(rejection)
            }
        }
        guard pending.count > mark else { return .dropped }
        joinEntries(from: mark)
        let counts = [before.count] + pending.dropFirst(mark).map(\.count)
        let changed = zip(counts, counts.dropFirst()).contains { $0 != $1 }
        return .accepted(first: before.version + 1, last: head.version, changed: changed)
    }

    private func intercept(_ action: WalkAction) -> [Result<WalkAction, Rejection>] {
        guard enabled.contains("digits") else { return [.success(action)] }
        return switch Self.verdict(on: action) {
        case .replace(let other): [.success(other)]
        case .expand(let others): others.map { .success($0) }
        case .drop: []
        case .reject(let rejection): [.failure(rejection)]
        default: [.success(action)]
        }
    }

    mutating func stage(batch actions: [WalkAction]) -> BatchOutcome {
        let mark = pending.count
        var outcomes: [Outcome] = []
        for (index, action) in actions.enumerated() {
            let outcome = stage(action)
            if case .rejected(let rejection) = outcome {
                pending.removeSubrange(mark...)
                return .rejected(index: index, rejection)
            }
            outcomes.append(outcome)
        }
        joinEntries(from: mark)
        return .accepted(outcomes)
    }

    /// Entries that are decided together are committed together.
    private mutating func joinEntries(from mark: Int) {
        for index in pending.indices.dropFirst(mark).dropLast() {
            pending[index].isToldLater = true
        }
    }

    mutating func commit(through last: UInt64) {
        while let end = pending.firstIndex(where: { !$0.isToldLater }),
            pending[end].version <= last
        {
            let (group, before) = (pending[end].version, lastChange)
            for _ in 0...end { commitFirst() }
            if lastChange > before { lastChange = group }
        }
    }

    private mutating func commitFirst() {
        let entry = pending.removeFirst()
        if entry.count != count {
            lastChange = entry.version
            isUntold = true
        }
        (count, version) = (entry.count, entry.version)
        if isUntold, !entry.isToldLater { tell() }
        if case .chained(let rest) = entry.action, rest > 0, enabled.contains("chains") {
            waiting.append(.chained(rest - 1))
        }
    }

    /// The first observer dispatches when it is told of a multiple of five.
    private mutating func tell() {
        isUntold = false
        for index in told.indices where told[index].map({ $0.last != count }) ?? false {
            told[index]?.append(count)
            if index == 0, count.isMultiple(of: 5) { waiting.append(.added(1)) }
        }
    }
}
