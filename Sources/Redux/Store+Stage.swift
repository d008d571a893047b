extension Store {
    /// Decides about an action or a batch against `head`, as entries, and hands them over.
    ///
    /// - Parameter passage: what the interceptors made of the action, where they were asked.
    func stage(
        _ next: FollowUp<Action>, _ passage: Passage<Action>?,
        _ keep: (StagedEntries<State, Action>) -> Keeping
    ) -> Outcome {
        let mark = pending.count
        var outcome: Outcome
        if let passage {
            outcome = reduce(passage, next)
        } else if next.batch.isEmpty {
            outcome = decide(next.action, next.origin, next, mark)
        } else {
            outcome = decide(batch: next)
        }
        if !outcome.isRefused, !handOver(from: mark, [], keep) { outcome = .refused }
        conclude(next, outcome)
        return outcome
    }

    /// Hands the entries behind a mark over to the journal; false, and they are forgotten, where it
    /// does not keep them.
    func handOver(
        from mark: Int, _ outcomes: [Outcome],
        _ keep: (StagedEntries<State, Action>) -> Keeping
    ) -> Bool {
        guard pending.count > mark else { return true }
        switch keep(StagedEntries(pending[mark...], outcomes, state: head)) {
        case .kept: keptVersion = headVersion
        case .later: break
        case .refused:
            dropPending(from: mark)
            return false
        }
        return true
    }

    private func decide(
        _ action: Action, _ origin: Origin, _ next: FollowUp<Action>?, _ mark: Int
    ) -> Outcome {
        guard interceptorCount > 0 else { return reduce(action, origin, next, mark) }
        var passing = next ?? FollowUp(action: action, origin: origin)
        passing.action = action
        return reduce(passInterceptors(passing), passing, mark)
    }

    /// What is dispatched from here on follows.
    func beginDeciding(_ next: FollowUp<Action>) {
        isBusy = true
        isPlain = false
        if next.cause != nil { deciding = next }
    }

    func endDeciding() {
        if deciding != nil { deciding = nil }
        isBusy = false
    }

    /// Decides about several actions: all of them become entries, or none.
    func decide(
        batch actions: [Action], _ origin: Origin, _ next: FollowUp<Action>?
    ) -> BatchOutcome {
        let mark = pending.count
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(actions.count)
        for (index, action) in actions.enumerated() {
            let outcome = decide(action, origin, next, mark)
            if case .rejected(let rejection) = outcome {
                dropPending(from: mark)
                return .rejected(index: index, rejection)
            }
            outcomes.append(outcome)
        }
        return .accepted(outcomes)
    }

    /// Forgets what is decided and not committed, as far as it stands behind a version: it could
    /// not be kept.
    public func revert(to version: UInt64 = 0) {
        let kept = pending.suffix(pendingCount).prefix { $0.version <= version }.count
        let first = pending.count - pendingCount + kept
        let causes = Set(pending.dropFirst(first).compactMap(\.cause))
        dropPending(from: first)
        for cause in causes.sorted() { diagnose(.followUpLost(cause: cause)) }
        throttles.removeAll()
        tellSettled()
        updatePlainness()
    }

    private func dropPending(from first: Int) {
        let mark = min(first, pending.count)
        for entry in pending.dropFirst(mark) where entry.provenance.isCaused {
            release(entry.provenance)
        }
        if hasDecidedDelays {
            for entry in pending.dropFirst(mark) { decidedDelays[entry.version] = nil }
        }
        pendingCount -= pending.count - mark
        pending.removeSubrange(mark...)
    }

    /// Decides about a batch that was dispatched from inside, as one.
    private func decide(batch next: FollowUp<Action>) -> Outcome {
        let before = headVersion
        switch decide(batch: next.batch, next.origin, next) {
        case .refused: return .refused
        case .rejected(_, let rejection): return .rejected(rejection)
        case .accepted(let outcomes):
            guard headVersion > before else { return outcomes.last ?? .dropped }
            let changed = pending.contains { $0.version > before && $0.changed }
            return .accepted(first: before + 1, last: headVersion, changed: changed)
        }
    }

    /// A follow-up is no longer under way.
    func conclude(_ next: FollowUp<Action>, _ outcome: Outcome) {
        if let last = next.deepened { release(last) }
        switch outcome {
        case .rejected(let rejection):
            if let effect = next.effect {
                diagnose(.effectRejected(name: effect, rejection: rejection))
            } else if let cause = next.cause {
                diagnose(.followUpRejected(cause: cause, rejection: rejection))
            }
        case .refused:
            if let cause = next.cause { diagnose(.followUpLost(cause: cause)) }
        case .accepted, .dropped, .delayed, .queued: break
        }
    }

    /// Runs the interceptors over an action and what they make of it.
    func passInterceptors(_ next: FollowUp<Action>) -> Passage<Action> {
        var action = next.action
        for index in next.firstInterceptor..<max(next.firstInterceptor, middleware.count) {
            switch judge(action, next, by: index) {
            case .pass: break
            case .replace(let other): action = other
            case .expand(let others): return passInterceptors(others, next, from: index + 1)
            case .drop: return .ended(.dropped)
            case .reject(let rejection): return .ended(.rejected(rejection))
            case .delay(let duration, _): return .ended(.delayed(duration))
            case .passOnce: break
            }
        }
        return .one(action)
    }

    /// The same for several actions; one that is put off does not hold up the others.
    private func passInterceptors(
        _ actions: [Action], _ next: FollowUp<Action>, from first: Int
    ) -> Passage<Action> {
        var actions = actions
        for index in middleware.indices.dropFirst(first) {
            guard actions.count <= limits.queuedActions else { break }
            var passed: [Action] = []
            for action in actions {
                switch judge(action, next, by: index) {
                case .pass, .passOnce: passed.append(action)
                case .replace(let other): passed.append(other)
                case .expand(let others): passed += others
                case .drop: break
                case .delay(let duration, _):
                    if actions.count == 1 { return .ended(.delayed(duration)) }
                case .reject(let rejection): return .ended(.rejected(rejection))
                }
            }
            actions = passed
        }
        guard actions.count <= limits.queuedActions else {
            return .ended(.rejected(.tooManyActions))
        }
        return actions.isEmpty ? .ended(.dropped) : .several(actions)
    }

    /// What one interceptor decides, after what the store itself has to do for it: an action that
    /// is throttled is dropped, one that waits is put off, and neither may exceed its bound.
    private func judge(
        _ action: Action, _ next: FollowUp<Action>, by index: Int
    ) -> Verdict<Action> {
        guard middleware[index].isEnabled, let intercept = middleware[index].intercept else {
            return .pass
        }
        let context = MiddlewareContext(origin: next.origin, environment: environment)
        let verdict = intercept(action, head, context)
        switch verdict {
        case .passOnce(let period, let key):
            hasTimed = true
            let limit = limits.rememberedThrottles
            switch throttles.admit(key, per: period, limit: limit, by: environment.clock) {
            case .passes: return verdict
            case .tooEarly: return .drop
            case .exhausted: return .reject(.tooManyActions)
            }
        case .delay(let duration, let key):
            hasTimed = true
            let isPutOff = putOff(action, next, by: duration, key: key, behind: index)
            return isPutOff ? verdict : .reject(.tooManyEffects)
        case .pass, .replace, .expand, .drop, .reject: return verdict
        }
    }

    /// Reduces what the interceptors let pass.
    private func reduce(
        _ passage: Passage<Action>, _ next: FollowUp<Action>, _ mark: Int? = nil
    ) -> Outcome {
        let mark = mark ?? pending.count
        return switch passage {
        case .one(let action): reduce(action, next.origin, next, mark)
        case .several(let actions): reduceAll(actions, next, mark)
        case .ended(let outcome): outcome
        }
    }

    private func reduceAll(
        _ actions: [Action], _ next: FollowUp<Action>, _ mark: Int
    ) -> Outcome {
        var first: UInt64?
        var changed = false
        for action in actions {
            let outcome = reduce(action, next.origin, next, mark)
            guard case .accepted(let version, _, let differs) = outcome else {
                dropPending(from: mark)
                return outcome
            }
            first = first ?? version
            changed = changed || differs
        }
        return .accepted(first: first ?? headVersion, last: headVersion, changed: changed)
    }

    /// Reduces one action on top of `head`, as an entry; those between it and the mark were decided
    /// together with it.
    private func reduce(
        _ action: Action, _ origin: Origin, _ next: FollowUp<Action>?, _ mark: Int
    ) -> Outcome {
        let before = head
        var after = before
        do throws(Rejection) {
            try runReducer(&after, action)
        } catch {
            return .rejected(error)
        }
        let provenance = provenance(origin, next)
        let changed = after != before
        if pending.count > mark { pending[pending.count - 1].state = nil }
        pending.append(
            PendingEntry(
                provenance: provenance, action: action, changed: changed, state: after))
        pendingCount += 1
        if provenance.isCaused {
            unsettled[provenance.root, default: Descendants()].waiting += 1
        }
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

/// What the interceptors made of an action.
enum Passage<Action: Sendable> {
    case one(Action)
    case several([Action])
    case ended(Outcome)
}

extension Rejection {
    static let tooManyActions = Rejection(
        code: "too-many-queued", message: "Too many actions wait.", kind: .conflict)
    static let chainCut = Rejection(
        code: "chain-cut", message: "Too much follows from one action.", kind: .conflict)
    static let tooManyEffects = Rejection(
        code: "too-many-effects", message: "Too many effects are under way.", kind: .conflict)
}
