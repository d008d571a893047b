import Journaling
public import Redux
import Sessions
import Sockets

/// The sessions of a server, for its own code: a route, a timer of the operator's, another session's
/// work.
///
///     Route(.post, "/hooks/mail", callers: .anywhere, access: .open) { request in
///         let mail: Mail = try request.decode()
///         let list = try request.sessions.session(mail.list, of: ShoppingApplication.self)
///         try await list.dispatch(.added(name: mail.subject), key: mail.id)
///         return RouteResponse(.noContent)
///     }
///
/// It asks access control nothing: who may what is for its caller to say.
public struct Sessions: Sendable {
    /// Nil in the store of a test, which has no server.
    private let directory: SessionDirectory?
    /// The work in which they are used.
    private let caller: CallingWork?
    /// Has a session made where no principal has.
    private let maker: UInt16

    init(_ directory: SessionDirectory?, in caller: CallingWork? = nil, for maker: UInt16 = 0) {
        self.directory = directory
        self.caller = caller
        self.maker = maker
    }

    /// Those of no server: every use throws.
    package init() {
        self.init(nil)
    }

    /// The same, for a piece of work: what it dispatches goes on with its chain of causes; nil: for a route.
    func used(in work: CallingWork?) -> Sessions {
        Sessions(directory, in: work, for: SessionQuota.forSomebody)
    }

    /// The session of an id; that it exists is found out by the first use of the handle.
    ///
    /// - Parameters:
    ///   - application: the type that is served.
    ///   - path: the place where it is served, needed only where it is at several: `/list`.
    public func session<App: Application>(
        _ id: String, of application: App.Type, at path: String? = nil
    ) throws(SessionError) -> SessionHandle<App> {
        guard let directory else { throw .notServing }
        guard let name = SessionID(id) else { throw .badID(id) }
        let place = try directory.place(of: application, at: path)
        return SessionHandle(
            name, directory, mount: place.index, place.definition, in: caller)
    }

    /// Makes a session as PUT does, or finds the one of this id, whose input was another one perhaps.
    ///
    /// - Parameters:
    ///   - id: nil: 128 random bits. Work that may run again gives one from its state.
    ///   - application: the type that is served.
    ///   - path: the place where it is served, needed only where it is at several.
    ///   - input: handed to `start` of the application.
    ///   - principal: has the session made, and it counts into their share of sessions; nil: the
    ///     server itself, which has all of them. What a route or a piece of work makes may go where nobody
    ///     posts to it, as what clients make.
    @discardableResult
    public func create<App: Application>(
        _ id: String? = nil, of application: App.Type, at path: String? = nil,
        input: App.Input? = nil, as principal: Principal? = nil
    ) async throws(SessionError) -> SessionHandle<App> {
        let handle = try session(
            id ?? SessionID.random().description, of: application, at: path)
        let maker = principal.flatMap { directory?.hash.client($0) } ?? maker
        try await handle.make(SessionStart(maker: maker, by: principal, value: input))
        return handle
    }

    /// Nil in the store of a test.
    var limits: SessionLimits? { directory?.limits }

    /// A principal has a stream open, or has made a session that is there.
    func isPresent(_ principal: String) -> Bool {
        guard let directory else { return false }
        guard let client = directory.hash.client(Principal(principal)) else { return false }
        return directory.budget.withAccounts {
            $0[.streams, client] + $0[.sessions, client] > 0
        }
    }

    /// Ends the streams and held requests of a principal in all sessions, after they have signed out
    /// for instance, as ``SessionHandle/closeStreams(of:)`` does in one.
    ///
    /// - Parameter principal: the id.
    public func closeStreams(of principal: String) async throws(SessionError) {
        try await closeStreamsHere(of: principal)
        await tell(.streams(of: principal, session: nil))
    }

    func closeStreamsHere(of principal: String) async throws(SessionError) {
        guard let directory else { throw .notServing }
        await directory.closeStreams(of: principal)
    }

    /// Has the other servers do something, where there are any.
    func tell(_ news: ServerNews) async { await directory?.tell(news) }
}

extension WorkContext {
    /// The sessions of the server, which this work may dispatch to; in a test's store there are none,
    /// and every use throws `SessionError.notServing`.
    ///
    ///     Work("invite", for: invitation) { invitation, context -> Void in
    ///         let lobby = try context.sessions.session("lobby", of: Lobby.self)
    ///         try await lobby.dispatch(.invited(invitation))
    ///     } then: { .invited($0) }
    ///
    /// It speaks as the server unless `as:` is said. Each dispatch has a key made from the work's own,
    /// `…/1`, `…/2`, so that it acts once however often the work runs, and goes on with the chain of
    /// causes that has led to the work: one that is too long is cut with `chain-cut`.
    public var sessions: Sessions { surroundings as? Sessions ?? Sessions() }
}
