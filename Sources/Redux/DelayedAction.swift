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
