import Bytes
import Testing

@testable import Redux

/// A work that the walk lists.
private struct Listed: Hashable, Sendable {
    enum Kind: CaseIterable { case once, subscription, alarm }
    var name: String
    var kind: Kind
    var value: Int

    /// The rules go by the name: they are no part of what is compared.
    var policy: WorkPolicy {
        switch name {
        case "c": .finishing
        case "d": .whileWatched
        case "e": .finishing.whileWatched
        default: WorkPolicy()
        }
    }

    var time: Timestamp { Timestamp(milliseconds: Int64(value * 400)) }

    var work: Work<Int> {
        switch kind {
        case .once: Work(name, for: value, policy: policy, { $0 }) { $0.value ?? 0 }
        case .subscription: .subscription(name, for: value, policy: policy) { _, _ in }
        case .alarm: .alarm(name, at: time, send: value)
        }
    }
}

/// An element of the walk's list.
private enum Element: Hashable, Sendable {
    case single(Listed)
    case group(String, [Listed])

    var name: String {
        switch self {
        case .single(let listed): listed.name
        case .group(let name, _): name
        }
    }

    var work: Work<Int> {
        switch self {
        case .single(let listed): listed.work
        case .group(let name, let members):
            .group(name, of: members) { members in members.map(\.work) }
        }
    }
}

/// Works as simple as they can be thought: what each name is, and the run that it has.
private struct WorkModel {
    struct Slot {
        var listed: Listed
        var version: UInt64
        /// The run that was started for it, or for an older value of it.
        var run: UInt64?
        var isFinishing = false
        var hasEnded = false
        /// The run that it has ended with, whose last report may not be decided yet.
        var endedRun: UInt64?
        var due: Timestamp?
        var isFired = false
        var alarmCount = 0
    }

    let limit: Int
    var slots: [String: Slot] = [:]
    var isWatched = false
    var now = Timestamp(milliseconds: 0)

    func isPaused(_ slot: Slot) -> Bool { slot.listed.policy.isWhileWatched && !isWatched }

    /// The slots that should have a task, if there is room.
    var candidates: [Slot] {
        slots.values.filter { $0.listed.kind != .alarm && !$0.hasEnded && !isPaused($0) }
    }

    var tasks: Set<UInt64> {
        Set(slots.values.filter { $0.listed.kind != .alarm }.compactMap(\.run))
    }

    /// The full names of a list, of two equal ones the first.
    static func flat(_ list: [Element]) -> [(name: String, listed: Listed)] {
        var seen: Set<String> = []
        return list.filter { seen.insert($0.name).inserted }.flatMap { element in
            switch element {
            case .single(let listed): return [(listed.name, listed)]
            case .group(let name, let members):
                var seen: Set<String> = []
                return members.filter { seen.insert($0.name).inserted }
                    .map { ("\(name)/\($0.name)", $0) }
            }
        }
    }

    mutating func want(_ list: [Element], _ version: UInt64) {
        let flat = Self.flat(list)
        let names = Set(flat.map(\.name))
        slots = slots.filter { names.contains($0.key) }
        for (name, listed) in flat {
            guard let old = slots[name] else {
                slots[name] = fresh(listed, version)
                continue
            }
            guard old.listed != listed else { continue }
            var slot = fresh(listed, version)
            let hadTask = old.listed.kind != .alarm && old.run != nil
            if listed.policy.isFinishing, listed.kind != .alarm, hadTask {
                slot.run = old.run
                slot.isFinishing = true
            }
            slots[name] = slot
        }
    }

    private func fresh(_ listed: Listed, _ version: UInt64) -> Slot {
        Slot(
            listed: listed, version: version, due: listed.kind == .alarm ? listed.time : nil)
    }

    mutating func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
        guard !isWatched else { return }
        for (name, slot) in slots where isPaused(slot) && slot.listed.kind != .alarm {
            slots[name]?.run = nil
            slots[name]?.isFinishing = false
        }
    }

    /// Ends a run; answers with the name of its work, if the state wants its report.
    mutating func end(_ run: UInt64) -> String? {
        guard let (name, slot) = slots.first(where: { $0.value.run == run }),
            slot.listed.kind != .alarm
        else { return nil }
        slots[name]?.run = nil
        slots[name]?.isFinishing = false
        if !slot.isFinishing {
            slots[name]?.hasEnded = true
            slots[name]?.endedRun = run
        }
        return slot.isFinishing ? nil : name
    }

    var earliest: Timestamp? { slots.values.filter { !$0.isFired }.compactMap(\.due).min() }
}

