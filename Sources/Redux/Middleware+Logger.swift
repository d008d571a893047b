extension Middleware {
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
}
