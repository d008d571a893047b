import CardsModel
import Statecast

/// The routes by which people sign in and out: a name is all that is asked for.
///
///     POST /cards/sign-in {"name":"Alice"}  →  200 {"id":"Alice#3f9c21ab","name":"Alice"}
///     Set-Cookie: cards=0f…; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000
struct SignInRoutes: Sendable {
    private struct Wish: Decodable {
        let name: String
        /// Of a moderator.
        let token: String?
    }
    private struct Person: Encodable { let id, name: String }
    private struct NotSignedIn: Encodable {
        let type = "about:blank", title = "Not Found", status = 404
        let detail = "You have not signed in."
    }

    let signIns: SignIns
    /// Browsers reach the server by https.
    let isSecure: Bool
    /// Decides about who somebody is.
    let access: @Sendable (AccessRequest) -> Access

    @ServerBuilder var parts: [ServerPart] {
        Route(.post, "/cards/sign-in", bodyLimit: 4 << 10, access: .open, signIn)
        Route(.post, "/cards/sign-out", access: .open, signOut)
        Route(.get, "/cards/me", access: .asking(access), tell)
    }

    /// Signs a person in. A cookie that the browser had before is forgotten.
    private func signIn(_ request: RouteRequest) async throws -> RouteResponse {
        let wish: Wish = try request.decode()
        try Rejection.check(Rejection.fault(ofName: wish.name))
        try await forget(request)
        let signIn = try await signIns.add(named: wish.name, token: wish.token)
        var response = try person(signIns.principal(of: signIn))
        response.headerFields[.setCookie] = cookie(signIn.cookie, for: request)
        return response
    }

    private func signOut(_ request: RouteRequest) async throws -> RouteResponse {
        try await forget(request)
        return RouteResponse(
            .noContent, headerFields: [.setCookie: cookie(nil, for: request)])
    }

    private func tell(_ request: RouteRequest) throws -> RouteResponse {
        if let principal = request.principal, !principal.isAnonymous {
            return try person(principal)
        }
        var response = try RouteResponse.json(NotSignedIn(), status: .notFound)
        response.headerFields[.contentType] = "application/problem+json"
        return response
    }

    private func person(_ principal: Principal) throws -> RouteResponse {
        try .json(Person(id: principal.id, name: principal.shownName))
    }

    /// Forgets the cookie that comes with a request, and ends the streams that it has opened.
    private func forget(_ request: RouteRequest) async throws {
        guard let value = SignInCookie.value(in: request.head.headerFields[.cookie]),
            let person = try await signIns.remove(value)
        else { return }
        do throws(SessionError) {
            let lobby = try request.sessions.session(
                LobbyState.session, of: LobbyApplication.self)
            try await lobby.closeStreams(of: person.id)
            for table in try await lobby.state.tables {
                try await request.sessions.session(table.id, of: TableApplication.self)
                    .closeStreams(of: person.id)
            }
        } catch {
            guard error == .notFound || error == .ended else { throw error }
        }
    }

    private func cookie(_ value: String?, for request: RouteRequest) -> String {
        let proto = HTTPField.Name("X-Forwarded-Proto").flatMap { request.head.headerFields[$0] }
        return SignInCookie.setting(value, isSecure: isSecure || proto == "https")
    }
}
