/// The time of a step: by the clock that pauses are measured with, and by the wall clock.
struct WorkTime: Sendable, Hashable {
    var elapsed: Duration
    var at: Timestamp
}

/// The works of a session as a pure machine: what the committed state wants comes in, and so do the
/// ends of runs and the times of alarms; what is to be done comes out as steps.
///
///     table.want(application.work(in: committed), startedBy: origin, at: now)
///     for step in table.drainSteps() { … }
///
/// It holds no task and reads no clock; the runner does. Times are asked for only where something
/// has changed.
struct WorkTable<Action: Sendable>: Sendable {
    /// A thing to do.
    enum Step: Sendable {
        case start(WorkRun<Action>)
        /// Cancels a run; nothing more of it is heard.
        case cancel(UInt64)
        /// Lets the try that is under way be the last one, and cancels a run that is between two.
        /// Its end is waited for.
        case finish(UInt64)
        /// Reports `alarmDue` at a time, in place of the time before.
        case arm(Timestamp)
        case disarm
        /// Dispatches an action.
        case report(WorkReport<Action>)
        case diagnose(WorkDiagnostic)
    }

    private let limits: StoreLimits
    private(set) var list = WorkList()
    private var lastSlot: UInt64 = 0
    private var slots: [UInt64: WorkSlot<Action>] = [:]
    /// The slots of runs: of those that go on, and of the last one of each slot that has ended.
    private var runs: [UInt64: UInt64] = [:]
    private var lastRun: UInt64 = 0
    private var counts = WorkCounts()
    private var alarms = AlarmQueue()
    /// The time that was asked for last.
    private var armed: Timestamp?
    private var throttle: WorkThrottle
    /// The slots that wait, in their order, and some that do not any more.
    private var line: [UInt64] = []
    private var hasToldExhausted = false
    /// What is remembered of works from before the session was loaded, by name.
    private var records: [String: WorkRecord]
    private var isWatched = false
    private var steps: [Step] = []

    init(limits: StoreLimits, records: [WorkRecord] = []) {
        self.limits = limits
        self.records = Dictionary(records.map { ($0.name, $0) }) { first, _ in first }
        throttle = WorkThrottle(limit: limits.runningEffects)
    }

    // MARK: Asking

    var hasSteps: Bool { !steps.isEmpty }

    /// No work needs the session in memory: nothing runs, waits or is being decided.
    var allowsSleep: Bool { counts.tasks == 0 && counts.waiting == 0 && counts.fired == 0 }

    /// The time of the earliest alarm.
    var nextAlarm: Timestamp? { alarms.first?.due }

    /// Tells whether one-shot work that a root has led to is running or waiting.
    func holds(root: UInt64) -> Bool { counts.holds(root) }

    /// Work has ended or an alarm has come, and the list that the state answers with is awaited. The
    /// same work may be wanted anew after that, so that no such list may be left out.
    var awaitsAnswer: Bool { counts.ended > 0 || counts.fired > 0 }

    /// Tells whether a report's work is still wanted.
    func isWanted(_ run: UInt64) -> Bool {
        guard let slot = slot(of: run)?.slot else { return false }
        return slot.stage != .finishing(run)
    }

    /// Tells whether works that are not the committed state's include the one of a run, with the same
    /// value.
    func isWanted(_ run: UInt64, among works: [Work<Action>]) -> Bool {
        guard isWanted(run), let id = runs[run] else { return false }
        guard !list.isSame(as: works) else { return true }
        var list = list
        var changes = WorkChanges<Action>(after: lastSlot)
        list.replace(with: works, &changes)
        return !changes.gone.contains(id) && !changes.wanted.contains { $0.slot == id }
    }

    /// The works that have not ended, each with the run that it has, the oldest first.
    var running: [(run: UInt64?, work: RunningWork)] {
        slots.sorted { $0.key < $1.key }.compactMap { _, slot in
            slot.asRunning.map { (slot.run, $0) }
        }
    }

