import Testing

@testable import Redux

/// What the random walk does to a schedule.
private enum ScheduleStep: Sendable {
    case add(name: String, policy: EffectPolicy, scope: Int?, root: UInt64)
    case end(Int)
    case cancel(String)
    /// Effects whose scope is less are left.
    case leave(Int)
    case wait(Duration)
    case cancelAll
}

/// A schedule as simple as it can be thought: for each name a line, whose first one runs.
private struct ScheduleModel {
    struct Item: Equatable {
        var id: UInt64
        var root: UInt64
        var scope: Int?
    }

    let limits: StoreLimits
    var lines: [String: [Item]] = [:]
    var throttledUntil: [String: Duration] = [:]
    var lastID: UInt64 = 0
    var now = Duration.zero
    /// What began and what was cancelled during a step.
    var begun: Set<UInt64> = []
    var cancelled: Set<UInt64> = []

    var items: [Item] { lines.values.joined().sorted { $0.id < $1.id } }
    var running: [Item] { lines.values.compactMap(\.first).sorted { $0.id < $1.id } }

    /// Whether it was begun, queued or left out.
    mutating func add(
        _ name: String, _ policy: EffectPolicy, _ scope: Int?, _ root: UInt64
    ) -> String {
        if policy.throttle != nil, let end = throttledUntil[name], now < end {
            return "superfluous"
        }
        lastID += 1
        let item = Item(id: lastID, root: root, scope: scope)
        if let line = lines[name], !line.isEmpty {
            switch policy.overlap {
            case .latest: cancel(name)
            case .keepRunning: return "superfluous"
            case .queue:
                guard line.count <= limits.queuedEffects else { return "exhausted" }
                lines[name]?.append(item)
                return "queued"
            }
        }
        guard running.count < limits.runningEffects else { return "exhausted" }
        if let period = policy.throttle {
            throttledUntil = throttledUntil.filter { $0.value > now }
            if throttledUntil.count < limits.runningEffects { throttledUntil[name] = now + period }
        }
        lines[name] = [item]
        begun.insert(item.id)
        return "begun"
    }

    mutating func end(_ id: UInt64) {
        for name in lines.keys where lines[name]?.first?.id == id {
            lines[name]?.removeFirst()
            if let next = lines[name]?.first { begun.insert(next.id) }
        }
    }

    mutating func cancel(_ name: String) {
        if let running = lines[name]?.first { cancelled.insert(running.id) }
        lines[name] = []
    }

    mutating func leave(_ state: Int) {
        for (name, line) in lines {
            let kept = line.filter { $0.scope.map { $0 >= state } ?? true }
            lines[name] = kept
            guard let first = line.first, kept.first != first else { continue }
            cancelled.insert(first.id)
            if let next = kept.first { begun.insert(next.id) }
        }
    }
}

/// A schedule and its model, which are told the same.
private struct ScheduleWalk {
    var schedule: EffectSchedule<Int, Int>
    var model: ScheduleModel

    init() {
        var limits = StoreLimits()
        limits.runningEffects = 3
        limits.queuedEffects = 2
        schedule = EffectSchedule(limits: limits)
        model = ScheduleModel(limits: limits)
    }

    mutating func take(_ step: ScheduleStep) {
        switch step {
        case .add(let name, let policy, let scope, let root):
            var effect = Effect<Int, Int>.run(name, policy: policy) { _ in }
            if let scope { effect.scope = { state in scope >= state } }
            let admission = schedule.add(
                effect, Cause(version: root, origin: .client), at: model.now,
                Timestamp(milliseconds: 0))
            let expected = model.add(name, policy, scope, root)
            #expect("\(admission)".hasPrefix(expected))
        case .end(let index):
            let running = model.running
            guard !running.isEmpty else { return }
            let id = running[index % running.count].id
            schedule.end(id, at: model.now)
            model.end(id)
        case .cancel(let name):
            schedule.cancel(name)
            model.cancel(name)
        case .leave(let state):
            schedule.leave(state, nil, at: model.now)
            model.leave(state)
        case .wait(let duration): model.now += duration
        case .cancelAll:
            schedule.cancelAll()
            for name in model.lines.keys { model.cancel(name) }
            model.throttledUntil = [:]
        }
    }

    /// What must hold after every step.
    mutating func compare(_ rootsBefore: Set<UInt64>) {
        #expect(schedule.entries.map(\.id) == model.items.map(\.id))
        #expect(
            schedule.entries.filter { schedule.isRunning($0) }.map(\.id) == model.running.map(\.id))
        #expect(schedule.isEmpty == model.items.isEmpty)
        #expect(model.running.count <= model.limits.runningEffects)
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
        let name = ["a", "b", "c", "d", "e"].randomElement(using: &chance) ?? "a"
        switch Int.random(in: 0..<100, using: &chance) {
        case ..<55:
            let policies: [EffectPolicy] = [
                .latest, .keepRunning, .queue, .queue, .latest.throttled(.seconds(2)),
            ]
            return .add(
                name: name, policy: policies.randomElement(using: &chance) ?? .latest,
                scope: Bool.random(using: &chance) ? .random(in: 0..<5, using: &chance) : nil,
                root: .random(in: 1...6, using: &chance))
        case ..<75: return .end(.random(in: 0..<3, using: &chance))
        case ..<82: return .cancel(name)
        case ..<90: return .leave(.random(in: 0..<5, using: &chance))
        case ..<99: return .wait(.seconds(1))
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
