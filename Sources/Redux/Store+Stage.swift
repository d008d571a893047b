extension Store {
    /// Decides about an action against `head`; nothing is visible outside before `commit`.
    public func stage(_ action: Action, origin: Origin = .client) -> Outcome {
        stage(
            FollowUp(
                action: action, origin: origin, cause: nil, root: nil, depth: 0, chain: []))
    }

    /// Decides about several actions: all of them, or none.
    public func stage(batch actions: [Action], origin: Origin = .client) -> BatchOutcome {
        let mark = pending.count
        var outcomes: [Outcome] = []
        for (index, action) in actions.enumerated() {
            let outcome = stage(action, origin: origin)
            if case .rejected(let rejection) = outcome {
                pending.removeSubrange(mark...)
                return .rejected(index: index, rejection)
            }
            outcomes.append(outcome)
        }
        return .accepted(outcomes)
    }

    /// Forgets what is decided and not committed: it could not be kept.
    public func revert() {
        for entry in pending { settle(entry.root) }
        pending = []
    }

    @discardableResult
    func stage(_ next: FollowUp<Action>) -> Outcome {
        let outcome = interceptorCount == 0 ? reduce(next, next.action) : intercept(next)
        if let root = next.root {
            // From here on the entries that it has become are counted, each for itself.
            settle(root)
            if case .rejected(let rejection) = outcome {
                onDiagnostic(.effectRejected(name: "", rejection: rejection))
            }
        }
        return outcome
    }

    /// Runs the interceptors over an action and what they make of it.
    private func intercept(_ next: FollowUp<Action>) -> Outcome {
        let context = MiddlewareContext(origin: next.origin, environment: environment)
        let mark = pending.count
        var actions = [next.action]
        var index = next.firstInterceptor
        while index < middleware.count {
            guard middleware[index].isEnabled, let intercept = middleware[index].intercept else {
                index += 1
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
                case .delay(let duration, let key):
                    delay(action, next, by: duration, key: key, resumeAt: index + 1)
                    if actions.count == 1 { return .delayed(duration) }
                }
            }
            guard !passed.isEmpty else { return .dropped }
            actions = passed
            index += 1
        }
        var result: (first: UInt64, changed: Bool)?
        for action in actions {
            switch reduce(next, action) {
            case .accepted(let first, _, let changed):
                result = (result?.first ?? first, changed || result?.changed ?? false)
            case let other:
                for entry in pending[mark...] { settle(entry.root) }
                pending.removeSubrange(mark...)
                return other
            }
        }
        guard let result else { return .dropped }
        return .accepted(first: result.first, last: headVersion, changed: result.changed)
    }

    /// Puts an action off: an effect that waits and sends it on behind the interceptor.
    private func delay(
        _ action: Action, _ next: FollowUp<Action>, by duration: Duration, key: String?,
        resumeAt index: Int
    ) {
        let name = "delay/\(key ?? "\(headVersion)-\(resumptions.count)")"
        resumptions[name] = index
        let effect = Effect<State, Action>.run(name) { context in
            try await context.sleep(for: duration)
            context.send(action)
        }
        let root = next.root ?? headVersion
        effectRunner().start(
            effect,
            .init(
                cause: next.cause ?? headVersion, root: root, depth: next.depth,
                chain: next.chain, startedAt: .now))
    }

    private func reduce(_ next: FollowUp<Action>, _ action: Action) -> Outcome {
        let before = head
        var after = before
        do throws(Rejection) {
            try reducer.reduce(&after, action)
        } catch {
            return .rejected(error)
        }
        let version = headVersion + 1
        let changed = after != before
        pending.append(
            PendingEntry(
                version: version, action: action, origin: next.origin, cause: next.cause,
                changed: changed, state: changed ? after : before, root: next.root ?? version,
                depth: next.depth, chain: next.chain))
        if next.root != nil { unsettled[next.root ?? version, default: 0] += 1 }
        return .accepted(first: version, last: version, changed: changed)
    }
}
