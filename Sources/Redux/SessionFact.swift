/// The events in the life of a session that the server itself tells its application.
///
///     enum Action: ActionGroup { case added(name: String), session(SessionFact) }
///
/// A case that carries it, unlabelled and alone, asks to be told; one case of an application may.
/// Each fact is an entry like any other, said by the server, at most one a second. A fact that
/// changes nothing leaves no entry.
public enum SessionFact: FactGroup {
    /// The session has come back, from a journal or after a restart: no client watches it yet.
    case restored
    /// A principal watches the session that did not before: its first stream is open.
    case watcherCame(Principal)
    /// A principal has had no stream for ten seconds (`SessionLimits.absenceDuration`).
    case watcherLeft(Principal)
}
