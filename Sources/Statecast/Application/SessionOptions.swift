public import Redux

/// What the sessions of a served application need beside the application itself.
///
///     Served("/rides", rides, options: SessionOptions(forgetting: { session in
///         try await userSessions.delete(session.description)
///     }))
public struct SessionOptions<State: StateValue, Action: ActionGroup>: Sendable {
    /// Deletes what the application keeps elsewhere under the id of a session that a client has
    /// ended by DELETE; nil where it keeps nothing. A session that ends for lack of use is not
    /// forgotten.
    ///
    /// The server calls this in Swift's pool, apart from the session and after the session's work
    /// was cancelled, at least once: it logs an error that is thrown, and calls again after 100 ms,
    /// 200 ms and so on, an hour at most. Until the call returns, the id is ended, so that no new
    /// session finds what is about to be deleted; DELETE is answered after that.
    public var forgetting: (@Sendable (_ session: SessionID) async throws -> Void)?

    /// Options; without any, a session needs nothing.
    public init(forgetting: (@Sendable (_ session: SessionID) async throws -> Void)? = nil) {
        self.forgetting = forgetting
    }
}
