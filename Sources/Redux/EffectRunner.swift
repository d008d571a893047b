/// The effects of one store: which run, which wait, and what their policies say. Owned by the
/// store's isolation; the operations themselves run in Swift's pool, each in a task that is
/// cancelled when its entry is dropped here.
final class EffectRunner<State: Sendable, Action: Sendable> {
    private struct Entry {
        var effect: Effect<State, Action>
        var origin: EffectOrigin
        var id: UInt64
        var task: Task<Void, Never>?
    }

    /// Where an effect stands in the chain of causes.
    struct EffectOrigin {
        var cause: UInt64
        var root: UInt64
        var depth: Int
        var chain: [UInt64]
        var startedAt: ContinuousClock.Instant
    }

    private let environment: Environment
    private let limits: StoreLimits
    private let deliver: (@Sendable (EffectDelivery<Action>) -> Void)?
    private var running: [String: Entry] = [:]
    private var names: [UInt64: String] = [:]
    private var queued: [String: [Entry]] = [:]
    private var lastStarts: [String: ContinuousClock.Instant] = [:]
    private var lastID: UInt64 = 0
    private var diagnose: (StoreDiagnostic) -> Void

    init(
        environment: Environment, limits: StoreLimits,
        deliver: (@Sendable (EffectDelivery<Action>) -> Void)?,
        diagnose: @escaping (StoreDiagnostic) -> Void
    ) {
        self.environment = environment
        self.limits = limits
        self.deliver = deliver
        self.diagnose = diagnose
    }

    deinit {
        for entry in running.values { entry.task?.cancel() }
    }

    var isIdle: Bool { running.isEmpty }

    var list: [RunningEffect] {
        let waiting = queued.values.joined()
        return (Array(running.values) + waiting).map {
            RunningEffect(
                name: $0.effect.name, cause: $0.origin.cause, root: $0.origin.root,
                depth: $0.origin.depth)
        }.sorted { ($0.cause, $0.name) < ($1.cause, $1.name) }
    }

    /// Whether an effect that `root` started, or that such a one caused, is there.
    func holds(root: UInt64) -> Bool {
        running.values.contains { $0.origin.root == root }
            || queued.values.contains { $0.contains { $0.origin.root == root } }
    }

    /// Starts, queues or drops, as the policy says.
    func start(_ effect: Effect<State, Action>, _ origin: EffectOrigin) {
        guard case .run(let operation) = effect.kind else { return cancel(effect.name) }
        let now = ContinuousClock.now
        if let throttle = effect.policy.throttle {
            if let last = lastStarts[effect.name], now - last < throttle { return }
            lastStarts[effect.name] = now
        }
        if running[effect.name] != nil {
            switch effect.policy.overlap {
            case .latest: cancel(effect.name)
            case .keepRunning: return
            case .queue:
                guard queued[effect.name, default: []].count < limits.queuedEffects else {
                    let limit = limits.queuedEffects
                    return diagnose(.effectsExhausted(name: effect.name, limit: limit))
                }
                lastID += 1
                queued[effect.name, default: []].append(
                    Entry(effect: effect, origin: origin, id: lastID))
                return
            }
        }
        guard running.count < limits.runningEffects else {
            let limit = limits.runningEffects
            return diagnose(.effectsExhausted(name: effect.name, limit: limit))
        }
        lastID += 1
        run(Entry(effect: effect, origin: origin, id: lastID), operation)
    }

    private func run(
        _ entry: Entry,
        _ operation: @escaping @Sendable (EffectContext<Action>) async throws -> Void
    ) {
        guard let deliver else {
            preconditionFailure("A store with effects needs a way to deliver their actions.")
        }
        let id = entry.id
        let context = EffectContext<Action>(environment: environment) { action in
            deliver(EffectDelivery(effect: id, report: .action(action)))
        }
        var entry = entry
        entry.origin.startedAt = ContinuousClock.now
        let policy = entry.effect.policy
        names[id] = entry.effect.name
        entry.task = Task {
            let report = await EffectOperation.run(operation, context, policy)
            deliver(EffectDelivery(effect: id, report: report))
        }
        running[entry.effect.name] = entry
    }

    /// The chain that a report of this effect belongs to; nil once it was cancelled or has ended.
    func origin(of id: UInt64) -> (name: String, origin: EffectOrigin)? {
        guard let name = names[id], let entry = running[name], entry.id == id else { return nil }
        return (name, entry.origin)
    }

    /// Forgets an effect that is over, and starts the next one of its name.
    func ended(_ id: UInt64) {
        guard let name = names.removeValue(forKey: id), running[name]?.id == id else { return }
        running[name] = nil
        startNext(name)
    }

    private func startNext(_ name: String) {
        guard var waiting = queued[name], !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        queued[name] = waiting.isEmpty ? nil : waiting
        if case .run(let operation) = next.effect.kind { run(next, operation) }
    }

    /// Cancels what runs and waits under a name.
    func cancel(_ name: String) {
        queued[name] = nil
        guard let entry = running.removeValue(forKey: name) else { return }
        names[entry.id] = nil
        entry.task?.cancel()
    }

    /// Cancels what the state has left.
    func cancelOutOfScope(_ state: State) {
        for (name, waiting) in queued {
            let kept = waiting.filter { $0.effect.scope?(state) ?? true }
            if kept.count < waiting.count { queued[name] = kept.isEmpty ? nil : kept }
        }
        for (name, entry) in running {
            guard let scope = entry.effect.scope, !scope(state) else { continue }
            running[name] = nil
            names[entry.id] = nil
            entry.task?.cancel()
            startNext(name)
        }
    }

    /// Cancels everything.
    func cancelAll() {
        queued = [:]
        for entry in running.values { entry.task?.cancel() }
        running = [:]
        names = [:]
    }
}
