/// Remembers the verdicts of a ledger's interceptors: kinds of actions that are throttled, and
/// actions that are delayed. A decision that is refused leaves no trace of either.
struct Interception<Action: Sendable> {
    /// A verdict as it counts.
    struct Ruling {
        var verdict: Verdict<Action>
        var diagnostic: StoreDiagnostic?
    }

    private let limits: StoreLimits
    private let canWait: Bool
    private var throttles: Throttles
    /// The actions that the present decision delays.
    private var delayed: [DelayedAction<Action>] = []
    /// Delayed actions that wait for the commit of the last entry of their decision, by its version.
    private var decided: [UInt64: [DelayedAction<Action>]] = [:]
    private var lastDelay: UInt64 = 0

    /// - Parameter canWait: an action can go on later: its store has a way to deliver it then.
    init(limits: StoreLimits, canWait: Bool = true) {
        self.limits = limits
        self.canWait = canWait
        throttles = Throttles(canWait: canWait)
    }

    /// Rules on a verdict: an action that waits is noted, for itself or for the end of its kind's
    /// period, and neither may exceed its bound.
    ///
    /// - Parameters:
    ///   - cause: the place that the action would have as an entry.
    ///   - place: the interceptor that has judged.
    ///   - hasRoom: tells whether an effect of a name may begin beside so many others.
    mutating func rule(
        on verdict: Verdict<Action>, of action: Action, cause: Cause,
        place: InterceptorPlace, clock: any Clock<Duration>,
        hasRoom: (String, Int) -> Bool
    ) -> Ruling {
        switch verdict {
        case .pass, .replace, .expand, .drop, .reject: return Ruling(verdict: verdict)
        case .passOnce(let period, let key):
            let limit = limits.rememberedThrottles
            switch throttles.admit(key, per: period, limit: limit, by: clock) {
            case .passes: return Ruling(verdict: verdict)
            case .passedOver: return Ruling(verdict: .drop)
            case .exhausted: return Ruling(verdict: .reject(.tooManyActions))
            case .waits(let duration, let number):
                // One that waits for an earlier period's end, and comes late, is left to go on.
                return delay(
                    DelayedAction(
                        action: action, duration: duration, name: "throttle/\(number)/\(key)",
                        cause: cause, place: place), hasRoom)
            }
        case .delay(let duration, let key):
            guard canWait else {
                return Ruling(
                    verdict: .drop,
                    diagnostic: .effectFailed(
                        name: key.map { "delay/\($0)" } ?? "delay",
                        error: "A store without `deliver` has no way to go on later."))
            }
            lastDelay += 1
            return delay(
                DelayedAction(
                    action: action, duration: duration, name: "delay/\(key ?? "\(lastDelay)")",
                    cause: cause, place: place), hasRoom)
        }
    }

    /// Notes an action that waits, in place of an earlier one of its name.
    private mutating func delay(
        _ action: DelayedAction<Action>, _ hasRoom: (String, Int) -> Bool
    ) -> Ruling {
        if let earlier = delayed.firstIndex(where: { $0.name == action.name }) {
            delayed.remove(at: earlier)
        } else if !hasRoom(action.name, delayed.count) {
            return Ruling(
                verdict: .reject(.tooManyEffects),
                diagnostic: .effectsExhausted(name: action.name, limit: limits.runningEffects))
        }
        delayed.append(action)
        return Ruling(verdict: .delay(action.duration, key: action.name))
    }

    /// Ends a decision, and answers with the delays that begin now. Those of a decision with entries
    /// begin with the commit of the last one, those of a refused one never.
    mutating func conclude(isRefused: Bool, waitsFor version: UInt64?) -> [DelayedAction<Action>] {
        throttles.conclude(isRefused: isRefused)
        guard !delayed.isEmpty else { return [] }
        defer { delayed = [] }
        guard !isRefused else { return [] }
        guard let version else { return delayed }
        decided[version] = delayed
        return []
    }

