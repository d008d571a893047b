/// The works and effects of a session as a pure machine. The list that the committed state wants, the
/// effects of committed entries, the ends of runs and the times of alarms come in; what is to be done
/// comes out as steps:
///
///     table.now = (elapsed, at)
///     table.want(application.work(in: committed), startedBy: cause, by: principal)
///     table.start(effect, startedBy: cause)
///     for step in table.drainSteps() { … }
///
/// An effect is work that no list holds: it ends by itself, or by another effect of its name. The
/// runner has the tasks and the clocks; times are asked for only where something has changed.
struct WorkTable<Action: Sendable>: Sendable {
    private let session: SessionID
    /// The first part of the session's tokens.
    private let epoch: String
    private let limits: StoreLimits
    private(set) var list = WorkList()
    private(set) var slots = WorkSlots<Action>()
    private var lastSlot: UInt64 = 0
    private var lastRun: UInt64 = 0
    private var lastEffect: UInt64 = 0
    /// The time that was asked for last.
    private var armed: Timestamp?
    /// The periods of throttled works, by name.
    private var periods: [String: Range<Duration>] = [:]
    /// The slots of works that wait, in their order, and some that do not any more.
    private var line: ArraySlice<UInt64> = []
    private var hasToldExhausted = false
    /// What is remembered of works from before the session was loaded, by name; nil once there is a
    /// list.
    private var records: [String: WorkRecord]?
    private var isWatched = false
    /// The runs whose reports were decided since `repeatAlarms`, with the version of the last entry
    /// that came of it; 0 where it was none, or is lost.
    private var decided: [(run: UInt64, version: UInt64)] = []
    private var steps: [WorkStep<Action>] = []
    /// The time of what comes in next.
    var now: WorkTime = (.zero, Timestamp(milliseconds: 0))

    init(of session: SessionID, epoch: String, limits: StoreLimits, records: [WorkRecord] = []) {
        self.session = session
        self.epoch = epoch
        self.limits = limits
        self.records = Dictionary(records.map { ($0.name, $0) }) { first, _ in first }
    }

    // MARK: Asking

    /// Nothing needs the session in memory: nothing runs, waits or is being decided.
    var allowsSleep: Bool {
        slots.tasks == 0 && slots.waiting == 0 && slots.fired == 0 && slots.effects == 0
            && slots.delayed == 0
    }

    var isEmpty: Bool { list.items.isEmpty && slots.isEmpty && records?.isEmpty != false }
    var nextAlarm: Timestamp? { slots.nextAlarm?.due }

    /// Tells whether one-shot work or an effect that a root has led to is running or waiting.
    func holds(root: UInt64) -> Bool { slots.roots[root] != nil }

    /// Work has ended or an alarm has come, and the list that the state answers with is awaited. The
    /// same work may be wanted anew after that, so that no such list may be left out.
    var awaitsAnswer: Bool { slots.ended > 0 || slots.fired > 0 }

    /// Reports were decided, and the list of the state behind them is awaited.
    var hasDecided: Bool { !decided.isEmpty }
    /// The next list counts even if it is the one before: there was none, or an alarm waits for it.
    var needsList: Bool { records != nil || hasDecided }

    /// Tells whether a report's work is still wanted.
    ///
    /// - Parameter works: the works that a state wants which is not committed yet: they include this
    ///   one, with the same value. Nil where the state is the one that the table knows.
    func isWanted(_ run: UInt64, among works: [Work<Action>]? = nil) -> Bool {
        guard let slot = slots.slot(of: run), slot.stage != .finishing else { return false }
        guard let works, !WorkList.isSame(works, as: list.items) else { return true }
        var list = list
        var changes = WorkChanges<Action>(lastSlot: lastSlot)
        list.replace(with: works, of: session, &changes)
        return !changes.gone.contains(slot.id) && !changes.wanted.contains { $0.slot == slot.id }
    }

    /// The works that have not ended, each with the run that it has, the oldest first.
    var works: [(run: UInt64?, work: RunningWork)] {
        slots.sorted.compactMap { slot in
            guard let stage = slot.stage, !slot.isEffect else { return nil }
            return (
                slot.run,
                RunningWork(
                    name: slot.name, cause: slot.cause.version, since: slot.since,
                    attempt: 0, stage: stage)
            )
        }
    }