    /// What is to be remembered of the works while the session is not in memory.
    var currentRecords: [WorkRecord] {
        slots.sorted { $0.key < $1.key }.map(\.value.record)
    }

    mutating func drainSteps() -> [Step] {
        defer { steps = [] }
        return steps
    }

    /// Roots have no work any more, and were not asked for.
    var hasReleasedRoots: Bool { !counts.releasedRoots.isEmpty }

    mutating func drainReleasedRoots() -> [UInt64] { counts.drainReleasedRoots() }

    // MARK: The state

    /// Starts and cancels the difference to what was wanted before.
    ///
    /// - Parameters:
    ///   - works: the list of the committed state.
    ///   - origin: the entry that the state was committed with; asked for only where something is
    ///     started.
    mutating func want(
        _ works: [Work<Action>], startedBy origin: @autoclosure () -> WorkOrigin,
        at now: @autoclosure () -> WorkTime
    ) {
        guard !list.isSame(as: works) else {
            // Only the first list is one from before the session was loaded.
            if !records.isEmpty { records = [:] }
            return
        }
        var changes = WorkChanges<Action>(after: lastSlot)
        list.replace(with: works, &changes)
        lastSlot = changes.lastSlot
        apply(changes, startedBy: origin, at: now())
    }

    private mutating func apply(
        _ changes: WorkChanges<Action>, startedBy origin: () -> WorkOrigin, at now: WorkTime
    ) {
        for id in changes.gone {
            cancelRun(id)
            put(nil, id)
        }
        if !changes.wanted.isEmpty {
            let origin = origin()
            for order in changes.wanted { want(order, startedBy: origin, at: now) }
        }
        records = [:]
        for name in changes.doubled { steps.append(.diagnose(.namedTwice(name: name))) }
        startWaiting(at: now)
        arm()
    }

    private mutating func want(
        _ order: WorkOrder<Action>, startedBy origin: WorkOrigin, at now: WorkTime
    ) {
        guard var slot = slots[order.slot] else { return add(order, startedBy: origin, at: now) }
        slot.order = order
        slot.origin = origin
        slot.isFirst = false
        slot.alarmCount = 0
        if order.policy.isFinishing, slot.hasTask, let run = slot.run {
            if case .running = slot.stage { steps.append(.finish(run)) }
            slot.stage = .finishing(run)
            slot.since = now.at
            put(slot, order.slot)
        } else {
            cancelRun(order.slot)
            begin(slot, at: now)
        }
    }

    private mutating func add(
        _ order: WorkOrder<Action>, startedBy origin: WorkOrigin, at now: WorkTime
    ) {
        var slot = WorkSlot(order: order, origin: origin, isFirst: true, since: now.at)
        if let record = records[order.name] {
            slot.origin.cause.version = record.version
            slot.origin.token = record.token
            slot.alarmCount = record.alarmCount
            if record.hasEnded {
                slot.stage = .ended(nil)
                return put(slot, order.slot)
            }
        }
        begin(slot, at: now)
    }

    /// Pauses and goes on with works that run only while the session is watched.
    mutating func watch(_ isWatched: Bool, at now: @autoclosure () -> WorkTime) {
        guard isWatched != self.isWatched else { return }
        self.isWatched = isWatched
        let concerned = slots.filter { $0.value.order.policy.isWhileWatched }.keys.sorted()
        guard !concerned.isEmpty else { return }
        let now = now()
        for id in concerned {
            guard var slot = slots[id] else { continue }
            if isWatched, slot.stage == .paused {
                begin(slot, at: now)
            } else if !isWatched, slot.hasTask || slot.stage == .waiting {
                cancelRun(id)
                slot.stage = .paused
                slot.since = now.at
                put(slot, id)
            }
        }
        startWaiting(at: now)
    }