    /// Nothing is remembered.
    var isEmpty: Bool { delayed.isEmpty && decided.isEmpty && throttles.isEmpty }

    /// Delayed actions wait for a commit.
    var hasDelayed: Bool { !decided.isEmpty }

    /// Takes the delays that begin with a commit.
    mutating func takeDelayed(by version: UInt64) -> [DelayedAction<Action>] {
        decided.removeValue(forKey: version) ?? []
    }

    /// Forgets what was decided behind a version: it could not be kept.
    mutating func revert(to version: UInt64) {
        throttles.removeAll()
        decided = decided.filter { $0.key <= version }
    }
}

/// The place among the interceptors where a delayed action goes on.
struct InterceptorPlace: Sendable, Hashable {
    /// Behind the interceptor at this index, if nothing was switched around meanwhile.
    var index: Int
    /// The name of the interceptor.
    var name: String
    var origin: Origin
    /// The one who sent the action; nil: the server itself.
    var by: Principal?
}

/// An action that an interceptor delays, and the effect that waits for it.
struct DelayedAction<Action: Sendable>: Sendable {
    var action: Action
    var duration: Duration
    /// The name of the effect; a later one of the name takes its place.
    var name: String
    var cause: Cause
    var place: InterceptorPlace

    /// Waits, and sends the action on.
    var effect: Effect<Action> {
        .run(name, overlap: .latest) { context in
            try await context.sleep(for: duration)
            try await context.send(action)
        }
    }
}

/// The end of an action's way through the interceptors.
enum InterceptionResult {
    /// The action reaches the reducer, or another one in its place.
    case one
    /// Others do, all or none: one at least.
    case several
    case dropped
    case delayed(Duration)
    case rejected(Rejection)

    /// Leads an action through interceptors.
    ///
    /// - Parameters:
    ///   - action: is replaced by the one that reaches the reducer.
    ///   - several: is set to those that do, where they are several.
    ///   - indices: the interceptors that it meets, in their order.
    ///   - limit: the number of actions that it may become.
    ///   - judge: asks one interceptor.
    @inline(__always)
    static func lead<Action>(
        _ action: inout Action, orElse several: inout [Action]?, through indices: Range<Int>,
        limit: Int, judge: (Action, Int) -> Verdict<Action>
    ) -> InterceptionResult {
        var index = indices.lowerBound
        while index < indices.upperBound {
            let verdict = judge(action, index)
            index += 1
            switch verdict {
            case .pass, .passOnce: break
            case .replace(let other): action = other
            case .expand(let others):
                var actions = others
                defer { several = actions }
                return lead(&actions, through: index..<indices.upperBound, limit, judge)
            case .drop: return .dropped
            case .reject(let rejection): return .rejected(rejection)
            case .delay(let duration, _): return .delayed(duration)
            }
        }
        return .one
    }

    /// Leads several actions; one that is delayed does not hold up the others, and tells of its delay
    /// where none of them passes.
    private static func lead<Action>(
        _ actions: inout [Action], through indices: Range<Int>, _ limit: Int,
        _ judge: (Action, Int) -> Verdict<Action>
    ) -> InterceptionResult {
        var delay: Duration?
        for index in indices {
            guard actions.count <= limit else { break }
            var passed: [Action] = []
            for action in actions {
                switch judge(action, index) {
                case .pass, .passOnce: passed.append(action)
                case .replace(let other): passed.append(other)
                case .expand(let others): passed += others
                case .drop: break
                case .delay(let duration, _): delay = max(duration, delay ?? duration)
                case .reject(let rejection): return .rejected(rejection)
                }
            }
            actions = passed
        }
        guard actions.count <= limit else { return .rejected(.tooManyActions) }
        guard actions.isEmpty else { return .several }
        return delay.map { .delayed($0) } ?? .dropped
    }
}
