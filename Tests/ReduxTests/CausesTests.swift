import Testing

@testable import Redux

/// What the random walk does to causes.
private enum CauseStep: Sendable {
    /// An action of so many is dispatched behind an entry of the past.
    case enqueue(count: Int, after: Int)
    /// An effect that an entry of the past has started reports an action.
    case report(after: Int)
    /// The action that has waited longest becomes an entry, which is committed at once or later.
    case take(isPending: Bool)
    /// An entry that waits is committed.
    case commit
    case cancel
    /// Nothing caused the next entry.
    case begin
    case tell
}

/// Causes as simple as they can be thought: lists that are searched.
private struct CausesModel {
    struct Waiting: Equatable {
        var cause: Cause
        var count: Int
    }

    let limits: StoreLimits
    var waiting: [Waiting] = []
    var pending: [Cause] = []
    /// The actions that each root has caused since nothing was open.
    var totals: [UInt64: Int] = [:]
    var ended: Set<UInt64> = []

    func isOpen(_ root: UInt64) -> Bool {
        waiting.contains { $0.cause.root == root } || pending.contains { $0.root == root }
    }

    /// Answers with the code of a refusal, and with the limit where that is told.
    mutating func enqueue(_ count: Int, after cause: Cause) -> (code: String, cut: Int?)? {
        if waiting.reduce(0, { $0 + $1.count }) + count > limits.queuedActions {
            return ("too-many-queued", nil)
        }
        if cause.depth >= limits.chainLength { return ("chain-cut", limits.chainLength) }
        let total = isOpen(cause.root) ? totals[cause.root] ?? 0 : 0
        let limit = limits.followingActions
        guard total + count <= limit else {
            if isOpen(cause.root) { totals[cause.root] = limit + 1 }
            return ("chain-cut", total <= limit ? limit : nil)
        }
        totals[cause.root] = total + count
        waiting.append(Waiting(cause: cause, count: count))
        return nil
    }

    mutating func report(after cause: Cause) {
        if !isOpen(cause.root) { totals[cause.root] = 0 }
        waiting.append(Waiting(cause: cause, count: 1))
    }

    mutating func close(_ root: UInt64) {
        if !isOpen(root) { ended.insert(root) }
    }

    mutating func cancel() {
        for wait in waiting { ended.insert(wait.cause.root) }
        for entry in pending { ended.insert(entry.root) }
        waiting = []
        for entry in pending { totals[entry.root] = 0 }
    }
}

/// Causes and their model, which are told the same.
private struct CausesWalk {
    var causes: Causes<Int>
    var model: CausesModel
    var entries: [Cause] = [Cause(version: 1, origin: .client)]

    init(limits: StoreLimits) {
        causes = Causes(limits: limits)
        model = CausesModel(limits: limits)
    }

    mutating func take(_ step: CauseStep) {
        switch step {
        case .enqueue(let count, let index):
            let cause = entries[index % entries.count]
            let action = IncomingAction(
                actions: Array(repeating: 7, count: count), origin: .client)
            let (excess, expected) = (
                causes.enqueue(action, after: cause), model.enqueue(count, after: cause)
            )
            #expect(excess?.rejection.code == expected?.code)
            #expect(excess?.cut == expected?.cut)
        case .report(let index):
            let cause = entries[index % entries.count]
            causes.enqueue(reported: IncomingAction(actions: [7], origin: .effect, cause: cause))
            model.report(after: cause)
        case .take(let isPending): decide(isPending: isPending)
        case .commit:
            guard !model.pending.isEmpty else { return }
            let entry = model.pending.removeFirst()
            causes.close(entry)
            model.close(entry.root)
        case .cancel:
            causes.cancel(keeping: model.pending.map(\.root))
            model.cancel()
        case .begin: entries.append(Cause(version: UInt64(entries.count) + 1, origin: .client))
        case .tell:
            #expect(causes.takeEnded(and: []).map(\.root) == model.ended.sorted())
            model.ended = []
        }
    }

    private mutating func decide(isPending: Bool) {
        let next = causes.next()
        #expect(next?.cause == model.waiting.first?.cause)
        #expect(next?.actions.count == model.waiting.first?.count)
        guard let cause = next?.cause else { return }
        model.waiting.removeFirst()
        let entry = Cause(version: UInt64(entries.count) + 1, origin: .effect, after: cause)
        entries.append(entry)
        if isPending {
            causes.open(entry.root)
            model.pending.append(entry)
        }
        causes.close(isPending ? cause.ofUndecided : entry)
        model.close(entry.root)
    }

    /// What must hold after every step.
    func compare() {
        #expect(causes.hasActions == !model.waiting.isEmpty)
        #expect(causes.isEmpty == (model.waiting.isEmpty && model.pending.isEmpty))
        #expect(causes.hasEnded == !model.ended.isEmpty)
        for entry in entries { #expect(causes.isOpen(entry.root) == model.isOpen(entry.root)) }
    }
}

extension CauseStep {
    fileprivate static func random(_ chance: inout SeededGenerator) -> CauseStep {
        let recent = Int.random(in: 0..<1_000, using: &chance)
        return switch Int.random(in: 0..<100, using: &chance) {
        case ..<30: .enqueue(count: .random(in: 1...3, using: &chance), after: recent)
        case ..<40: .report(after: recent)
        case ..<70: .take(isPending: .random(using: &chance))
        case ..<85: .commit
        case ..<87: .cancel
        case ..<93: .begin
        default: .tell
        }
    }
}

@Suite struct `The causes of a ledger` {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `are as simple as their model`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var limits = StoreLimits()
        limits.chainLength = 3
        limits.followingActions = 8
        limits.queuedActions = 10
        var walk = CausesWalk(limits: limits)
        for _ in 0..<200 {
            walk.take(.random(&chance))
            walk.compare()
        }
    }

    @Test func `of an entry name its root, its depth and its chain`() {
        let root = Cause(version: 3, origin: .client)
        let child = Cause(version: 5, origin: .effect, after: root)
        let grandchild = Cause(version: 8, origin: .effect, after: child)
        #expect([root, child, grandchild].map(\.root) == [3, 3, 3])
        #expect([root, child, grandchild].map(\.depth) == [0, 1, 2])
        #expect(grandchild.chain == [3, 5])
        #expect(grandchild.path == [3, 5, 8])
    }

    @Test func `that come late begin a new chain of the same root`() {
        var cause = Cause(version: 5, origin: .client, after: Cause(version: 3, origin: .client))
        cause.isLate = true
        let entry = Cause(version: 9, origin: .effect, after: cause)
        #expect(entry.root == 3)
        #expect(entry.depth == 0)
        #expect(entry.chain == [])
        #expect(cause.ofUndecided.depth == 0)
        #expect(!cause.ofUndecided.isLate)
    }

    @Test func `are one deeper while the action that they caused is no entry`() {
        let root = Cause(version: 3, origin: .client)
        #expect(root.ofUndecided.depth == 1)
        #expect(root.ofUndecided.path == root.path)
    }

    @Test func `that end with an effect are told with its entry`() {
        var causes = Causes<Int>(limits: StoreLimits())
        let entry = Cause(version: 5, origin: .effect, after: Cause(version: 3, origin: .client))
        causes.end(entry)
        #expect(causes.takeEnded(and: [3, 9]) == [entry, Cause(version: 9, origin: .effect)])
        #expect(!causes.hasEnded)
    }
}