    /// The effects that run and those that wait, the oldest first.
    var effects: [RunningEffect] {
        slots.sorted.filter(\.isEffect).map { slot in
            let cause = slot.cause
            return RunningEffect(
                name: slot.name, cause: cause.version, root: cause.root, depth: cause.depth,
                startedAt: slot.since, isWaiting: slot.stage == .waiting)
        }
    }

    /// What is to be remembered of the works while the session is not in memory.
    var currentRecords: [WorkRecord] { slots.sorted.filter { !$0.isEffect }.map(\.record) }

    /// Roots have no work any more, and were not asked for.
    var hasReleasedRoots: Bool { !slots.releasedRoots.isEmpty }

    /// The roots without work since they were asked for last.
    mutating func drainReleasedRoots() -> [UInt64] {
        defer { slots.releasedRoots = [] }
        return slots.releasedRoots
    }

    mutating func drainSteps() -> [WorkStep<Action>] {
        defer { steps = [] }
        return steps
    }

    // MARK: The state

    /// Starts and cancels the difference to what was wanted before.
    ///
    /// - Parameter cause: the entry that the state was committed with.
    mutating func want(_ works: [Work<Action>], startedBy cause: Cause, by principal: Principal?) {
        var changes = WorkChanges<Action>(lastSlot: lastSlot)
        list.replace(with: works, of: session, &changes)
        lastSlot = changes.lastSlot
        for id in changes.gone { drop(id) }
        let token = "\(epoch)-\(cause.version)"
        for (id, name, kind) in changes.wanted {
            want(
                WorkSlot(
                    id: id, name: name, kind: kind, cause: cause, token: token, by: principal,
                    since: now.at))
        }
        // Only the first list is one from before the session was loaded.
        records = nil
        for name in changes.doubled { diagnose(.namedTwice(name: name)) }
        startWaiting()
        arm()
    }

    private mutating func want(_ new: WorkSlot<Action>) {
        var slot = new
        if let old = slots[slot.id] {
            slot.begin = old.begin
            if slot.operation?.policy.isFinishing == true, old.hasTask, let run = old.run {
                if old.stage == .running { steps.append(.finish(run)) }
                return put(slot, .finishing, run)
            }
            cancelRun(of: old)
        } else if let record = records?[slot.name] ?? records?[WorkRecord.ofOthers] {
            slot.cause.version = record.version
            slot.token = record.token
            slot.alarmCount = record.alarmCount
            if record.hasEnded { return put(slot, nil, nil) }
        }
        begin(slot)
    }

    /// Pauses and goes on with works that run only while the session is watched.
    mutating func watch(_ isWatched: Bool) {
        guard isWatched != self.isWatched else { return }
        self.isWatched = isWatched
        for slot in slots.sorted where slot.operation?.policy.isWhileWatched == true {
            if isWatched, slot.stage == .paused {
                begin(slot)
            } else if !isWatched, slot.hasTask || slot.stage == .waiting {
                cancelRun(of: slot)
                put(slot, .paused, nil)
            }
        }
        startWaiting()
    }

    /// Cancels everything, and wants nothing.
    mutating func cancelAll() {
        (list, decided, line, records) = (WorkList(), [], [], [:])
        for slot in slots.sorted { drop(slot.id) }
        arm()
    }

    // MARK: Effects

    /// Starts an effect, lets it wait or leaves it out, as the rule for its name says.
    mutating func start(_ effect: Effect<Action>, startedBy cause: Cause) {
        guard let operation = effect.operation else { return }
        let (name, overlap) = (effect.name, effect.overlap)
        lastEffect += 1
        let others = name.flatMap { slots.effectsOfName[$0] } ?? []
        if !others.isEmpty, overlap == .keepRunning { return }
        if overlap == .latest { for id in others { drop(id) } }
        let waits = !others.isEmpty && overlap == .queue
        let (count, limit) =
            waits
            ? (others.count { slots[$0]?.stage == .waiting }, limits.queuedEffects)
            : (operation.resumed == nil ? slots.effects : slots.delayed, limits.runningEffects)
        guard count < limit else {
            let name = name ?? "effect"
            return steps.append(.diagnose(.effectsExhausted(name: name, limit: limit)))
        }
        lastSlot += 1
        if let name { slots.addEffect(lastSlot, named: name) }
        let slot = WorkSlot(
            id: lastSlot, name: name ?? "effect-\(lastEffect)", kind: .operation(operation),
            cause: cause, token: "\(epoch)-\(cause.version)", by: nil, since: now.at)
        if waits { put(slot, .waiting, nil) } else { start(slot, operation) }
    }

