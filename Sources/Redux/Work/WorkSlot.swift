/// The time of a step: by the clock that pauses are measured with, and by the wall clock.
struct WorkTime: Sendable, Hashable {
    var elapsed: Duration
    var at: Timestamp
}

/// The entry that a piece of work was wanted by first.
struct WorkOrigin: Sendable, Hashable {
    var cause: Cause
    /// The entry's token, which keys for the far side begin with.
    var token: String
    /// The principal that caused it; never an authority.
    var by: Principal?
}

/// A piece of work that is to be carried out: its full name, its rules and its kind.
struct WorkOrder<Action: Sendable>: Sendable {
    /// The slot that it is for: the same as long as the name is listed.
    let slot: UInt64
    let name: String
    let policy: WorkPolicy
    let kind: WorkKind<Action>

    init(slot: UInt64, name: String, policy: WorkPolicy = WorkPolicy(), _ kind: WorkKind<Action>) {
        self.slot = slot
        self.name = name
        self.policy = policy
        self.kind = kind
    }

    var operation: WorkOperation<Action>? {
        switch kind {
        case .once(let operation), .subscription(let operation), .effect(let operation, _):
            operation
        case .alarm, .group: nil
        }
    }

    /// `settle` waits for its end.
    var isAwaited: Bool {
        switch kind {
        case .once, .effect: true
        case .subscription, .alarm, .group: false
        }
    }

    var isEffect: Bool {
        if case .effect = kind { true } else { false }
    }

    /// The time that each try may take.
    var timeout: Duration? {
        if case .once = kind { policy.timeout ?? .seconds(60) } else { policy.timeout }
    }
}

/// The place of a name that the state lists: the newest value under it, and what goes on for it. An
/// effect has a slot of its own.
struct WorkSlot<Action: Sendable>: Sendable {
    enum Stage: Sendable, Hashable {
        case running(UInt64)
        /// A run of an older value is allowed to end.
        case finishing(UInt64)
        case waiting
        case paused
        /// With its last run; none where it had ended before the session was loaded.
        case ended(UInt64?)
        case due(UInt64, Timestamp)
        case fired(UInt64)
    }

    var order: WorkOrder<Action>
    var origin: WorkOrigin
    var stage = Stage.waiting
    /// Nothing has run under the name so far.
    var isFirst: Bool
    /// The time since when it is in its stage.
    var since: Timestamp
    /// When its run began or will begin, by the store's clock.
    var begin = Duration.zero
    /// The number of times that its alarm has come without effect.
    var alarmCount = 0

    var id: UInt64 { order.slot }

    /// The run that goes on for it, or was its last one.
    var run: UInt64? {
        switch stage {
        case .running(let run), .finishing(let run), .due(let run, _), .fired(let run): run
        case .ended(let run): run
        case .waiting, .paused: nil
        }
    }

    var hasTask: Bool {
        switch stage {
        case .running, .finishing: true
        case .waiting, .paused, .ended, .due, .fired: false
        }
    }

    /// The root that is not settled before it has ended.
    var heldRoot: UInt64? {
        order.isAwaited && (hasTask || stage == .waiting) ? origin.cause.root : nil
    }

    /// The wait before its alarm comes again, in milliseconds: a second, doubled each time up to an
    /// hour.
    var alarmPause: Int64 {
        alarmCount < 13 ? min(1_000 << (alarmCount - 1), 3_600_000) : 3_600_000
    }

    var record: WorkRecord {
        let hasEnded = if case .ended = stage { true } else { false }
        return WorkRecord(
            name: order.name, version: origin.cause.version, token: origin.token,
            alarmCount: alarmCount, hasEnded: hasEnded)
    }

    var asWork: RunningWork? {
        let shown: RunningWork.Stage
        switch stage {
        case _ where order.isEffect: return nil
        case .running: shown = .running
        case .finishing: shown = .finishing
        case .waiting: shown = .waiting
        case .paused: shown = .paused
        case .ended: return nil
        case .due(_, let time): shown = .due(time)
        case .fired: shown = .fired
        }
        return RunningWork(
            name: order.name, cause: origin.cause.version, since: since, attempt: 0, stage: shown)
    }

    var asEffect: RunningEffect? {
        guard order.isEffect else { return nil }
        return RunningEffect(
            name: order.name, cause: origin.cause.version, root: origin.cause.root,
            depth: origin.cause.depth, startedAt: since, isWaiting: stage == .waiting)
    }
}

/// The slots of a table, and what is often asked of them: kept with each change of a slot.
struct WorkSlots<Action: Sendable>: Sendable {
    private var all: [UInt64: WorkSlot<Action>] = [:]
    /// The slots of runs: of those that go on, and of the last one of each slot that has ended.
    private var runs: [UInt64: UInt64] = [:]
    private(set) var alarms = AlarmQueue()
    /// The effects of each name, the oldest first: those that run, and those that wait.
    private(set) var effectsOfName: [String: [UInt64]] = [:]
    /// Works that have a task; effects are counted apart.
    private(set) var tasks = 0
    private(set) var waiting = 0
    /// Effects that have a task.
    private(set) var effects = 0
    /// Alarms whose actions are being decided.
    private(set) var fired = 0
    /// Works that have ended since the session was loaded, and are still listed.
    private(set) var ended = 0
    /// The number of works and effects that each root waits for.
    private(set) var roots: [UInt64: Int] = [:]
    /// Roots that wait for none any more, since they were drained last.
    var releasedRoots: [UInt64] = []

