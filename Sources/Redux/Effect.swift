/// Work outside of the reducer, as a value: what to do, under which name, and how it gets along
/// with another one of that name. Its results are actions.
///
///     .run("search", policy: .latest.debounced(.milliseconds(500))) { context in
///         let episodes = try await upstream.episodes(query)
///         context.send(.fact(.home(.loaded(request: request, episodes: episodes))))
///     }
public struct Effect<State, Action: Sendable>: Sendable {
    /// The work of an effect.
    public enum Kind: Sendable {
        /// Runs in Swift's pool until it returns, throws or is cancelled.
        case run(@Sendable (EffectContext<Action>) async throws -> Void)
        /// Cancels the running and waiting effects of the name.
        case cancel
        /// Dispatches an action after the present one.
        case dispatch(Action)
    }

    /// Tells effects apart; at most one of a name runs at a time.
    public var name: String
    /// The rule for another effect of its name, and for its times.
    public var policy: EffectPolicy
    /// The work.
    public var kind: Kind
    /// Cancelled as soon as this is false of a committed state.
    public var scope: (@Sendable (State) -> Bool)?
    /// Gets the error that is left after the last try; without it, operators do.
    public var failure: (@Sendable (any Error, EffectContext<Action>) -> Void)?

    /// Runs an operation. What it throws after the last try, or `EffectTimedOut`, goes to `catch`,
    /// which says what the state should know of it; without one, to `StoreDiagnostic`. What it
    /// throws once the effect was cancelled goes to nobody; a `CancellationError` before that is an
    /// error like any other.
    public static func run(
        _ name: String, policy: EffectPolicy = .latest,
        while scope: (@Sendable (State) -> Bool)? = nil,
        _ operation: @escaping @Sendable (EffectContext<Action>) async throws -> Void,
        catch failure: (@Sendable (any Error, EffectContext<Action>) -> Void)? = nil
    ) -> Effect {
        Effect(name: name, policy: policy, kind: .run(operation), scope: scope, failure: failure)
    }

    /// Cancels the effects of a name.
    public static func cancel(_ name: String) -> Effect {
        Effect(name: name, policy: .latest, kind: .cancel, scope: nil)
    }

    /// Dispatches an action once the present one is through.
    public static func dispatch(_ action: Action) -> Effect {
        Effect(name: "", policy: .latest, kind: .dispatch(action), scope: nil)
    }
}

/// The rules of an effect for another one of its name, and for its times.
public struct EffectPolicy: Sendable, Hashable {
    /// The fate of the effect that runs when another one of its name starts.
    public enum Overlap: Sendable, Hashable {
        /// It is cancelled: the latest wins.
        case latest
        /// It goes on; the new one is dropped.
        case keepRunning
        /// It goes on; the new one waits for its end.
        case queue
    }

    /// The fate of the effect that runs when another one of its name starts.
    public var overlap: Overlap
    /// Waits so long before it begins; with `latest`, a debounce.
    public var debounce: Duration?
    /// Is dropped if one of its name began less than so long ago.
    public var throttle: Duration?
    /// Is cancelled, and reported as timed out, after so long.
    public var timeout: Duration?
    /// The number of times that it is tried again after throwing.
    public var retries = 0
    /// The wait before the first retry; it doubles from one to the next, up to an hour.
    public var backoff = Duration.milliseconds(100)

    /// The latest wins.
    public static var latest: EffectPolicy { EffectPolicy(overlap: .latest) }
    /// The first goes on.
    public static var keepRunning: EffectPolicy { EffectPolicy(overlap: .keepRunning) }
    /// One after the other.
    public static var queue: EffectPolicy { EffectPolicy(overlap: .queue) }

    /// The same, begun only after a time without another one.
    public func debounced(_ duration: Duration) -> EffectPolicy {
        with { $0.debounce = duration }
    }

    /// The same, begun at most once in a time.
    public func throttled(_ duration: Duration) -> EffectPolicy {
        with { $0.throttle = duration }
    }

    /// The same, cancelled after a time.
    public func timingOut(after duration: Duration) -> EffectPolicy {
        with { $0.timeout = duration }
    }

    /// The same, tried again after throwing.
    public func retrying(_ count: Int, backoff: Duration = .milliseconds(100)) -> EffectPolicy {
        with {
            $0.retries = count
            $0.backoff = backoff
        }
    }

    private func with(_ change: (inout EffectPolicy) -> Void) -> EffectPolicy {
        var policy = self
        change(&policy)
        return policy
    }
}

/// The means of a running effect: its way back to the store, and its surroundings.
public struct EffectContext<Action: Sendable>: Sendable {
    /// Time and ids.
    public let environment: Environment
    private let deliver: @Sendable (Action) -> Void

    /// A context whose actions go to `deliver`.
    public init(environment: Environment, deliver: @escaping @Sendable (Action) -> Void) {
        self.environment = environment
        self.deliver = deliver
    }

    /// Reports an action to the store; ignored once the effect was cancelled.
    public func send(_ action: Action) {
        deliver(action)
    }

    /// A hundred years: clocks trap at points of time that they cannot count.
    private static var longestSleep: Duration { .seconds(3_155_760_000) }

    /// Waits by the environment's clock, a hundred years at most; throws when cancelled.
    public func sleep(for duration: Duration) async throws {
        try await environment.clock.sleep(for: min(duration, Self.longestSleep))
    }
}
