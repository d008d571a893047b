import HTTPServer
import Logging
public import Redux
import Sockets
import Synchronization

/// The people of a server: who has signed in, by the cookies of their browsers, and what is kept of
/// each of them beyond the sessions that they use.
///
///     let people = People<Card>(cookie: "list")
///     try await Server(configuration) {
///         people.parts
///         people.signIn(at: "/list/sign-in") { request in
///             let wish: Wish = try request.decode()
///             return .init("user:\(wish.name)", name: wish.name, roles: ["act", "observe"])
///         }
///         people.signOut(at: "/list/sign-out")
///         people.me(at: "/list/me")
///         Served("/list", ShoppingApplication(), access: people.access)
///     }.run()
///
/// The server's journal keeps them, in a session that no client reaches. They are also here, in memory,
/// so that access control finds them without waiting. In a test's store, which has no server, they are
/// in memory alone.
public final class People<Details: StateValue>: Sendable {
    /// One who signs in, or of whom something is kept.
    public struct Person: StateValue {
        /// The id of the principal that they are.
        public let id: String
        /// The name by which they are shown to themselves.
        public var name: String
        /// The roles that access control gives them, while they have signed in.
        public var roles: Set<String>
        /// What an application keeps of them.
        public var details: Details?

        /// A person.
        public init(
            _ id: String, name: String = "", roles: Set<String> = [], details: Details? = nil
        ) {
            self.id = id
            self.name = name
            self.roles = roles
            self.details = details
        }
    }

    typealias State = PeopleState<Details>

    /// A server that has not been able to look for so long lets nobody in.
    private static var blindDuration: Duration { .seconds(20) }

    private struct Board {
        var state = State()
        /// Of the state; nil before the first one.
        var token: Token?
        /// The time at which it was the newest, where other servers may sign people in and out.
        var looked: Timestamp?
        /// The sign-ins that count no more, whether or not the journal has it already: by their numbers.
        var ended: Set<String> = []
        /// Those of the server that keeps the people; nil where none has started.
        var sessions: Sessions?

        /// The sign-in that a cookie stands for, ended or not.
        func signIn(by cookie: SignInCookie?) -> State.SignIn? {
            guard let cookie, let signIn = state.signIns[cookie.number],
                signIn.secret.matches(cookie.secret)
            else { return nil }
            return signIn
        }
    }

    private let name: String
    let cookieName: String
    let isSecure: Bool
    private let strangers: Set<String>?
    private let limit: Int
    private let schema: Schema
    private let board = Mutex(Board())

    /// The people of a server that has these ``parts``.
    ///
    /// - Parameters:
    ///   - name: tells them apart from other people of the same server.
    ///   - cookie: the name of the cookie, which browsers send for all paths.
    ///   - isSecure: browsers reach the server by https, and send its cookie by that alone.
    ///   - strangers: the roles of those who have not signed in; nil: they are refused.
    ///   - limit: as many are kept, and as many sign-ins, of which a client has a share
    ///     (``SessionLimits/signInShare``): then, or where there is no room, the oldest sign-in of theirs, or
    ///     of who has most, makes room for another, first of people who have no stream open and have made no
    ///     session; and of those who have not signed in, the one of whom nothing was said for longest.
    ///   - schema: the version of the details' JSON, and the migrations from earlier ones.
    public init(
        _ name: String = "people", cookie: String = "person", isSecure: Bool = false,
        strangers: Set<String>? = nil, limit: Int = 10_000, schema: Schema = Schema()
    ) {
        precondition(limit > 0, "People need room for one.")
        self.name = name
        cookieName = cookie
        self.isSecure = isSecure
        self.strangers = strangers
        self.limit = limit
        self.schema = schema
    }

    /// The part of a server that keeps the people: none of their sign-ins is known without it.
    public var parts: [ServerPart] {
        let application = PeopleApplication<Details>(limit: limit)
        return [
            ServerPart(
                served: Served(unreachable: name, application, schema: schema.ofPeople),
                begin: { [self] in try await begin($0, $1) }, follow: { [self] in await follow() })
        ]
    }