    var isEmpty: Bool { all.isEmpty }

    subscript(_ id: UInt64) -> WorkSlot<Action>? { all[id] }

    func slot(of run: UInt64) -> WorkSlot<Action>? { runs[run].flatMap { all[$0] } }

    func tasks(besides id: UInt64) -> Int {
        guard let slot = all[id], slot.hasTask, !slot.order.isEffect else { return tasks }
        return tasks - 1
    }

    /// The oldest first.
    var sorted: [WorkSlot<Action>] { all.values.sorted { $0.id < $1.id } }

    mutating func put(_ slot: WorkSlot<Action>) {
        replace(all.updateValue(slot, forKey: slot.id), slot)
    }

    mutating func remove(_ id: UInt64) {
        guard let slot = all.removeValue(forKey: id) else { return }
        replace(slot, nil)
        guard slot.order.isEffect, var others = effectsOfName[slot.order.name] else { return }
        others.removeAll { $0 == id }
        effectsOfName[slot.order.name] = others.isEmpty ? nil : others
    }

    /// Notes the name of an effect that is about to get a slot.
    mutating func addEffect(_ id: UInt64, named name: String) {
        effectsOfName[name, default: []].append(id)
    }

    private mutating func replace(_ old: WorkSlot<Action>?, _ new: WorkSlot<Action>?) {
        if let old, let run = old.run { runs[run] = nil }
        if let new, let run = new.run { runs[run] = new.id }
        if let old, case .due(_, let time) = old.stage { alarms.remove(old.id, at: time) }
        if let new, case .due(_, let time) = new.stage { alarms.insert(new.id, at: time) }
        if let old { count(old, -1) }
        if let new { count(new, 1) }
        let (held, released) = (new?.heldRoot, old?.heldRoot)
        guard held != released else { return }
        if let held { roots[held, default: 0] += 1 }
        guard let released, let count = roots[released] else { return }
        roots[released] = count > 1 ? count - 1 : nil
        if count == 1 { releasedRoots.append(released) }
    }

    private mutating func count(_ slot: WorkSlot<Action>, _ number: Int) {
        switch slot.stage {
        case .running where slot.order.isEffect: effects += number
        case .waiting where slot.order.isEffect: break
        case .running, .finishing: tasks += number
        case .waiting: waiting += number
        case .fired: fired += number
        case .ended(let run): if run != nil { ended += number }
        case .paused, .due: break
        }
    }
}

/// Alarms in the order of their times.
struct AlarmQueue: Sendable {
    private struct Alarm: Comparable {
        var due: Timestamp
        var slot: UInt64

        static func < (left: Alarm, right: Alarm) -> Bool {
            (left.due, left.slot) < (right.due, right.slot)
        }
    }

    /// The latest first: the earliest one is removed from the end.
    private var alarms: [Alarm] = []

    var first: (due: Timestamp, slot: UInt64)? { alarms.last.map { ($0.due, $0.slot) } }

    mutating func insert(_ slot: UInt64, at due: Timestamp) {
        let alarm = Alarm(due: due, slot: slot)
        alarms.insert(alarm, at: index(of: alarm))
    }

    mutating func remove(_ slot: UInt64, at due: Timestamp) {
        let alarm = Alarm(due: due, slot: slot)
        let index = index(of: alarm)
        precondition(
            index < alarms.count && alarms[index] == alarm, "An alarm is removed at its time.")
        alarms.remove(at: index)
    }

    /// The place of the first alarm that is not later.
    private func index(of alarm: Alarm) -> Int {
        var (low, high) = (0, alarms.count)
        while low < high {
            let middle = (low + high) / 2
            if alarms[middle] > alarm { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The times at which throttled works begin: the first at once, the last at the end of the period.
struct WorkThrottle: Sendable {
    private struct Period {
        var begin: Duration
        var end: Duration
    }

    private let limit: Int
    private var periods: [String: Period] = [:]

    /// - Parameter limit: the number of names that are remembered at once.
    init(limit: Int) {
        self.limit = limit
    }

    /// The time at which work of a name may begin, not before `earliest`.
    mutating func admit(
        _ name: String, each length: Duration, from earliest: Duration, at now: Duration
    ) -> Duration {
        var begin = earliest
        if let period = periods[name] {
            // One that was replaced before it began leaves its turn to the next one.
            begin = max(begin, period.begin > now ? period.begin : period.end)
        }
        if periods[name] == nil, periods.count >= limit {
            periods = periods.filter { $0.value.end > now }
            guard periods.count < limit else { return begin }
        }
        periods[name] = Period(begin: begin, end: begin + length)
        return begin
    }
}