    /// Cancels everything, and wants nothing.
    mutating func cancelAll() {
        list = WorkList()
        for id in slots.keys.sorted() {
            cancelRun(id)
            put(nil, id)
        }
        line = []
        arm()
    }

    // MARK: Runs

    /// Hears of a run; of one that was cancelled nothing is heard.
    mutating func accept(_ delivery: WorkDelivery<Action>, at now: @autoclosure () -> WorkTime) {
        if case .alarmDue = delivery.content { return fire(at: now()) }
        guard let (id, slot) = slot(of: delivery.run), slot.hasTask else { return }
        switch delivery.content {
        case .sent(let action): report(action, of: slot, delivery.run, at: now().elapsed)
        case .ended(let action):
            if let action { report(action, of: slot, delivery.run, at: now().elapsed) }
            end(slot, id, at: now())
        case .failed(let action?, let error):
            report(action, of: slot, delivery.run, at: now().elapsed, error)
            end(slot, id, at: now())
        case .failed(nil, let error):
            if case .running = slot.stage {
                let error = error ?? ""
                steps.append(.diagnose(.failed(name: slot.order.name, error: error)))
            }
            end(slot, id, at: now())
        case .alarmDue: break
        }
    }

    private func slot(of run: UInt64) -> (id: UInt64, slot: WorkSlot<Action>)? {
        guard let id = runs[run], let slot = slots[id] else { return nil }
        return (id, slot)
    }

    /// Reports an action, unless a newer value is wanted than the one that it is about.
    private mutating func report(
        _ action: Action, of slot: WorkSlot<Action>, _ run: UInt64, at now: Duration,
        _ error: String? = nil
    ) {
        if case .finishing = slot.stage { return }
        var cause = slot.origin.cause
        cause.isLate = now - slot.begin >= limits.quietDuration
        steps.append(
            .report(
                WorkReport(
                    action: action, run: run, name: slot.order.name, cause: cause,
                    by: slot.origin.by, isAlarm: slot.order.operation == nil, error: error)))
    }

    private mutating func end(_ slot: WorkSlot<Action>, _ id: UInt64, at now: WorkTime) {
        var slot = slot
        if case .finishing = slot.stage {
            begin(slot, at: now)
        } else {
            slot.stage = .ended(slot.run)
            slot.since = now.at
            put(slot, id)
        }
        startWaiting(at: now)
    }

    private mutating func begin(_ slot: WorkSlot<Action>, at now: WorkTime) {
        var slot = slot
        slot.since = now.at
        switch slot.order.kind {
        case .alarm(let time, _): arm(slot, at: time, now)
        case .group: preconditionFailure("A group has members, and no run of its own.")
        case .once, .subscription:
            if slot.order.policy.isWhileWatched, !isWatched {
                slot.stage = .paused
                put(slot, slot.order.slot)
            } else if hasRoom(for: slot) {
                start(slot, at: now)
            } else {
                wait(slot)
            }
        }
    }

    private func hasRoom(for slot: WorkSlot<Action>) -> Bool {
        let own = slots[slot.order.slot]?.hasTask ?? false
        return counts.tasks - (own ? 1 : 0) < limits.runningEffects
    }

    private mutating func start(_ slot: WorkSlot<Action>, at now: WorkTime) {
        guard let operation = slot.order.operation else {
            preconditionFailure("Only work with an operation has a run.")
        }
        var slot = slot
        let policy = slot.order.policy
        slot.begin = now.elapsed + max(.zero, policy.debounce ?? .zero)
        if let period = policy.throttle {
            slot.begin = throttle.admit(
                slot.order.name, each: period, from: slot.begin, at: now.elapsed)
        }
        lastRun += 1
        slot.stage = .running(lastRun)
        slot.since = now.at
        steps.append(
            .start(
                WorkRun(
                    id: lastRun, operation: operation, policy: policy, timeout: slot.order.timeout,
                    delay: slot.begin - now.elapsed, key: "\(slot.origin.token)/\(slot.order.name)",
                    cause: slot.origin.cause, isFirst: slot.isFirst)))
        put(slot, slot.order.slot)
    }

