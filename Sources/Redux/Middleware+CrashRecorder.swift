extension Middleware {
    /// Tells a recorder of each action before the reducer sees it, and of each committed step.
    ///
    /// Stands last among the interceptors to record what the reducer sees, first to record what
    /// is sent.
    ///
    /// - Parameters:
    ///   - describe: what stands for an action; its description by default, in which a `Secret`
    ///     shows nothing.
    ///   - state: what stands for the state after a step that changed it; nil: only its version
    ///     is recorded.
    public static func crashRecorder(
        _ recorder: CrashRecorder,
        describe: @escaping @Sendable (Action) -> String = { String(describing: $0) },
        state: (@Sendable (State) -> String)? = nil
    ) -> Middleware {
        Middleware(
            "crash-recorder",
            intercept: { action, _, incoming in
                recorder.record("→ \(describe(action)) from \(incoming.origin.rawValue)")
                return .pass
            },
            effectsAfter: { transition in
                let cause = transition.cause.map { " caused by #\($0)" } ?? ""
                let result = transition.changed ? "" : ", no change"
                recorder.record(
                    "#\(transition.version) \(describe(transition.action))\(cause)\(result)")
                if transition.changed, let state {
                    recorder.record("#\(transition.version) state: \(state(transition.new))")
                }
                return []
            })
    }
}