    /// Tells whether an action that takes the place of others of its name could wait, beside others
    /// that are about to.
    func hasRoom(forEffect name: String, beside others: Int) -> Bool {
        slots.effectsOfName[name] != nil || slots.delayed + others < limits.runningEffects
    }

    private mutating func endEffect(_ slot: WorkSlot<Action>) {
        slots[slot.id] = nil
        steps.append(.effectEnded(cause(by: slot)))
        guard let others = slots.effectsOfName[slot.name], let next = slots[others[0]],
            let operation = next.operation,
            !others.contains(where: { slots[$0]?.hasTask ?? false })
        else { return }
        start(next, operation)
    }

    // MARK: Runs

    /// Hears of a run; of one that was cancelled nothing is heard.
    mutating func accept(_ delivery: StoreDelivery<Action>) {
        guard let slot = slots.slot(of: delivery.run), slot.hasTask else {
            if case .alarmDue = delivery.content { fire() }
            return
        }
        switch delivery.content {
        case .alarmDue: break
        case .sent(let action): report(action, of: slot)
        case .ended(let action?, let error):
            report(action, of: slot, error, isLast: true)
            end(slot)
        case .ended(nil, let error):
            if let error, slot.stage == .running { tellFailure(of: slot, error) }
            end(slot)
        }
    }

    /// Reports an action, unless a newer value is wanted than the one that it is about.
    private mutating func report(
        _ action: Action, of slot: WorkSlot<Action>, _ error: String? = nil, isLast: Bool = false
    ) {
        guard slot.stage != .finishing, let run = slot.run else { return }
        let (cause, name) = (cause(by: slot), slot.name)
        let operation = slot.operation
        guard slot.isEffect || cause.isLate || cause.depth < limits.chainLength else {
            // An alarm comes again; other work has ended.
            if operation == nil { decided.append((run, 0)) }
            return steps.append(.diagnose(.chainCut(causes: cause.path, limit: limits.chainLength)))
        }
        var arrival =
            operation?.resumed?.arrival ?? Arrival(origin: operation == nil ? .alarm : .effect)
        arrival.cause = cause
        arrival.effect = name
        arrival.run = slot.isEffect ? nil : run
        arrival.endsRun = isLast && !slot.isEffect
        arrival.causer = slot.by
        steps.append(.report(action, arrival))
        guard let error, !slot.isEffect else { return }
        diagnose(.problemReported(name: name, error: error), causedBy: cause)
    }

    private mutating func tellFailure(of slot: WorkSlot<Action>, _ error: String) {
        let name = slot.name
        guard slot.isEffect else { return diagnose(.failed(name: name, error: error)) }
        steps.append(.diagnose(.effectFailed(name: name, error: error), causedBy: cause(by: slot)))
    }

    private mutating func diagnose(_ diagnostic: WorkDiagnostic, causedBy cause: Cause? = nil) {
        steps.append(.diagnose(.work(diagnostic), causedBy: cause))
    }

    /// The entry that wanted a work, as the cause of what comes of the work now.
    private func cause(by slot: WorkSlot<Action>) -> Cause {
        var cause = slot.cause
        cause.isLate = now.elapsed - slot.begin >= limits.quietDuration
        return cause
    }

    private mutating func end(_ slot: WorkSlot<Action>) {
        if slot.isEffect { return endEffect(slot) }
        if slot.stage == .finishing {
            begin(slot)
        } else {
            put(slot, nil, slot.run)
        }
        startWaiting()
    }

    private mutating func put(
        _ slot: WorkSlot<Action>, _ stage: WorkSlot<Action>.Stage?, _ run: UInt64?
    ) {
        var slot = slot
        (slot.stage, slot.run, slot.since) = (stage, run, now.at)
        slots[slot.id] = slot
    }

    private mutating func begin(_ slot: WorkSlot<Action>) {
        switch slot.kind {
        case .group: preconditionFailure("The list holds no groups.")
        case .alarm(let time, _):
            var (slot, due) = (slot, time)
            if slot.alarmCount > 0 {
                due = max(due, now.at + .milliseconds(slot.alarmPause))
            }
            lastRun += 1
            slot.begin = now.elapsed
            put(slot, .due(due), lastRun)
        case .operation(let operation):
            let others = slots.tasks - (slots[slot.id]?.hasTask == true ? 1 : 0)
            if operation.policy.isWhileWatched, !isWatched {
                put(slot, .paused, nil)
            } else if others < limits.runningEffects {
                start(slot, operation)
            } else {
                wait(slot)
            }
        }
    }

