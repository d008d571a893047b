extension Middleware {
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
