import Testing

@testable import Redux

/// What the random walk does to the effects of a table.
private enum EffectStep: Sendable {
    case add(name: String?, overlap: Overlap, root: UInt64)
    case end(Int)
    case cancelAll
}

/// Effects as simple as they can be thought: a list of what runs, and one of what waits.
private struct EffectModel {
    struct Item: Equatable {
        var id: UInt64
        var name: String?
        var root: UInt64
    }

    let limits: StoreLimits
    var running: [Item] = []
    var waiting: [Item] = []
    var lastID: UInt64 = 0
    /// What began and what was cancelled during a step.
    var begun: Set<UInt64> = []
    var cancelled: Set<UInt64> = []

    var items: [Item] { (running + waiting).sorted { $0.id < $1.id } }

    /// Whether it was begun, queued or left out.
    mutating func add(_ name: String?, _ overlap: Overlap, _ root: UInt64) -> String {
        lastID += 1
        let item = Item(id: lastID, name: name, root: root)
        if name != nil, running.contains(where: { $0.name == name }) {
            switch overlap {
            case .concurrent: break
            case .latest: cancel { $0.name == name }
            case .keepRunning: return "superfluous"
            case .queue:
                let others = waiting.count { $0.name == name }
                guard others < limits.queuedEffects else { return "exhausted" }
                waiting.append(item)
                return "queued"
            }
        }
        guard running.count < limits.runningEffects else { return "exhausted" }
        begin(item)
        return "begun"
    }

    private mutating func begin(_ item: Item) {
        running.append(item)
        begun.insert(item.id)
    }

    mutating func end(_ item: Item) {
        running.removeAll { $0 == item }
        guard item.name != nil, !running.contains(where: { $0.name == item.name }),
            let next = waiting.firstIndex(where: { $0.name == item.name })
        else { return }
        begin(waiting.remove(at: next))
    }

    mutating func cancel(_ isMeant: (Item) -> Bool) {
        cancelled.formUnion(running.filter(isMeant).map(\.id))
        running.removeAll(where: isMeant)
        waiting.removeAll(where: isMeant)
    }
}

/// A table and its model, which are told the same. An effect is caused by an entry of its own number.
private struct EffectWalk {
    var table: WorkTable<Int>
    var model: EffectModel
    let now: WorkTime = (elapsed: .zero, at: Timestamp(milliseconds: 0))
    /// The effects that a runner would have a task for, by their runs.
    var running: [UInt64: UInt64] = [:]
    /// What the table has asked for during a step.
    var begun: Set<UInt64> = []
    var cancelled: Set<UInt64> = []
    var exhausted: [StoreDiagnostic] = []

    init() {
        var limits = StoreLimits()
        limits.runningEffects = 4
        limits.queuedEffects = 2
        table = WorkTable(limits: limits)
        model = EffectModel(limits: limits)
    }

    mutating func take(_ step: EffectStep) {
        switch step {
        case .add(let name, let overlap, let root):
            let id = model.lastID + 1
            let cause = Cause(version: id, origin: .client, root: root)
            table.start(
                .run(name, overlap: overlap) { _ in },
                startedBy: WorkOrigin(cause: cause, token: "\(id)"), at: now)
            let expected = model.add(name, overlap, root)
            perform()
            #expect(begun.contains(id) == (expected == "begun"))
            #expect(exhausted.isEmpty == (expected != "exhausted"))
            #expect(
                table.effects.contains { $0.cause == id && $0.isWaiting } == (expected == "queued"))
        case .end(let index):
            guard !model.running.isEmpty else { return }
            let item = model.running[index % model.running.count]
            let run = running.first { $0.value == item.id }?.key
            table.accept(StoreDelivery(run: run ?? 0, content: .ended(nil)), at: now)
            if let run { running[run] = nil }
            model.end(item)
            perform()
        case .cancelAll:
            table.cancelAll()
            model.cancel { _ in true }
            perform()
        }
    }

    /// Does what a runner does.
    private mutating func perform() {
        for step in table.drainSteps() {
            switch step {
            case .start(let run):
                running[run.id] = run.cause.version
                begun.insert(run.cause.version)
            case .cancel(let run): cancelled.insert(running.removeValue(forKey: run) ?? 0)
            case .effectEnded: break
            case .diagnose(let diagnostic, _): exhausted.append(diagnostic)
            case .finish, .arm, .report:
                Issue.record("An effect has no \(step).")
            }
        }
    }

    /// What must hold after every step.
    mutating func compare(_ rootsBefore: Set<UInt64>) {
        #expect(table.effects.map(\.cause) == model.items.map(\.id))
        #expect(table.effects.map(\.root) == model.items.map(\.root))
        #expect(
            table.effects.filter { !$0.isWaiting }.map(\.cause) == model.running.map(\.id).sorted())
        #expect(running.values.sorted() == model.running.map(\.id).sorted())
        #expect(table.allowsSleep == model.items.isEmpty)
        #expect(model.running.count <= model.limits.runningEffects)
        for name in ["a", "b", "c"] {
            let isThere = model.running.contains { $0.name == name }
            let isFree = model.running.count < model.limits.runningEffects
            #expect(table.hasRoom(forEffect: name, beside: 0) == (isThere || isFree))
        }
        let roots = Set(model.items.map(\.root))
        for root in 1...6 as ClosedRange<UInt64> {
            #expect(table.holds(root: root) == roots.contains(root))
        }
        #expect(begun == model.begun)
        #expect(cancelled == model.cancelled)
        (begun, cancelled, exhausted, model.begun, model.cancelled) = ([], [], [], [], [])
        let released = Set(table.drainReleasedRoots()).filter { !table.holds(root: $0) }
        #expect(released.isSuperset(of: rootsBefore.subtracting(roots)))
    }
}

extension EffectStep {
    fileprivate static func random(_ chance: inout SeededGenerator) -> EffectStep {
        switch Int.random(in: 0..<100, using: &chance) {
        case ..<60:
            let names: [String?] = ["a", "b", "c", nil]
            let overlaps: [Overlap] = [.concurrent, .latest, .keepRunning, .queue, .queue]
            return .add(
                name: names.randomElement(using: &chance) ?? nil,
                overlap: overlaps.randomElement(using: &chance) ?? .latest,
                root: .random(in: 1...6, using: &chance))
        case ..<97: return .end(.random(in: 0..<4, using: &chance))
        default: return .cancelAll
        }
    }
}

@Suite struct `The effects of a table` {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `are as simple as their model`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var walk = EffectWalk()
        for _ in 0..<150 {
            let roots = Set(walk.model.items.map(\.root))
            walk.take(.random(&chance))
            walk.compare(roots)
        }
    }
}