/// A walk: random steps on a table and on the model, compared after each one.
private struct WorkWalk {
    var table: WorkTable<Int>
    var model: WorkModel
    var chance: SplitMix
    let seed: UInt64
    var list: [Element] = []
    var version: UInt64 = 0
    /// The tasks that a runner would have.
    var tasks: Set<UInt64> = []
    var finishing: Set<UInt64> = []
    var armed: Timestamp?
    var reports: [(action: Int, arrival: Arrival)] = []
    var runs: [UInt64] = [0]

    init(seed: UInt64, limit: Int) {
        var limits = StoreLimits()
        limits.runningEffects = limit
        table = WorkTable(of: .local, epoch: "t", limits: limits)
        model = WorkModel(limit: limit)
        chance = SplitMix(seed: seed)
        self.seed = seed
    }

    mutating func step() {
        reports = []
        table.now = (.milliseconds(model.now.milliseconds), model.now)
        switch Int.random(in: 0..<16, using: &chance) {
        case 0..<6: want()
        case 6..<9: end()
        case 9: send()
        case 10: watch()
        case 11, 12: wait()
        case 13: fire()
        case 14: repeatAlarm()
        default: if Int.random(in: 0..<40, using: &chance) == 0 { cancelAll() }
        }
        check()
    }

    private mutating func want() {
        version += 1
        for _ in 0..<Int.random(in: 0...3, using: &chance) { edit() }
        let version = version
        model.want(list, version)
        table.want(
            list.map(\.work),
            startedBy: Cause(version: version, origin: .client), by: nil)
        perform()
        #expect(reports.isEmpty, "seed \(seed)")
    }

    private mutating func edit() {
        let index = Int.random(in: 0...list.count, using: &chance)
        switch Int.random(in: 0..<6, using: &chance) {
        case 0, 1: list.insert(.single(listed()), at: index)
        case 2: list.insert(group(), at: index)
        case 3 where index < list.count: list.remove(at: index)
        case 4 where index < list.count:
            if case .group(let name, var members) = list[index] {
                members.append(listed())
                members.shuffle(using: &chance)
                list[index] = .group(name, members)
            } else {
                list[index] = .single(listed(list[index].name))
            }
        case 5: list.shuffle(using: &chance)
        default: break
        }
        if list.count > 8 { list.removeFirst(3) }
    }

    private mutating func listed(_ name: String? = nil) -> Listed {
        Listed(
            name: name ?? ["a", "b", "c", "d", "e"].randomElement(using: &chance) ?? "a",
            kind: Listed.Kind.allCases.randomElement(using: &chance) ?? .once,
            value: Int.random(in: 0..<4, using: &chance))
    }

    private mutating func group() -> Element {
        let count = Int.random(in: 0...4, using: &chance)
        let name = ["g", "h", "a"].randomElement(using: &chance) ?? "g"
        return .group(name, (0..<count).map { _ in listed() })
    }

    private mutating func end() {
        let run = runs.randomElement(using: &chance) ?? 0
        let name = model.end(run)
        tasks.remove(run)
        finishing.remove(run)
        let content: StoreDelivery<Int>.Content =
            Bool.random(using: &chance) ? .ended(1) : .ended(1, error: "no")
        table.accept(StoreDelivery(run: run, content: content))
        perform()
        #expect(reports.compactMap(\.arrival.effect) == [name].compactMap { $0 }, "seed \(seed)")
    }

