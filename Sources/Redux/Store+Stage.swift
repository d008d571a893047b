extension Store {
    /// Decides about an action against `head`; nothing is visible outside before `commit`.
    public func stage(_ action: Action, origin: Origin = .client) -> Outcome {
        isPlain = false
        isDisturbed = true
        guard interceptorCount > 0 else { return reduce(action, origin, nil) }
        return intercept(FollowUp(action: action, origin: origin))
    }

    /// Decides about several actions: all of them, or none. Observers are told of them at once.
    public func stage(batch actions: [Action], origin: Origin = .client) -> BatchOutcome {
        let mark = pending.count
        let throttlesBefore = throttles
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(actions.count)
        for (index, action) in actions.enumerated() {
            let outcome = stage(action, origin: origin)
            if case .rejected(let rejection) = outcome {
                dropPending(from: mark)
                throttles = throttlesBefore
                return .rejected(index: index, rejection)
            }
            outcomes.append(outcome)
        }
        for index in pending.indices.dropFirst(mark).dropLast() {
            pending[index].isToldLater = true
        }
        return .accepted(outcomes)
    }

    /// Forgets what is decided and not committed: it could not be kept.
    public func revert() {
        dropPending(from: 0)
        throttles.removeAll()
        tellSettled()
        updatePlainness()
    }

    private func dropPending(from mark: Int) {
        for entry in pending.dropFirst(mark) where entry.provenance.isCaused {
            release(entry.provenance.root)
        }
        pending.removeSubrange(mark...)
    }

    /// Decides about something that an earlier entry caused.
    @discardableResult
    func stage(_ next: FollowUp<Action>) -> Outcome {
        let outcome =
            interceptorCount == 0 ? reduce(next.action, next.origin, next) : intercept(next)
        if let root = next.root { release(root) }
        if case .rejected(let rejection) = outcome, let effect = next.effect {
            onDiagnostic(.effectRejected(name: effect, rejection: rejection))
        }
        return outcome
    }

    /// Runs the interceptors over an action; what it is rejected for counts for no throttle.
    private func intercept(_ next: FollowUp<Action>) -> Outcome {
        let throttlesBefore = throttles
        let outcome = passInterceptors(next)
        if case .rejected = outcome { throttles = throttlesBefore }
        return outcome
    }

    /// Runs the interceptors over an action and what they make of it.
    private func passInterceptors(_ next: FollowUp<Action>) -> Outcome {
        let context = MiddlewareContext(origin: next.origin, environment: environment)
        let mark = pending.count
        var actions = [next.action]
        for index in middleware.indices.dropFirst(next.firstInterceptor) {
            guard middleware[index].isEnabled, let intercept = middleware[index].intercept else {
                continue
            }
            var passed: [Action] = []
            for action in actions {
                switch intercept(action, head, context) {
                case .pass: passed.append(action)
                case .replace(let other): passed.append(other)
                case .expand(let others): passed += others
                case .drop: break
                case .reject(let rejection): return .rejected(rejection)
                case .passOnce(let period, let key):
                    let limit = limits.rememberedThrottles
                    switch throttles.admit(key, per: period, limit: limit, by: environment.clock) {
                    case .passes: passed.append(action)
                    case .tooEarly: break
                    case .exhausted: return .rejected(.tooManyActions)
                    }
                case .delay(let duration, let key):
                    let rest = Resumption(firstInterceptor: index + 1, origin: next.origin)
                    guard delay(action, next, by: duration, key: key, rest) else {
                        return .rejected(.tooManyEffects)
                    }
                    if actions.count == 1 { return .delayed(duration) }
                }
            }
            guard !passed.isEmpty else { return .dropped }
            guard passed.count <= limits.queuedActions else { return .rejected(.tooManyActions) }
            actions = passed
        }
        return reduceAll(actions, next, mark)
    }

    private func reduceAll(
        _ actions: [Action], _ next: FollowUp<Action>, _ mark: Int
    ) -> Outcome {
        var first: UInt64?
        var changed = false
        for action in actions {
            let outcome = reduce(action, next.origin, next)
            guard case .accepted(let version, _, let differs) = outcome else {
                dropPending(from: mark)
                return outcome
            }
            first = first ?? version
            changed = changed || differs
        }
        return .accepted(first: first ?? headVersion, last: headVersion, changed: changed)
    }

    /// Puts an action off: an effect that waits and sends it on behind the interceptor.
    private func delay(
        _ action: Action, _ next: FollowUp<Action>, by duration: Duration, key: String?,
        _ rest: Resumption
    ) -> Bool {
        lastDelay += 1
        let name = "delay/\(key ?? "\(lastDelay)")"
        let effect = Effect<State, Action>.run(name) { context in
            try await context.sleep(for: duration)
            context.send(action)
        }
        var provenance = Provenance(
            version: headVersion, origin: next.origin, root: next.root ?? headVersion)
        provenance.depth = next.depth
        provenance.chain = next.chain
        let isStarted = effectRunner().start(effect, provenance)
        if isStarted { resumptions[name] = rest }
        return isStarted
    }

    /// Reduces one action on top of `head`, as an entry.
    func reduce(_ action: Action, _ origin: Origin, _ next: FollowUp<Action>?) -> Outcome {
        var after = head
        do throws(Rejection) {
            try runReducer(&after, action)
        } catch {
            return .rejected(error)
        }
        let provenance = provenance(origin, next)
        let changed = after != head
        pending.append(
            PendingEntry(
                provenance: provenance, action: action, changed: changed, state: after))
        if provenance.isCaused { unsettled[provenance.root, default: 0] += 1 }
        let version = provenance.version
        return .accepted(first: version, last: version, changed: changed)
    }

    /// Where the next entry stands.
    func provenance(_ origin: Origin, _ next: FollowUp<Action>?) -> Provenance {
        let version = headVersion + 1
        guard let next else { return Provenance(version: version, origin: origin, root: version) }
        return Provenance(
            version: version, origin: next.origin, cause: next.cause, root: next.root ?? version,
            depth: next.depth, chain: next.chain)
    }
}

/// Where an action that was put off goes on.
struct Resumption {
    var firstInterceptor: Int
    var origin: Origin
}

extension Rejection {
    static let tooManyActions = Rejection(
        code: "too-many-queued", message: "Too many actions wait.", kind: .conflict)
    static let tooManyEffects = Rejection(
        code: "too-many-effects", message: "Too many effects are under way.", kind: .conflict)
}