    private mutating func start(_ slot: WorkSlot<Action>, _ operation: WorkOperation<Action>) {
        var slot = slot
        slot.begin = throttled(
            slot.name, operation.policy.throttle,
            from: now.elapsed + max(.zero, operation.policy.debounce ?? .zero))
        lastRun += 1
        put(slot, .running, lastRun)
        steps.append(
            .start(
                WorkRun(
                    id: lastRun, operation, delay: slot.begin - now.elapsed,
                    key: "\(slot.token)/\(slot.name)", cause: slot.cause)))
    }

    /// The time at which work of a name may begin: the first at once, the last at the end of the
    /// period. As many names are remembered as works may run.
    private mutating func throttled(
        _ name: String, _ period: Duration?, from earliest: Duration
    ) -> Duration {
        guard let length = period else { return earliest }
        var begin = earliest
        if let period = periods[name] {
            // One that was replaced before it began leaves its turn to the next one.
            begin = max(
                begin, period.lowerBound > now.elapsed ? period.lowerBound : period.upperBound)
        } else if periods.count >= limits.runningEffects {
            periods = periods.filter { $0.value.upperBound > now.elapsed }
            guard periods.count < limits.runningEffects else { return begin }
        }
        periods[name] = begin..<begin + max(.zero, length)
        return begin
    }

    private mutating func wait(_ slot: WorkSlot<Action>) {
        if slots[slot.id]?.stage != .waiting { line.append(slot.id) }
        put(slot, .waiting, nil)
        guard !hasToldExhausted else { return }
        hasToldExhausted = true
        diagnose(.exhausted(limit: limits.runningEffects))
    }

    /// Starts what waits, as long as there is room.
    private mutating func startWaiting() {
        while slots.tasks < limits.runningEffects, let id = line.popFirst() {
            if let slot = slots[id], slot.stage == .waiting { begin(slot) }
        }
        if line.count > 2 * slots.waiting {
            line = ArraySlice(line.filter { slots[$0]?.stage == .waiting })
        }
        if slots.waiting == 0 { hasToldExhausted = false }
    }

    /// Cancels the run of a slot, which gets another stage after that.
    private mutating func cancelRun(of slot: WorkSlot<Action>) {
        if slot.hasTask, let run = slot.run { steps.append(.cancel(run)) }
    }

    private mutating func drop(_ id: UInt64) {
        if let slot = slots[id] { cancelRun(of: slot) }
        slots[id] = nil
    }

    // MARK: Alarms

    /// Asks for the time of the earliest alarm, if it is another one than before.
    private mutating func arm() {
        guard armed != nextAlarm else { return }
        armed = nextAlarm
        steps.append(.arm(armed))
    }

    /// Reports the earliest alarm, if its time has come; others that are due come next, so that none
    /// is reported that the first one's action has ended.
    private mutating func fire() {
        armed = nil
        if let (id, due) = slots.nextAlarm, due <= now.at, let slot = slots[id],
            case .alarm(_, let action) = slot.kind
        {
            put(slot, .fired, slot.run)
            report(action, of: slot, isLast: true)
        }
        arm()
    }

    // MARK: Decisions

    /// A report of work was decided, or is not decided at all.
    ///
    /// - Parameter version: the last entry of which the state depends on it: its own, or the one
    ///   behind which it came too late; nil where it was rejected.
    mutating func reportDecided(_ run: UInt64, at version: UInt64?) {
        decided.append((run, version ?? 0))
    }

    /// Arms the alarms again that the state at a version still wants, though their actions were
    /// decided: called once the table has the list of that state.
    mutating func repeatAlarms(at version: UInt64) {
        for (run, end) in decided where end <= version { repeatAlarm(run) }
        decided.removeAll { $0.version <= version }
        arm()
    }

    private mutating func repeatAlarm(_ run: UInt64) {
        guard var slot = slots.slot(of: run), slot.stage == .fired else { return }
        slot.alarmCount = min(slot.alarmCount, .max - 1) + 1
        diagnose(.alarmRepeats(name: slot.name, count: slot.alarmCount))
        begin(slot)
    }

    /// The entries behind a version are lost: what was reported there is reported again, alarms after
    /// a while, other work as soon as it has run once more.
    mutating func revert(to version: UInt64) {
        for index in decided.indices where decided[index].version > version {
            decided[index].version = 0
            guard let slot = slots.slot(of: decided[index].run), slot.stage == nil else { continue }
            begin(slot)
        }
    }
}
