import CardsModel
import Statecast

/// The routes by which people sign in and out: a name is all that is asked for.
///
///     POST /cards/sign-in {"name":"Alice"}  →  200 {"id":"Alice#3f9c21ab","name":"Alice"}
///     Set-Cookie: cards=0f…; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000
extension CardRoom {
    private struct Wish: Decodable {
        let name: String
        /// Of a moderator.
        let token: String?
    }
    private struct Person: Encodable { let id, name: String }

    /// Signs a person in. A cookie that the browser had before is forgotten.
    func signIn(_ request: RouteRequest) async throws -> RouteResponse {
        let wish: Wish = try request.decode()
        try Rejection.check(Rejection.fault(ofName: wish.name))
        try await forget(request)
        let signIn = try await signIns.add(named: wish.name, token: wish.token)
        var response = try person(signIns.principal(of: signIn))
        response.headerFields[.setCookie] = cookie(signIn.cookie, for: request)
        return response
    }

    func signOut(_ request: RouteRequest) async throws -> RouteResponse {
        try await forget(request)
        return RouteResponse(
            .noContent, headerFields: [.setCookie: cookie(nil, for: request)])
    }

    func tell(_ request: RouteRequest) throws -> RouteResponse {
        if let principal = request.principal, !principal.isAnonymous {
            return try person(principal)
        }
        let title = #""type":"about:blank","title":"Not Found","status":404"#
        return RouteResponse(
            .notFound, headerFields: [.contentType: "application/problem+json"],
            body: Array("{\(title),\"detail\":\"You have not signed in.\"}".utf8))
    }

    private func person(_ principal: Principal) throws -> RouteResponse {
        try .json(Person(id: principal.id, name: principal.shownName))
    }

    /// Forgets the cookie that comes with a request, and ends the streams that it has opened.
    private func forget(_ request: RouteRequest) async throws {
        guard let value = SignIns.cookie(in: request.head.headerFields[.cookie]),
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

    /// The field Set-Cookie that gives a browser a cookie for all paths, since a moderator sees the
    /// timeline below `/inspect`, too; nil takes it away.
    private func cookie(_ value: String?, for request: RouteRequest) -> String {
        let proto = HTTPField.Name("X-Forwarded-Proto").flatMap { request.head.headerFields[$0] }
        let isSecure = isSecure || proto == "https"
        let age = value == nil ? 0 : 30 * 24 * 60 * 60
        return "cards=\(value ?? ""); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(age)"
            + (isSecure ? "; Secure" : "")
    }
}

extension SignIns {
    /// The cookie in a field Cookie, `a=1; cards=0f…`; nil where it has none.
    package static func cookie(in field: String?) -> String? {
        for pair in (field ?? "").split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == "cards" { return String(parts[1]) }
        }
        return nil
    }
}
