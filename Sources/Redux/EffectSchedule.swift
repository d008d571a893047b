/// The effects that run and those that wait, as a value: rules without tasks and a clock.
///
/// Each function says what is to be done; the runner does it.
struct EffectSchedule<Action: Sendable> {
    typealias Entry = EffectEntry<Action>

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
        /// Another one of its name runs.
        case superfluous
        /// As many as allowed are there.
        case exhausted(limit: Int)
    }

    private let limits: StoreLimits
    private var running: [UInt64: Entry] = [:]
    /// The effects of a name that run, the oldest first.
    private var named: [String: [UInt64]] = [:]
    private var queued: [String: [Entry]] = [:]
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

    func isRunning(_ id: UInt64) -> Bool { running[id] != nil }

    /// An effect that runs.
    func entry(_ id: UInt64) -> Entry? { running[id] }

    mutating func takeSteps() -> [Step] {
        defer { steps = [] }
        return steps
    }

    mutating func takeReleasedRoots() -> [UInt64] {
        defer { releasedRoots = [] }
        return releasedRoots
    }

    /// Begins, queues or drops, as the rule for its name says.
    mutating func add(
        _ effect: Effect<Action>, _ cause: Cause,
        _ continuation: DelayedAction<Action>.Continuation? = nil, at now: Duration,
        _ timestamp: Timestamp
    ) -> Admission {
        lastID += 1
        let entry = Entry(
            effect: effect, cause: cause, continuation: continuation, id: lastID, begin: now,
            startedAt: timestamp)
        if let name = effect.name, named[name] != nil {
            switch effect.overlap {
            case .concurrent: break
            case .latest: cancel(name)
            case .keepRunning: return .superfluous
            case .queue: return enqueue(entry, name)
            }
        }
        guard running.count < limits.runningEffects else {
            return .exhausted(limit: limits.runningEffects)
        }
        roots[cause.root, default: 0] += 1
        begin(entry)
        return .begun
    }

    private mutating func enqueue(_ entry: Entry, _ name: String) -> Admission {
        guard queued[name]?.count ?? 0 < limits.queuedEffects else {
            return .exhausted(limit: limits.queuedEffects)
        }
        queued[name, default: []].append(entry)
        roots[entry.cause.root, default: 0] += 1
        return .queued
    }

    /// Tells whether one that takes the place of others of its name could begin, beside others that
    /// are about to.
    func hasRoom(for name: String, beside others: Int) -> Bool {
        named[name] != nil || running.count + others < limits.runningEffects
    }

    private mutating func begin(_ entry: Entry) {
        running[entry.id] = entry
        if let name = entry.effect.name { named[name, default: []].append(entry.id) }
        steps.append(.begin(entry))
    }

    /// Forgets an effect that is over, and begins the next one of its name.
    mutating func end(_ id: UInt64, at now: Duration) {
        guard let entry = running[id] else { return }
        forget(entry)
        if let name = entry.effect.name, named[name] == nil { beginNext(name, at: now) }
    }

    private mutating func forget(_ entry: Entry) {
        running[entry.id] = nil
        release(entry.cause.root)
        guard let name = entry.effect.name else { return }
        named[name]?.removeAll { $0 == entry.id }
        if named[name]?.isEmpty ?? true { named[name] = nil }
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
    private mutating func cancel(_ name: String) {
        for entry in queued.removeValue(forKey: name) ?? [] { release(entry.cause.root) }
        for id in named[name] ?? [] { cancel(id) }
    }

    private mutating func cancel(_ id: UInt64) {
        guard let entry = running[id] else { return }
        forget(entry)
        steps.append(.cancel(id))
    }

    /// Cancels everything.
    mutating func cancelAll() {
        for name in queued.keys { cancel(name) }
        for id in running.keys { cancel(id) }
    }
}
