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
}
