/// The time of a step: by the clock that pauses are measured with, and by the wall clock.
typealias WorkTime = (elapsed: Duration, at: Timestamp)

/// The place of a name that the state lists: the newest value under it, and what goes on for it. An
/// effect has a slot of its own.
struct WorkSlot<Action: Sendable>: Sendable {
    typealias Stage = RunningWork.Stage

    /// The same as long as the name is listed.
    let id: UInt64
    /// With the names of the groups around it.
    let name: String
    let kind: WorkKind<Action>
    /// The entry that it was wanted by first.
    var cause: Cause
    /// That entry's token, which keys for the far side begin with.
    var token: String
    /// The principal that caused it; never an authority.
    let by: Principal?
    /// Nil where it has ended.
    var stage: Stage?
    /// The run that goes on for it, or was its last one since the session was loaded.
    var run: UInt64?
    /// The time since when it is in its stage.
    var since: Timestamp
    /// When its run began or will begin, by the store's clock.
    var begin = Duration.zero
    /// The number of times that its alarm has come without effect.
    var alarmCount = 0

    var operation: WorkOperation<Action>? {
        if case .operation(let operation) = kind { operation } else { nil }
    }
    var isEffect: Bool { operation?.role == .effect }
    var isDelayed: Bool { operation?.resumed != nil }
    var hasTask: Bool { stage == .running || stage == .finishing }

    /// The root that is not settled before it has ended.
    var heldRoot: UInt64? {
        guard let role = operation?.role, role != .subscription else { return nil }
        return hasTask || stage == .waiting ? cause.root : nil
    }

    /// The wait before its alarm comes again, in milliseconds: a second, doubled each time up to an
    /// hour.
    var alarmPause: Int64 {
        alarmCount < 13 ? min(1_000 << (alarmCount - 1), 3_600_000) : 3_600_000
    }

    var record: WorkRecord {
        WorkRecord(
            name: name, version: cause.version, token: token,
            alarmCount: alarmCount, hasEnded: stage == nil)
    }
}

/// The slots of a table, and what is often asked of them: kept with each change of a slot.
struct WorkSlots<Action: Sendable>: Sendable {
    private var all: [UInt64: WorkSlot<Action>] = [:]
    /// The slots of runs: of those that go on, and of the last one of each slot that has ended.
    private var runs: [UInt64: UInt64] = [:]
    /// The times of the slots with an alarm that is due.
    private var alarms: [UInt64: Timestamp] = [:]
    /// The effects of each name, the oldest first: those that run, and those that wait.
    private(set) var effectsOfName: [String: [UInt64]] = [:]
    /// Works that have a task; effects are counted apart.
    private(set) var tasks = 0
    private(set) var waiting = 0
    /// Effects that have a task.
    private(set) var effects = 0
    /// Actions that wait, each an effect with a task: these are not among `effects`, so that clients who
    /// send what is delayed do not take the place of what the application has begun.
    private(set) var delayed = 0
    /// Alarms whose actions are being decided.
    private(set) var fired = 0
    /// Works that have ended since the session was loaded, and are still listed.
    private(set) var ended = 0
    /// The number of works and effects that each root waits for.
    private(set) var roots: [UInt64: Int] = [:]
    /// Roots that wait for none any more, since they were drained last.
    var releasedRoots: [UInt64] = []

    var isEmpty: Bool { all.isEmpty }
    /// The oldest first.
    var sorted: [WorkSlot<Action>] { all.values.sorted { $0.id < $1.id } }
    var nextAlarm: (slot: UInt64, due: Timestamp)? {
        alarms.min { ($0.value, $0.key) < ($1.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// The actions that wait, with their runs, in the order in which they would go on.
    var delays: [(run: UInt64, action: Action)] {
        guard delayed > 0 else { return [] }
        let waiting = sorted.compactMap { slot -> (end: Duration, run: UInt64, action: Action)? in
            guard let run = slot.run, let (_, action, wait) = slot.operation?.resumed else {
                return nil
            }
            return (slot.begin + wait, run, action)
        }
        return waiting.sorted { $0.end < $1.end }.map { ($0.run, $0.action) }
    }

    func slot(of run: UInt64) -> WorkSlot<Action>? { runs[run].flatMap { all[$0] } }

    subscript(_ id: UInt64) -> WorkSlot<Action>? {
        get { all[id] }
        set {
            let old = all[id]
            all[id] = newValue
            if newValue == nil, let name = old?.name, var others = effectsOfName[name] {
                others.removeAll { $0 == id }
                effectsOfName[name] = others.isEmpty ? nil : others
            }
            if let old { count(old, -1) }
            if let newValue { count(newValue, 1) }
            if let root = newValue?.heldRoot { roots[root, default: 0] += 1 }
            guard let root = old?.heldRoot, let count = roots[root] else { return }
            roots[root] = count > 1 ? count - 1 : nil
            if count == 1 { releasedRoots.append(root) }
        }
    }

    private mutating func count(_ slot: WorkSlot<Action>, _ number: Int) {
        if let run = slot.run { runs[run] = number > 0 ? slot.id : nil }
        switch slot.stage {
        case .running where slot.isDelayed: delayed += number
        case .running where slot.isEffect: effects += number
        case .waiting where slot.isEffect: break
        case .running, .finishing: tasks += number
        case .waiting: waiting += number
        case .due(let time): alarms[slot.id] = number > 0 ? time : nil
        case .fired: fired += number
        case .paused: break
        case nil: if slot.run != nil { ended += number }
        }
    }

    /// Notes the name of an effect that is about to get a slot.
    mutating func addEffect(_ id: UInt64, named name: String) {
        effectsOfName[name, default: []].append(id)
    }
}
