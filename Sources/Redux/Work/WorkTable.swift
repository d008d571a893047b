/// The works and effects of a session as a pure machine. The list that the committed state wants, the
/// effects of committed entries, the ends of runs and the times of alarms come in; what is to be done
/// comes out as steps:
///
///     table.want(application.work(in: committed), startedBy: origin, at: now)
///     table.start(effect, startedBy: origin, at: now)
///     for step in table.drainSteps() { … }
///
/// An effect is work that no list holds: it ends by itself, or by another effect of its name. The
/// runner has the tasks and the clocks; times are asked for only where something has changed.
struct WorkTable<Action: Sendable>: Sendable {
    enum Step: Sendable {
        case start(WorkRun<Action>)
        /// Nothing more of the run is heard.
        case cancel(UInt64)
        /// Lets the try that is under way be the last one, and cancels a run that is between two.
        /// The end of the run is waited for.
        case finish(UInt64)
        /// Delivers `alarmDue` at a time, in place of the time before.
        case arm(Timestamp)
        case disarm
        case tell(WorkNews<Action>)
    }

    private let limits: StoreLimits
    private(set) var list = WorkList()
    private var lastSlot: UInt64 = 0
    private var slots = WorkSlots<Action>()
    private var lastRun: UInt64 = 0
    private var lastEffect: UInt64 = 0
    /// The time that was asked for last.
    private var armed: Timestamp?
    private var throttle: WorkThrottle
    /// The slots of works that wait, in their order, and some that do not any more.
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

    /// Nothing needs the session in memory: nothing runs, waits or is being decided.
    var allowsSleep: Bool {
        slots.tasks == 0 && slots.waiting == 0 && slots.fired == 0 && slots.effects == 0
    }

    var isEmpty: Bool { list.items.isEmpty && slots.isEmpty && records.isEmpty }
    var nextAlarm: Timestamp? { slots.alarms.first?.due }

    /// Tells whether one-shot work or an effect that a root has led to is running or waiting.
    func holds(root: UInt64) -> Bool { slots.roots[root] != nil }

    /// Work has ended or an alarm has come, and the list that the state answers with is awaited. The
    /// same work may be wanted anew after that, so that no such list may be left out.
    var awaitsAnswer: Bool { slots.ended > 0 || slots.fired > 0 }

    /// Tells whether a report's work is still wanted.
    func isWanted(_ run: UInt64) -> Bool {
        guard let slot = slots.slot(of: run) else { return false }
        return slot.stage != .finishing(run)
    }

    /// Tells whether works that are not the committed state's include the one of a run, with the same
    /// value.
    func isWanted(_ run: UInt64, among works: [Work<Action>]) -> Bool {
        guard isWanted(run), let id = slots.slot(of: run)?.id else { return false }
        guard !list.isSame(as: works) else { return true }
        var list = list
        var changes = WorkChanges<Action>(after: lastSlot)
        list.replace(with: works, &changes)
        return !changes.gone.contains(id) && !changes.wanted.contains { $0.slot == id }
    }

    /// The works that have not ended, each with the run that it has, the oldest first.
    var works: [(run: UInt64?, work: RunningWork)] {
        slots.sorted.compactMap { slot in slot.asWork.map { (slot.run, $0) } }
    }

    /// The effects that run and those that wait, the oldest first.
    var effects: [RunningEffect] { slots.sorted.compactMap(\.asEffect) }

    /// What is to be remembered of the works while the session is not in memory.
    var currentRecords: [WorkRecord] {
        slots.sorted.filter { !$0.order.isEffect }.map(\.record)
    }

    /// Roots have no work any more, and were not asked for.
    var hasReleasedRoots: Bool { !slots.releasedRoots.isEmpty }

    /// The roots without work since they were asked for last.
    mutating func drainReleasedRoots() -> [UInt64] {
        defer { slots.releasedRoots = [] }
        return slots.releasedRoots
    }

    var hasSteps: Bool { !steps.isEmpty }

    mutating func drainSteps() -> [Step] {
        defer { steps = [] }
        return steps
    }

    // MARK: The state

