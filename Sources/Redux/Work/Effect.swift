/// Something to do once after a committed step, as a value: a line in an audit, a mail, an event for
/// analytics.
///
///     Middleware("audit", effectsAfter: { step in
///         [.run { _ in await audit(step.by, step.action) }]
///     })
///
/// An effect happens at most once: it starts after the commit, never in a replay, and is lost where
/// the process or the session ends. What must happen follows from the state, as ``Work``.
public struct Effect<Action: Sendable>: Sendable {
    /// Tells effects apart that concern each other; nil for one that concerns no other.
    let name: String?
    /// The rule for another effect of its name.
    let overlap: Overlap
    /// Runs in Swift's pool until it returns, throws or is cancelled.
    var operation: WorkOperation<Action>?
    /// Is dispatched after the present action, where there is no operation.
    var action: Action?

    /// Runs an operation in Swift's pool. Operators are told of what it throws; once the effect was
    /// cancelled, nothing is heard of it.
    ///
    /// - Parameters:
    ///   - name: an effect without one runs beside all others.
    ///   - overlap: the rule for effects of this name that have not ended yet.
    ///   - operation: its actions are the server's, caused by the step that started the effect.
    public static func run(
        _ name: String? = nil, overlap: Overlap = .concurrent,
        _ operation: @escaping @Sendable (WorkContext<Action>) async throws -> Void
    ) -> Effect {
        let operation = WorkOperation<Action>(.effect) { context in
            try await operation(context)
            return nil
        }
        return Effect(name: name, overlap: overlap, operation: operation)
    }

    /// Dispatches an action as the server, once the present one is through.
    public static func send(_ action: Action) -> Effect {
        Effect(name: nil, overlap: .concurrent, action: action)
    }
}

/// The rule for an effect that starts while others of its name have not ended.
public enum Overlap: Sendable, Hashable {
    /// It runs beside them.
    case concurrent
    /// They are cancelled: the latest wins.
    case latest
    /// They go on, and the new one is dropped.
    case keepRunning
    /// They go on, and the new one waits for their end.
    case queue
}
