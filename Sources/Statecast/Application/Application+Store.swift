extension Application {
    /// The middleware around the reducer of one session: the author's own, and the effects.
    ///
    /// - Parameter hasFacts: the application has actions that the server alone says. Without them no
    ///   effect could report, and its actions are dispatched the short way.
    package func allMiddleware(
        for session: SessionID, hasFacts: Bool
    ) -> [Middleware<State, Action>] {
        let middleware = middleware(for: session)
        guard hasFacts else { return middleware }
        return middleware + [Middleware("effects", react: { effects(after: $0, in: session) })]
    }
}