    private mutating func send() {
        let run = runs.randomElement(using: &chance) ?? 0
        let slot = model.slots.first {
            $0.value.run == run && $0.value.listed.kind != .alarm && !$0.value.isFinishing
        }
        table.accept(StoreDelivery(run: run, content: .sent(7)))
        perform()
        #expect(
            reports.compactMap(\.arrival.effect) == [slot?.key].compactMap { $0 }, "seed \(seed)")
        #expect(
            reports.compactMap(\.arrival.cause?.version) == [slot?.value.version].compactMap { $0 })
        let isDecided = model.slots.values.contains {
            $0.run == run && $0.isFired || $0.endedRun == run
        }
        #expect(table.isWanted(run) == (slot != nil || isDecided), "seed \(seed)")
    }

    private mutating func watch() {
        let isWatched = Bool.random(using: &chance)
        model.watch(isWatched)
        table.watch(isWatched)
        perform()
    }

    private mutating func wait() {
        model.now.milliseconds += Int64.random(in: 0...700, using: &chance)
    }

    private mutating func fire() {
        let isDue = model.earliest.map { $0 <= model.now } ?? false
        let due = model.earliest
        armed = nil
        table.accept(StoreDelivery(run: 0, content: .alarmDue))
        perform()
        #expect(reports.count == (isDue ? 1 : 0), "seed \(seed)")
        guard let report = reports.first else { return }
        let (name, run) = (report.arrival.effect ?? "", report.arrival.run ?? 0)
        #expect(model.slots[name]?.due == due, "seed \(seed)")
        #expect(model.slots[name]?.listed.value == report.action, "seed \(seed)")
        model.slots[name]?.isFired = true
        model.slots[name]?.run = run
        runs.append(run)
    }

    private mutating func repeatAlarm() {
        let run = runs.randomElement(using: &chance) ?? 0
        if let (name, slot) = model.slots.first(where: { $0.value.run == run && $0.value.isFired })
        {
            let count = slot.alarmCount + 1
            let next = model.now.milliseconds + min(3_600, 1 << Int64(count - 1)) * 1_000
            model.slots[name]?.alarmCount = count
            model.slots[name]?.isFired = false
            model.slots[name]?.run = nil
            model.slots[name]?.due = max(slot.listed.time, Timestamp(milliseconds: next))
        }
        table.reportDecided(run, at: nil)
        table.repeatAlarms(at: 0)
        perform()
    }

    private mutating func cancelAll() {
        list = []
        model.slots = [:]
        table.cancelAll()
        perform()
    }

    /// Does what a runner does, and notes in the model what was started for whom.
    private mutating func perform() {
        for step in table.drainSteps() {
            switch step {
            case .start(let run): start(run)
            case .cancel(let run):
                #expect(tasks.remove(run) != nil, "seed \(seed): \(run) is cancelled twice")
                finishing.remove(run)
            case .finish(let run):
                #expect(tasks.contains(run) && finishing.insert(run).inserted, "seed \(seed)")
            case .arm(let time): armed = time
            case .report(let action, let arrival): reports.append((action, arrival))
            case .diagnose, .effectEnded: break
            }
        }
    }

    private mutating func start(_ run: WorkRun<Int>) {
        let slot = model.slots.first { "t-\($0.value.version)/\($0.key)" == run.key }
        guard let slot else {
            Issue.record("seed \(seed): \(run.key) is started, and not wanted")
            return
        }
        let isFree = slot.value.run == nil && !slot.value.hasEnded && !model.isPaused(slot.value)
        #expect(isFree, "seed \(seed): \(run.key) is started again")
        model.slots[slot.key]?.run = run.id
        tasks.insert(run.id)
        runs.append(run.id)
        if runs.count > 30 { runs.removeFirst(10) }
    }

    private func check() {
        #expect(tasks == model.tasks, "seed \(seed)")
        let candidates = model.candidates
        #expect(tasks.count == min(model.limit, candidates.count), "seed \(seed)")
        #expect(
            finishing == Set(model.slots.values.filter(\.isFinishing).compactMap(\.run)),
            "seed \(seed)")
        #expect(armed == model.earliest, "seed \(seed)")
        #expect(table.nextAlarm == model.earliest, "seed \(seed)")
        let isFired = model.slots.values.contains(where: \.isFired)
        #expect(table.allowsSleep == (candidates.isEmpty && !isFired), "seed \(seed)")
        let roots = Set(candidates.filter { $0.listed.kind == .once }.map(\.version))
        let held = (0...version).filter { table.holds(root: $0) }
        #expect(Set(held) == roots, "seed \(seed)")
        let shown = model.slots.filter { !$0.value.hasEnded }
        #expect(Set(table.works.map(\.work.name)) == Set(shown.keys), "seed \(seed)")
        #expect(table.currentRecords.count == model.slots.count, "seed \(seed)")
    }
}

@Suite struct `Works at random` {
    @Test(arguments: [2, 4, 1_000])
    func `every order of lists, ends, alarms and watchers comes out as in the model`(
        _ limit: Int
    ) {
        for seed in 1...60 as ClosedRange<UInt64> {
            var walk = WorkWalk(seed: seed &* 7_919 &+ UInt64(limit), limit: limit)
            for _ in 0..<200 { walk.step() }
        }
    }
}