    /// Starts and cancels the difference to what was wanted before.
    ///
    /// - Parameter origin: the entry that the state was committed with; asked for only where
    ///   something is started.
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
        for id in changes.gone { drop(id) }
        if !changes.wanted.isEmpty {
            let origin = origin()
            for order in changes.wanted { want(order, startedBy: origin, at: now) }
        }
        records = [:]
        for name in changes.doubled { diagnose(.namedTwice(name: name)) }
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
            slots.put(slot)
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
                return slots.put(slot)
            }
        }
        begin(slot, at: now)
    }

    /// Pauses and goes on with works that run only while the session is watched.
    mutating func watch(_ isWatched: Bool, at now: @autoclosure () -> WorkTime) {
        guard isWatched != self.isWatched else { return }
        self.isWatched = isWatched
        let concerned = slots.sorted.filter(\.order.policy.isWhileWatched)
        guard !concerned.isEmpty else { return }
        let now = now()
        for var slot in concerned {
            if isWatched, slot.stage == .paused {
                begin(slot, at: now)
            } else if !isWatched, slot.hasTask || slot.stage == .waiting {
                cancelRun(slot.id)
                slot.stage = .paused
                slot.since = now.at
                slots.put(slot)
            }
        }
        startWaiting(at: now)
    }

    /// Cancels everything, and wants nothing.
    mutating func cancelAll() {
        list = WorkList()
        for slot in slots.sorted { drop(slot.id) }
        line = []
        arm()
    }

    // MARK: Effects

    /// Starts an effect, lets it wait or leaves it out, as the rule for its name says.
    ///
    /// - Parameter place: the interceptor that has delayed the effect's action.
    mutating func start(
        _ effect: Effect<Action>, delayedBy place: InterceptorPlace? = nil,
        startedBy origin: WorkOrigin, at now: WorkTime
    ) {
        guard case .run(let operation) = effect.kind else { return }
        lastEffect += 1
        let others = effect.name.flatMap { slots.effectsOfName[$0] } ?? []
        if !others.isEmpty, effect.overlap == .keepRunning { return }
        if effect.overlap == .latest { for id in others { drop(id) } }
        let waits = !others.isEmpty && effect.overlap == .queue
        let (count, limit) =
            waits
            ? (others.count { slots[$0]?.stage == .waiting }, limits.queuedEffects)
            : (slots.effects, limits.runningEffects)
        guard count < limit else {
            let name = effect.name ?? "effect"
            return steps.append(.tell(.diagnosed(.effectsExhausted(name: name, limit: limit))))
        }
        lastSlot += 1
        let order = WorkOrder(
            slot: lastSlot, name: effect.name ?? "effect-\(lastEffect)",
            .effect(operation, delayedBy: place))
        if let name = effect.name { slots.addEffect(lastSlot, named: name) }
        let slot = WorkSlot(order: order, origin: origin, isFirst: true, since: now.at)
        if waits { slots.put(slot) } else { start(slot, at: now) }
    }

    /// Tells whether an effect that takes the place of others of its name could start, beside others
    /// that are about to.
    func hasRoom(forEffect name: String, beside others: Int) -> Bool {
        slots.effectsOfName[name] != nil || slots.effects + others < limits.runningEffects
    }

    private mutating func endEffect(_ slot: WorkSlot<Action>, at now: WorkTime) {
        slots.remove(slot.id)
        steps.append(.tell(.effectEnded(cause(by: slot, at: now.elapsed))))
        guard let others = slots.effectsOfName[slot.order.name], let next = slots[others[0]],
            !others.contains(where: { slots[$0]?.hasTask ?? false })
        else { return }
        start(next, at: now)
    }

    // MARK: Runs

    /// Hears of a run; of one that was cancelled nothing is heard.
    mutating func accept(_ delivery: StoreDelivery<Action>, at now: @autoclosure () -> WorkTime) {
        if case .alarmDue = delivery.content { return fire(at: now()) }
        guard let slot = slots.slot(of: delivery.run), slot.hasTask else { return }
        switch delivery.content {
        case .alarmDue: return
        case .sent(let action):
            return report(action, of: slot, delivery.run, at: now().elapsed)
        case .ended(let action):
            if let action { report(action, of: slot, delivery.run, at: now().elapsed) }
        case .failed(let action?, let error):
            report(action, of: slot, delivery.run, at: now().elapsed, error)
        case .failed(nil, let error):
            if case .running = slot.stage { tellFailure(of: slot, error ?? "", at: now().elapsed) }
        }
        end(slot, at: now())
    }

    /// Reports an action, unless a newer value is wanted than the one that it is about.
    private mutating func report(
        _ action: Action, of slot: WorkSlot<Action>, _ run: UInt64, at now: Duration,
        _ error: String? = nil
    ) {
        if case .finishing = slot.stage { return }
        steps.append(
            .tell(
                .reported(
                    WorkReport(
                        action: action, run: run, order: slot.order,
                        cause: cause(by: slot, at: now),
                        by: slot.origin.by, error: error))))
    }

    private mutating func tellFailure(of slot: WorkSlot<Action>, _ error: String, at now: Duration)
    {
        let name = slot.order.name
        guard slot.order.isEffect else { return diagnose(.failed(name: name, error: error)) }
        let diagnostic = StoreDiagnostic.effectFailed(name: name, error: error)
        steps.append(.tell(.diagnosed(diagnostic, causedBy: cause(by: slot, at: now))))
    }

    private mutating func diagnose(_ diagnostic: WorkDiagnostic) {
        steps.append(.tell(.diagnosed(.work(diagnostic))))
    }

    /// The entry that wanted a work, as the cause of what comes of the work now.
    private func cause(by slot: WorkSlot<Action>, at now: Duration) -> Cause {
        var cause = slot.origin.cause
        cause.isLate = now - slot.begin >= limits.quietDuration
        return cause
    }

    private mutating func end(_ slot: WorkSlot<Action>, at now: WorkTime) {
        if slot.order.isEffect { return endEffect(slot, at: now) }
        var slot = slot
        if case .finishing = slot.stage {
            begin(slot, at: now)
        } else {
            slot.stage = .ended(slot.run)
            slot.since = now.at
            slots.put(slot)
        }
        startWaiting(at: now)
    }

    private mutating func begin(_ slot: WorkSlot<Action>, at now: WorkTime) {
        var slot = slot
        slot.since = now.at
        switch slot.order.kind {
        case .alarm(let time, _): arm(slot, at: time, now)
        case .group, .effect: preconditionFailure("The list holds neither groups nor effects.")
        case .once, .subscription:
            if slot.order.policy.isWhileWatched, !isWatched {
                slot.stage = .paused
                slots.put(slot)
            } else if slots.tasks(besides: slot.id) < limits.runningEffects {
                start(slot, at: now)
            } else {
                wait(slot)
            }
        }
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
        slots.put(slot)
    }

    private mutating func wait(_ slot: WorkSlot<Action>) {
        if slots[slot.id]?.stage != .waiting { line.append(slot.id) }
        var slot = slot
        slot.stage = .waiting
        slots.put(slot)
        guard !hasToldExhausted else { return }
        hasToldExhausted = true
        diagnose(.exhausted(limit: limits.runningEffects))
    }

    /// Starts what waits, as long as there is room.
    private mutating func startWaiting(at now: WorkTime) {
        guard !line.isEmpty else { return }
        var next = 0
        while next < line.count, slots.tasks < limits.runningEffects {
            if let slot = slots[line[next]], slot.stage == .waiting { start(slot, at: now) }
            next += 1
        }
        line.removeFirst(next)
        if line.count > 2 * slots.waiting { line = line.filter { slots[$0]?.stage == .waiting } }
        if slots.waiting == 0 { hasToldExhausted = false }
    }

    /// Starts work again whose last report was lost with the entry that it had become.
    mutating func restart(_ run: UInt64, at now: @autoclosure () -> WorkTime) {
        guard let slot = slots.slot(of: run), slot.stage == .ended(run) else { return }
        begin(slot, at: now())
    }

    /// Cancels the run of a slot, which gets another stage after that.
    private mutating func cancelRun(_ id: UInt64) {
        guard let slot = slots[id], slot.hasTask, let run = slot.run else { return }
        steps.append(.cancel(run))
    }

    private mutating func drop(_ id: UInt64) {
        cancelRun(id)
        slots.remove(id)
    }

    // MARK: Alarms

    private mutating func arm(_ slot: WorkSlot<Action>, at time: Timestamp, _ now: WorkTime) {
        var slot = slot
        var due = time
        if slot.alarmCount > 0 {
            due = max(due, Timestamp(milliseconds: now.at.milliseconds + slot.alarmPause))
        }
        lastRun += 1
        slot.begin = now.elapsed
        slot.stage = .due(lastRun, due)
        slots.put(slot)
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
        if let (due, id) = slots.alarms.first, due <= now.at, var slot = slots[id],
            let run = slot.run, case .alarm(_, let action) = slot.order.kind
        {
            slot.stage = .fired(run)
            slot.since = now.at
            slots.put(slot)
            report(action, of: slot, run, at: now.elapsed)
        }
        arm()
    }

    /// Arms an alarm again whose action was decided, if the state still wants it: called after the
    /// state with that action was handed to `want`, and where the action was rejected or lost.
    mutating func repeatAlarm(_ run: UInt64, at now: @autoclosure () -> WorkTime) {
        guard var slot = slots.slot(of: run), slot.stage == .fired(run) else { return }
        slot.alarmCount += 1
        slot.since = now().at
        diagnose(.alarmRepeats(name: slot.order.name, count: slot.alarmCount))
        begin(slot, at: now())
        arm()
    }
}