    private mutating func wait(_ slot: WorkSlot<Action>) {
        let id = slot.order.slot
        if slots[id]?.stage != .waiting { line.append(id) }
        var slot = slot
        slot.stage = .waiting
        put(slot, id)
        guard !hasToldExhausted else { return }
        hasToldExhausted = true
        steps.append(.diagnose(.exhausted(limit: limits.runningEffects)))
    }

    /// Starts what waits, as long as there is room.
    private mutating func startWaiting(at now: WorkTime) {
        guard !line.isEmpty else { return }
        var next = 0
        while next < line.count, counts.tasks < limits.runningEffects {
            if let slot = slots[line[next]], slot.stage == .waiting { start(slot, at: now) }
            next += 1
        }
        line.removeFirst(next)
        if line.count > 2 * counts.waiting { line = line.filter { slots[$0]?.stage == .waiting } }
        if counts.waiting == 0 { hasToldExhausted = false }
    }

    /// Cancels the run of a slot, which gets another stage after that.
    private mutating func cancelRun(_ id: UInt64) {
        guard let slot = slots[id], slot.hasTask, let run = slot.run else { return }
        steps.append(.cancel(run))
    }

    private mutating func put(_ slot: WorkSlot<Action>?, _ id: UInt64) {
        let old = slots[id]
        if let run = old?.run { runs[run] = nil }
        if let run = slot?.run { runs[run] = id }
        if case .due(_, let time) = old?.stage { alarms.remove(id, at: time) }
        if case .due(_, let time) = slot?.stage { alarms.insert(id, at: time) }
        counts.replace(old, with: slot)
        slots[id] = slot
    }

    /// Starts work again whose last report was lost with the entry that it had become.
    mutating func restart(_ run: UInt64, at now: @autoclosure () -> WorkTime) {
        guard let (_, slot) = slot(of: run), slot.stage == .ended(run) else { return }
        begin(slot, at: now())
    }

    // MARK: Alarms

    private mutating func arm(_ slot: WorkSlot<Action>, at time: Timestamp, _ now: WorkTime) {
        var slot = slot
        var due = time
        if slot.alarmCount > 0 {
            let next = now.at.milliseconds + slot.alarmPause
            due = max(due, Timestamp(milliseconds: next))
        }
        lastRun += 1
        slot.begin = now.elapsed
        slot.stage = .due(lastRun, due)
        put(slot, slot.order.slot)
    }

    /// Asks for the time of the earliest alarm, if it is another one than before.
    private mutating func arm() {
        guard armed != nextAlarm else { return }
        armed = nextAlarm
        steps.append(armed.map(Step.arm) ?? .disarm)
    }

    /// Reports the earliest alarm, if its time has come; others that are due come next, so that none
    /// is reported that the first one's action has ended.
    private mutating func fire(at now: WorkTime) {
        armed = nil
        if let (due, id) = alarms.first, due <= now.at, var slot = slots[id], let run = slot.run,
            case .alarm(_, let action) = slot.order.kind
        {
            slot.stage = .fired(run)
            slot.since = now.at
            put(slot, id)
            report(action, of: slot, run, at: now.elapsed)
        }
        arm()
    }

    /// Arms an alarm again whose action was decided, if the state still wants it: called after the
    /// state with that action was handed to `want`, and where the action was rejected or lost.
    mutating func repeatAlarm(_ run: UInt64, at now: @autoclosure () -> WorkTime) {
        guard case (_, var slot)? = slot(of: run), slot.stage == .fired(run) else { return }
        slot.alarmCount += 1
        slot.since = now().at
        let name = slot.order.name
        steps.append(.diagnose(.alarmRepeats(name: name, count: slot.alarmCount)))
        begin(slot, at: now())
        arm()
    }
}
