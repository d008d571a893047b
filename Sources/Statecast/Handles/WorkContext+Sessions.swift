public import Redux

extension WorkContext {
    /// The sessions of the server, which this work may dispatch to; in a test's store there are none,
    /// and every use throws `SessionError.notServing`.
    ///
    ///     Work("invite", for: invitation) { invitation, context in
    ///         let lobby = try context.sessions.session("lobby", of: Lobby.self)
    ///         try await lobby.dispatch(.invited(invitation))
    ///     } then: { .invited($0) }
    ///
    /// It speaks as the server unless `as:` is said. Each dispatch has a key made from the work's own,
    /// `…/1`, `…/2`, so that it acts once however often the work runs, and goes on with the chain of
    /// causes that has led to the work: one that is too long is cut with `chain-cut`.
    public var sessions: Sessions { surroundings as? Sessions ?? Sessions() }
}