    /// Reads who has signed in before the server takes a connection. Where that cannot be read, nobody
    /// has: the rest is served.
    private func begin(_ sessions: Sessions, _ logger: Logger) async throws(SessionError) {
        board.withLock { $0 = Board(sessions: sessions) }
        do throws(SessionError) {
            let session = try session(in: sessions)
            if let (state, token) = try await session.state(unlessAt: nil) {
                show(state, at: token)
            }
            if let frozen = try await session.frozen {
                log("Nobody can sign in or out", frozen, logger)
            }
        } catch .notFound {
        } catch {
            log("Nobody counts as signed in, and nobody can sign in", error, logger)
        }
        guard board.withLock({ $0.state.erasure }) != nil else { return }
        do throws(SessionError) {
            try await forgetPast(in: sessions)
        } catch {
            log("What was erased can still be read in the journal's past", error, logger)
        }
    }

    /// Sees what has become of people at other servers. Reading all of them takes no loop's time.
    @concurrent
    private func follow() async {
        let now = Timestamp.now
        let (sessions, token) = board.withLock { board in
            board.looked = board.looked ?? now
            return (board.sessions, board.token)
        }
        guard let sessions else { return }
        do throws(SessionError) {
            let newer = try await session(in: sessions).state(unlessAt: token)
            if let (state, token) = newer { try await see(state, at: token, in: sessions) }
            noteLook(at: now)
            if board.withLock({ $0.state.erasure }) != nil { try await forgetPast(in: sessions) }
        } catch .notFound {
            noteLook(at: now)
        } catch .refused(let refusal) where refusal.code == "journal-unavailable" {
            // Nothing is shown here meanwhile: pages are to try again, and not to ask who they are.
            noteLook(at: now)
        } catch {
            // The next second looks again.
        }
    }

    private func noteLook(at now: Timestamp) {
        board.withLock { $0.looked = max($0.looked ?? now, now) }
    }

    /// One sentence of what is wrong, with the ways out.
    private func log(_ fault: String, _ error: Any, _ logger: Logger) {
        let ways =
            "People(schema:) migrates what an earlier build has kept; under another name all begins anew."
        logger.error("\(fault): \(error) \(ways)", metadata: ["people": "\(name)"])
    }

    private func session(
        in sessions: Sessions
    ) throws(SessionError) -> SessionHandle<PeopleApplication<Details>> {
        try sessions.session(
            PeopleApplication<Details>.session, of: PeopleApplication<Details>.self, at: name)
    }

    // MARK: Who is there

    /// All who have signed in, or of whom something is kept, by their ids.
    public var all: [String: Person] {
        let people = board.withLock { $0.state.people }
        return Dictionary(uniqueKeysWithValues: people.all.lazy.map { ($0, $1) })
    }

    /// The person of a principal's id, who has signed in or of whom something is kept.
    public subscript(id: String) -> Person? { board.withLock { $0.state.people[id] } }

    /// The person whose browser has a cookie.
    func person(of cookie: SignInCookie?, at now: Timestamp = .now) -> Person? {
        board.withLock { board in
            guard let cookie, let signIn = board.signIn(by: cookie), !signIn.isOver(at: now),
                !board.ended.contains(cookie.number),
                now < (board.looked ?? now) + Self.blindDuration
            else { return nil }
            return board.state.people[signIn.person]
        }
    }

    /// Decides about a request, as the access control of an application, a route or a server: who has
    /// signed in is granted their roles, a cookie that is not known is refused.
    public func access(to request: AccessRequest) -> Access {
        guard let value = cookie(in: request.cookie) else {
            return strangers.map { .granted(Principal("", roles: $0)) } ?? .unauthenticated
        }
        guard let person = person(of: SignInCookie(value)) else { return .unauthenticated }
        return .granted(Principal(person.id, roles: person.roles))
    }

    // MARK: What becomes of them

    /// Signs a person in, in one more browser.
    ///
    /// What was kept of them stays where the new details are nil; their name and roles are from now on
    /// the new ones, in all of their browsers. Throws what a session's handle throws.
    ///
    /// - Parameter maker: the print of the client into whose share the sign-in counts.
    func add(
        _ person: Person, by cookie: SignInCookie, of maker: UInt16 = 0, at now: Timestamp = .now
    ) async throws(SessionError) {
        let (state, sessions) = board.withLock { ($0.state, $0.sessions) }
        let share = (sessions?.limits ?? SessionLimits()).signInShare
        let most = Accounts.share(share, of: limit)
        let gone = state.leaving(for: maker, most: most, limit: limit, at: now) {
            !(sessions?.isPresent($0) ?? false)
        }
        try await commit(
            .signedIn(
                person: person, number: cookie.number, secret: Secret(cookie.secret), maker: maker,
                gone: gone, most: most))
    }

