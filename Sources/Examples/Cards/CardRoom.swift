import CardsModel
public import Statecast

/// The demo of people who know little of each other: a lobby, card tables, and a sign-in, for which a
/// name is all that is asked for.
public struct CardRoom: Sendable {
    public let people: People<Never>
    /// The names that take a token, which is new with each start: nobody else signs in by them.
    public let moderators: [String: String]

    /// A room.
    ///
    /// - Parameters:
    ///   - moderators: the names of those who may inspect.
    ///   - isSecure: browsers reach the server by https, and send its cookie by that alone.
    ///   - limit: so many people are kept, a quarter of them from one network; the oldest make room.
    public init(moderators: [String] = [], isSecure: Bool = false, limit: Int = 2_000) {
        people = People(
            "cards", cookie: "cards", isSecure: isSecure, strangers: ["observe"], limit: limit)
        self.moderators = Dictionary(
            moderators.map { ($0, "\(SessionID.random())") },
            uniquingKeysWith: { first, _ in first })
    }

    /// The parts of a server that serves the room.
    @ServerBuilder public var parts: [ServerPart] {
        people.parts
        people.signIn(at: "/cards/sign-in", admit)
        people.signOut(at: "/cards/sign-out")
        people.me(at: "/cards/me")
        // The start alone makes the lobby, which goes on however long nobody comes.
        Served(
            "/cards/lobby", LobbyApplication(),
            options: .init(lifetime: .seconds(100 * 366 * 24 * 3600), history: .always),
            access: access,
            maker: "nobody")
        // A table refuses all but the lobby. Who floods its chat holds up nobody's moves.
        Served(
            "/cards/tables", TableApplication(),
            options: .init(
                history: .always,
                rates: [
                    .atMost(5, per: .seconds(10), of: "said"),
                    .atMost(20, per: .seconds(10), of: "said", from: .session),
                ]),
            access: access,
            maker: "observe")
    }

    /// Makes the one lobby before the first client comes, or finds what was kept of it.
    public static func begin(_ sessions: Sessions) async throws(SessionError) {
        try await sessions.create(LobbyState.session, of: LobbyApplication.self)
    }

    private struct Wish: Decodable {
        let name: String
        /// Of a moderator.
        let token: String?
    }

    private func admit(_ request: RouteRequest) throws -> People<Never>.Person {
        let wish: Wish = try request.decode()
        try Rejection.check(Rejection.fault(ofName: wish.name))
        let token = moderators[wish.name]
        if let token, !Secret(token).matches(wish.token ?? "") { throw Rejection.moderatorsName }
        let number = String("\(SessionID.random())".prefix(8))
        return .init(
            Principal.id(named: wish.name, number: number), name: wish.name,
            roles: token == nil ? ["act", "observe"] : ["act", "inspect", "observe"])
    }

    /// Decides about a request. A moderator whom this start does not name is one no more. Nobody has
    /// the role to end a table: the server alone does.
    private func access(to request: AccessRequest) -> Access {
        let access = people.access(to: request)
        guard case .granted(let person) = access, person.roles.contains("inspect"),
            person.id.flatMap({ moderators[Principal.shownName(of: $0)] }) == nil
        else { return access }
        return .granted(Principal(person.id ?? "", roles: person.roles.subtracting(["inspect"])))
    }
}

extension Rejection {
    fileprivate static let moderatorsName = Rejection(
        "moderators-name", "This name takes the token that the server printed when it started.",
        kind: .forbidden, field: "name")
}
