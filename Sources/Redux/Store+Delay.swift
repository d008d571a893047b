/// An action that an interceptor puts off.
struct DelayedAction<Action: Sendable>: Sendable {
    var action: Action
    /// Of the effect that waits; a later one takes its place.
    var name: String
    var duration: Duration
    var provenance: Provenance
    var resumption: Resumption
}

/// Where an action that was put off goes on.
struct Resumption: Sendable {
    /// Behind this interceptor, if nothing was switched around meanwhile.
    var index: Int
    /// Its name.
    var name: String
    var origin: Origin
}

extension Store {
    /// Puts an action off until the decision that it belongs to is accepted; false where no effect
    /// may wait any more.
    func putOff(
        _ action: Action, _ next: FollowUp<Action>, by duration: Duration, key: String?,
        behind index: Int
    ) -> Bool {
        lastDelay += 1
        let name = "delay/\(key ?? "\(lastDelay)")"
        let earlier = delays.firstIndex { $0.name == name }
        guard earlier != nil || effectRunner().hasRoom(for: name, beside: delays.count) else {
            diagnose(.effectsExhausted(name: name, limit: limits.runningEffects))
            return false
        }
        if let earlier { delays.remove(at: earlier) }
        var provenance = Provenance(
            version: headVersion, origin: next.origin, root: next.root ?? headVersion)
        provenance.depth = next.depth
        provenance.chain = next.chain
        delays.append(
            DelayedAction(
                action: action, name: name, duration: duration, provenance: provenance,
                resumption: Resumption(
                    index: index, name: middleware[index].name, origin: next.origin)))
        return true
    }

    /// Ends a decision. Where it is refused, nothing was put off and nothing counts as throttled;
    /// otherwise delays begin: with the commit of its entries, or now where there are none.
    func concludeInterception(_ isRefused: Bool, since mark: Int) {
        guard hasTimed else { return }
        hasTimed = false
        throttles.conclude(isRefused: isRefused)
        guard !delays.isEmpty else { return }
        let begun = isRefused ? [] : delays
        delays = []
        if pending.count > mark {
            decidedDelays[headVersion] = begun
            hasDecidedDelays = true
        } else {
            begin(begun)
        }
    }

    /// Which interceptor an action that was put off meets first: the one behind the one that did it,
    /// or what has come to stand in its place.
    func firstInterceptor(after resumption: Resumption) -> Int {
        let (index, name) = (resumption.index, resumption.name)
        if index < middleware.count, middleware[index].name == name { return index + 1 }
        return middleware.firstIndex { $0.name == name }.map { $0 + 1 } ?? index
    }

    func beginDelays(of version: UInt64) {
        guard let begun = decidedDelays.removeValue(forKey: version) else { return }
        hasDecidedDelays = !decidedDelays.isEmpty
        begin(begun)
    }

    /// Begins the effects that wait, and send the actions on behind their interceptors.
    func begin(_ delays: [DelayedAction<Action>]) {
        for delay in delays {
            let effect = Effect<State, Action>.run(delay.name) { context in
                try await context.sleep(for: delay.duration)
                context.send(delay.action)
            }
            if effectRunner().start(effect, delay.provenance) {
                resumptions[delay.name] = delay.resumption
            }
        }
    }
}