    /// Has a cookie count no more, and ends the streams of the person whose it was; then has the journal
    /// forget it, however that goes.
    func remove(_ cookie: SignInCookie) async throws(SessionError) {
        let (signIn, sessions) = board.withLock { board in
            let signIn = board.signIn(by: cookie)
            if signIn != nil { board.ended.insert(cookie.number) }
            return (signIn, board.sessions)
        }
        guard let signIn else { return }
        try await sessions?.closeStreamsHere(of: signIn.person)
        try await commit(.signedOut(number: cookie.number))
        // Those of other servers, which know of it by now.
        await sessions?.tell(.streams(of: signIn.person, session: nil))
    }

    /// Keeps what an application knows of a person, in place of what was kept before; nil: nothing more.
    ///
    /// Does nothing where it is the same. A `Secret` in it is sealed where the journal keeps it.
    ///
    /// - Parameter id: a principal's, who need not have signed in by a cookie.
    public func keep(_ details: Details?, of id: String) async throws(SessionError) {
        guard self[id]?.details != details else { return }
        try await commit(.kept(details: details, id: id))
    }

    /// Ends all sign-ins of a person with their streams, and makes what was kept of them unreadable for
    /// ever, also in the journal's past.
    ///
    /// - Parameter id: the principal's.
    public func erase(_ id: String) async throws(SessionError) {
        let sessions = board.withLock { board in
            board.ended.formUnion(board.state.signIns(of: id))
            return board.sessions
        }
        try await sessions?.closeStreamsHere(of: id)
        if self[id] != nil { try await commit(.erased(id: id)) }
        if let sessions { try await forgetPast(in: sessions) }
    }

    /// What was erased until now becomes unreadable; it is known until then that this is still to be done.
    private func forgetPast(in sessions: Sessions) async throws(SessionError) {
        let erasure = board.withLock { $0.state.erasure }
        do throws(SessionError) {
            try await session(in: sessions).forgetPast()
        } catch {
            // The server does so that has the session.
            if error.isElsewhere { return }
            guard error == .notFound else { throw error }
        }
        if let erasure { try await commit(.pastForgotten(erasure: erasure)) }
    }

    /// Has the journal keep a change, and then everybody see it: the streams end of whoever has lost their
    /// last sign-in by it.
    func commit(_ fact: PeopleFact<Details>) async throws(SessionError) {
        guard let sessions = board.withLock({ $0.sessions }) else {
            return try board.withLock { (board) throws(SessionError) in
                var state = board.state
                do throws(Rejection) {
                    try state.apply(fact, limit: limit, at: .now)
                } catch {
                    throw .rejected(error)
                }
                board.state = state
            }
        }
        let session = try session(in: sessions)
        do throws(SessionError) {
            try await session.dispatch(fact)
        } catch .notFound {
            try await sessions.create(
                PeopleApplication<Details>.session, of: PeopleApplication<Details>.self, at: name
            ).dispatch(fact)
        }
        let token = board.withLock { $0.token }
        if let (state, token) = try await session.state(unlessAt: token) {
            try await see(state, at: token, in: sessions)
        }
        await sessions.tell(.people)
    }

    /// Has everybody see a state, and ends the streams of whoever has lost their last sign-in by it.
    private func see(
        _ state: State, at token: Token, in sessions: Sessions
    ) async throws(SessionError) {
        for person in show(state, at: token) where sessions.isPresent(person) {
            try await sessions.closeStreamsHere(of: person)
        }
    }

    /// Has everybody see a state, unless they have seen a later one meanwhile.
    ///
    /// - Returns: who has no sign-in any more, of those who had one.
    @discardableResult
    private func show(_ state: State, at token: Token) -> Set<String> {
        let former = board.withLock { board in
            let former = board.state
            // In another epoch the journal has lost what it had.
            guard
                state.changeCount >= former.changeCount || token.epoch != board.token?.epoch
            else { return state }
            (board.state, board.token) = (state, token)
            board.ended = board.ended.filter { state.signIns[$0] != nil }
            return former
        }
        return state.absent(among: former.signIns.missing(in: state.signIns).map(\.person))
    }
}

extension Timestamp {
    /// By the clock that tells what is old.
    package static var now: Timestamp { Timestamp(milliseconds: Instant.readAgeClock(lead: 0)) }
}
