/// An effect that was started and is not over.
struct EffectEntry<State, Action: Sendable> {
    var effect: Effect<State, Action>
    /// The entry that started it.
    var cause: Cause
    /// The place where its action goes on, if it is one that waits for a delayed action.
    var continuation: DelayedAction<Action>.Continuation?
    var id: UInt64
    /// When it began or was queued, by the store's clock.
    var begin: Duration
    var startedAt: Timestamp
}

/// The effects that run and those that wait, as a value: policies without tasks and a clock.
///
/// Each function says what is to be done; the runner does it.
struct EffectSchedule<State, Action: Sendable> {
    typealias Entry = EffectEntry<State, Action>

    /// A thing to do for the runner.
    enum Step {
        case begin(Entry)
        case cancel(UInt64)
    }

    /// The fate of an effect that was to be started.
    enum Admission {
        /// It runs, perhaps in place of another one.
        case begun
        /// It waits for its turn.
        case queued
        /// Another one of its name runs, or ran a moment ago.
        case superfluous
        /// As many as allowed are there.
        case exhausted(limit: Int)
    }

    private let limits: StoreLimits
    private var running: [String: Entry] = [:]
    private var names: [UInt64: String] = [:]
    private var queued: [String: [Entry]] = [:]
    /// Until when effects of a name are superfluous.
    private var throttledUntil: [String: Duration] = [:]
    /// The number of effects of each root.
    private var roots: [UInt64: Int] = [:]
    private var lastID: UInt64 = 0
    /// The things to do, in their order; the runner takes them.
    private(set) var steps: [Step] = []
    /// Roots without an effect since they were taken last.
    private(set) var releasedRoots: [UInt64] = []

    init(limits: StoreLimits) {
        self.limits = limits
    }

    var isEmpty: Bool { running.isEmpty }

    /// The effects that run and those that wait, in the order of their start.
    var entries: [Entry] {
        (Array(running.values) + queued.values.joined()).sorted { $0.id < $1.id }
    }

    func holds(root: UInt64) -> Bool { roots[root] != nil }

    func isRunning(_ entry: Entry) -> Bool { running[entry.effect.name]?.id == entry.id }

    func entry(_ id: UInt64) -> Entry? {
        guard let name = names[id], let entry = running[name], entry.id == id else { return nil }
        return entry
    }

    mutating func takeSteps() -> [Step] {
        defer { steps = [] }
        return steps
    }

    mutating func takeReleasedRoots() -> [UInt64] {
        defer { releasedRoots = [] }
        return releasedRoots
    }

    /// Begins, queues or drops, as the policy says.
    mutating func add(
        _ effect: Effect<State, Action>, _ cause: Cause,
        _ continuation: DelayedAction<Action>.Continuation? = nil, at now: Duration,
        _ timestamp: Timestamp
    ) -> Admission {
        guard !isThrottled(effect, at: now) else { return .superfluous }
        lastID += 1
        let entry = Entry(
            effect: effect, cause: cause, continuation: continuation, id: lastID, begin: now,
            startedAt: timestamp)
        if running[effect.name] != nil {
            switch effect.policy.overlap {
            case .latest: cancel(effect.name)
            case .keepRunning: return .superfluous
            case .queue:
                guard queued[effect.name]?.count ?? 0 < limits.queuedEffects else {
                    return .exhausted(limit: limits.queuedEffects)
                }
                queued[effect.name, default: []].append(entry)
                roots[cause.root, default: 0] += 1
                return .queued
            }
        }
        guard running.count < limits.runningEffects else {
            return .exhausted(limit: limits.runningEffects)
        }
        throttle(effect, at: now)
        roots[cause.root, default: 0] += 1
        begin(entry)
        return .begun
    }

    func hasRoom(for name: String, beside others: Int) -> Bool {
        running[name] != nil || running.count + others < limits.runningEffects
    }

    private func isThrottled(_ effect: Effect<State, Action>, at now: Duration) -> Bool {
        guard effect.policy.throttle != nil, let end = throttledUntil[effect.name] else {
            return false
        }
        return now < end
    }

    /// Remembers when the next one of the name may begin, as long as it matters.
    private mutating func throttle(_ effect: Effect<State, Action>, at now: Duration) {
        guard let throttle = effect.policy.throttle else { return }
        throttledUntil = throttledUntil.filter { $0.value > now }
        guard throttledUntil.count < limits.runningEffects else { return }
        throttledUntil[effect.name] = now + throttle
    }

    private mutating func begin(_ entry: Entry) {
        running[entry.effect.name] = entry
        names[entry.id] = entry.effect.name
        steps.append(.begin(entry))
    }

    /// Forgets an effect that is over, and begins the next one of its name.
    mutating func end(_ id: UInt64, at now: Duration) {
        guard let entry = entry(id) else { return }
        forget(entry)
        beginNext(entry.effect.name, at: now)
    }

    private mutating func forget(_ entry: Entry) {
        running[entry.effect.name] = nil
        names[entry.id] = nil
        release(entry.cause.root)
    }

    private mutating func release(_ root: UInt64) {
        guard let count = roots[root] else { return }
        roots[root] = count > 1 ? count - 1 : nil
        if count == 1 { releasedRoots.append(root) }
    }

    private mutating func beginNext(_ name: String, at now: Duration) {
        guard var next = queued[name]?.first else { return }
        queued[name]?.removeFirst()
        if queued[name]?.isEmpty ?? true { queued[name] = nil }
        next.begin = now
        begin(next)
    }

    /// Cancels what runs and waits under a name.
    mutating func cancel(_ name: String) {
        for entry in queued.removeValue(forKey: name) ?? [] { release(entry.cause.root) }
        guard let entry = running[name] else { return }
        forget(entry)
        steps.append(.cancel(entry.id))
    }

    /// Cancels what the state has left, running or waiting, under one name or under all.
    mutating func leave(_ state: State, _ name: String?, at now: @autoclosure () -> Duration) {
        if let name {
            leaveQueued(state, name)
            return leaveRunning(state, name, at: now())
        }
        for name in queued.keys { leaveQueued(state, name) }
        for name in running.keys { leaveRunning(state, name, at: now()) }
    }

    private mutating func leaveQueued(_ state: State, _ name: String) {
        guard let waiting = queued[name] else { return }
        var kept: [Entry] = []
        for entry in waiting {
            if entry.effect.scope?(state) ?? true {
                kept.append(entry)
            } else {
                release(entry.cause.root)
            }
        }
        guard kept.count < waiting.count else { return }
        queued[name] = kept.isEmpty ? nil : kept
    }

    private mutating func leaveRunning(
        _ state: State, _ name: String, at now: @autoclosure () -> Duration
    ) {
        guard let entry = running[name], let scope = entry.effect.scope, !scope(state) else {
            return
        }
        forget(entry)
        steps.append(.cancel(entry.id))
        beginNext(name, at: now())
    }

    /// Cancels everything.
    mutating func cancelAll() {
        for name in queued.keys { cancel(name) }
        for name in running.keys { cancel(name) }
        throttledUntil = [:]
    }
}
