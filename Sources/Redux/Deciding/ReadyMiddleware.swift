extension Middleware {
    /// Tells of what people do: an event for each committed step that makes one. What is replayed
    /// was told before, and makes none.
    ///
    ///     .analytics { transition -> Event? in
    ///         if case .action(.rideConfirmed) = transition.action { .rideOrdered } else { nil }
    ///     } send: { events.append($0) }
    ///
    /// - Parameters:
    ///   - event: what a step means; nil: nothing to tell.
    ///   - send: takes an event; called on the store's isolation, so it must not block.
    public static func analytics<Event>(
        name: String = "analytics",
        event: @escaping @Sendable (Transition<State, Action>) -> Event?,
        send: @escaping @Sendable (Event) -> Void
    ) -> Middleware {
        Middleware(
            name,
            effectsAfter: { transition in
                guard transition.origin != .replay, let event = event(transition) else { return [] }
                send(event)
                return []
            })
    }

    /// Tells of every committed step: version, origin, action, and what differs in the state.
    ///
    ///     #3 client incremented(by: 2)
    ///       count: 1 → 3
    ///
    /// - Parameters:
    ///   - name: tells two loggers apart, for switches.
    ///   - redact: what stands for an action in the log; its description by default, in which a
    ///     `Secret` shows nothing.
    ///   - hidden: paths in the state whose values are shown as `<redacted>`, without indexes and
    ///     keys: `form.password`; see `StateDiff`.
    ///   - write: takes one text a step; called on the store's isolation, so it must not block.
    public static func logger(
        name: String = "logger",
        redact: @escaping @Sendable (Action) -> String = { String(describing: $0) },
        hiding hidden: Set<String> = [],
        write: @escaping @Sendable (String) -> Void
    ) -> Middleware {
        Middleware(
            name,
            effectsAfter: { transition in
                let cause = transition.cause.map { " caused by #\($0)" } ?? ""
                var text = "#\(transition.version) \(transition.origin.rawValue)\(cause) "
                text += StateDiff.escaped(redact(transition.action))
                if transition.changed {
                    for line in StateDiff.lines(transition.old, transition.new, hiding: hidden) {
                        text += "\n  \(line)"
                    }
                }
                write(text)
                return []
            })
    }

    /// Lets an action go on once no other one of its kind has come for a while; the last of them
    /// goes on, the others are forgotten. Senders are told that theirs is delayed. In a store without
    /// `deliver` all of them are dropped, and `effectFailed` is diagnosed.
    ///
    ///     .debounce(.milliseconds(300)) {
    ///         if case .action(.searchEdited) = $0 { "search" } else { nil }
    ///     }
    ///
    /// - Parameter kind: which actions belong together; nil lets one go on at once.
    public static func debounce(
        _ quiet: Duration, name: String = "debounce",
        kind: @escaping @Sendable (Action) -> String?
    ) -> Middleware {
        Middleware(
            name,
            intercept: { action, _, _ in
                kind(action).map { .delay(quiet, key: "\(name)/\($0)") } ?? .pass
            })
    }

    /// Lets one action of a kind go on at once, and the last of those that come until a period has
    /// passed at its end, which begins the next period; the others are forgotten. Senders are told
    /// that theirs is delayed. A first one that the reducer rejects does not count. In a store without
    /// `deliver` none can wait: all but the first one of a period are dropped.
    ///
    ///     .throttle(.seconds(1)) {
    ///         if case .action(.liked(let id)) = $0 { "liked/\(id)" } else { nil }
    ///     }
    ///
    /// - Parameter kind: which actions belong together; nil lets one go on.
    public static func throttle(
        _ period: Duration, name: String = "throttle",
        kind: @escaping @Sendable (Action) -> String?
    ) -> Middleware {
        Middleware(
            name,
            intercept: { action, _, _ in
                kind(action).map { .passOnce(per: period, key: "\(name)/\($0)") } ?? .pass
            })
    }
}
