import Testing

@testable import Redux

/// What the random walk does to a schedule.
private enum ScheduleStep: Sendable {
    case add(name: String?, overlap: Overlap, root: UInt64)
    case end(Int)
    case cancelAll
}

/// A schedule as simple as it can be thought: a list of what runs, and one of what waits.
private struct ScheduleModel {
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

/// A schedule and its model, which are told the same.
private struct ScheduleWalk {
    var schedule: EffectSchedule<Int>
    var model: ScheduleModel

    init() {
        var limits = StoreLimits()
        limits.runningEffects = 4
        limits.queuedEffects = 2
        schedule = EffectSchedule(limits: limits)
        model = ScheduleModel(limits: limits)
    }

    mutating func take(_ step: ScheduleStep) {
        switch step {
        case .add(let name, let overlap, let root):
            let admission = schedule.add(
                .run(name, overlap: overlap) { _ in }, Cause(version: root, origin: .client),
                at: .zero, Timestamp(milliseconds: 0))
            let expected = model.add(name, overlap, root)
            #expect("\(admission)".hasPrefix(expected))
        case .end(let index):
            guard !model.running.isEmpty else { return }
            let item = model.running[index % model.running.count]
            schedule.end(item.id, at: .zero)
            model.end(item)
        case .cancelAll:
            schedule.cancelAll()
            model.cancel { _ in true }
        }
    }

    /// What must hold after every step.
    mutating func compare(_ rootsBefore: Set<UInt64>) {
        #expect(schedule.entries.map(\.id) == model.items.map(\.id))
        #expect(
            schedule.entries.map(\.id).filter { schedule.isRunning($0) }
                == model.running.map(\.id).sorted())
        #expect(schedule.isEmpty == model.items.isEmpty)
        #expect(model.running.count <= model.limits.runningEffects)
        for name in ["a", "b", "c"] {
            let isThere = model.running.contains { $0.name == name }
            let isFree = model.running.count < model.limits.runningEffects
            #expect(schedule.hasRoom(for: name, beside: 0) == (isThere || isFree))
        }
        let roots = Set(model.items.map(\.root))
        for root in 1...6 as ClosedRange<UInt64> {
            #expect(schedule.holds(root: root) == roots.contains(root))
        }
        var begun: [UInt64] = []
        var cancelled: [UInt64] = []
        for step in schedule.takeSteps() {
            switch step {
            case .begin(let entry): begun.append(entry.id)
            case .cancel(let id): cancelled.append(id)
            }
        }
        #expect(begun.sorted() == model.begun.sorted())
        #expect(cancelled.sorted() == model.cancelled.sorted())
        (model.begun, model.cancelled) = ([], [])
        let released = Set(schedule.takeReleasedRoots()).filter { !schedule.holds(root: $0) }
        #expect(released.isSuperset(of: rootsBefore.subtracting(roots)))
    }
}

extension ScheduleStep {
    fileprivate static func random(_ chance: inout SeededGenerator) -> ScheduleStep {
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

@Suite struct `A schedule of effects` {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `is as simple as its model`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var walk = ScheduleWalk()
        for _ in 0..<150 {
            let roots = Set(walk.model.items.map(\.root))
            walk.take(.random(&chance))
            walk.compare(roots)
        }
    }
}
