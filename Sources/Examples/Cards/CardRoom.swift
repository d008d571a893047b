package import Statecast

/// The demo of people who know little of each other: a lobby, card tables, and a sign-in.
package struct CardRoom: Sendable {
    let signIns: SignIns
    let isSecure: Bool

    /// A room.
    ///
    /// - Parameters:
    ///   - signIns: the people who have signed in.
    ///   - isSecure: browsers reach the server by https, and send its cookie by that alone.
    package init(_ signIns: SignIns, isSecure: Bool = false) {
        self.signIns = signIns
        self.isSecure = isSecure
    }

    /// The parts of a server that serves the room.
    @ServerBuilder package var parts: [ServerPart] {
        // Whoever looks on makes the lobby, if they come first; a table refuses all but the lobby.
        Served("/cards/lobby", LobbyApplication(), access: access, maker: "observe")
        Served("/cards/tables", TableApplication(), access: access, maker: "observe")
        Route(.post, "/cards/sign-in", bodyLimit: 4 << 10, access: .open, signIn)
        Route(.post, "/cards/sign-out", access: .open, signOut)
        Route(.get, "/cards/me", access: .asking(access), tell)
    }

    /// Decides about a request. One without a cookie comes from a spectator, one with a cookie that is
    /// not known is refused. Nobody has the role to end a table: the server alone does.
    private func access(to request: AccessRequest) -> Access {
        guard let cookie = SignIns.cookie(in: request.cookie) else {
            return .granted(Principal(Principal.anonymous.id, roles: ["observe"]))
        }
        return signIns.find(cookie).map(Access.granted) ?? .unauthenticated
    }
}

extension SavedValues<[SignIns.SignIn]> {
    /// Keeps sign-ins in a directory, which only the process's user may read: the cookies are in it.
    package static func signIns(in directory: String) throws -> SavedValues {
        try files(in: directory, limit: 1 << 20)
    }
}
