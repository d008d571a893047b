extension Application {
    /// The middleware around the reducer of one session: the author's own, and the effects.
    package func allMiddleware(for session: SessionID) -> [Middleware<State, Input>] {
        let middleware = middleware(for: session)
        guard Fact.self != Never.self else { return middleware }
        return middleware + [Middleware("effects", react: { effects(after: $0, in: session) })]
    }
}
