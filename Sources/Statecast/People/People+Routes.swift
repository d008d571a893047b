import HTTPMessages
import HTTPTypes
import Redux

/// The routes by which people sign in and out.
///
///     POST /cards/sign-in {"name":"Alice"}  →  200 {"id":"Alice#3f9c21ab","name":"Alice"}
///     Set-Cookie: cards=0f…; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000
extension People {
    private struct Shown: Encodable { let id, name: String }

    /// The route of a form by which people sign in. A cookie that the browser had before is forgotten.
    ///
    /// - Parameters:
    ///   - path: takes POST of JSON.
    ///   - admit: finds out who sends the request; throws, a `Rejection` for instance, where they are
    ///     not let in.
    public func signIn(
        at path: String, bodyLimit: Int = 4 << 10,
        _ admit: @escaping @Sendable (RouteRequest) async throws -> Person
    ) -> Route {
        Route(.post, path, bodyLimit: bodyLimit, access: .open) { [self] request in
            let person = try await admit(request)
            try await forget(request)
            let cookie = SignInCookie()
            try await add(person, by: cookie, of: request.client)
            var response = try RouteResponse.json(Shown(id: person.id, name: person.name))
            response.headerFields[.setCookie] = field(cookie, for: request)
            return response
        }
    }

    /// The route by which people sign out: POST. Their streams in all sessions end.
    public func signOut(at path: String) -> Route {
        Route(.post, path, access: .open) { [self] request in
            try await forget(request)
            return RouteResponse(
                .noContent, headerFields: [.setCookie: field(nil, for: request)])
        }
    }

    /// The route that tells people who they are, as signing in does: 404 for one who has not signed in,
    /// 401 for one whose cookie is not known any more.
    public func me(at path: String) -> Route {
        Route(.get, path, access: .asking { [self] in access(to: $0) }) { [self] request in
            if let id = request.principal?.id, let person = self[id] {
                return try .json(Shown(id: person.id, name: person.name))
            }
            let title = #""type":"about:blank","title":"Not Found","status":404"#
            return RouteResponse(
                .notFound, headerFields: [.contentType: "application/problem+json"],
                body: Array("{\(title),\"detail\":\"You have not signed in.\"}".utf8))
        }
    }

    /// Forgets the cookies that come with a request, and ends the streams of the people whose they were.
    private func forget(_ request: RouteRequest) async throws(SessionError) {
        let field = request.head.headerFields[.cookie]
        for name in [SignInCookie.hostPrefix + cookieName, cookieName] {
            for value in SignInCookie.values(named: name, in: field) {
                if let cookie = SignInCookie(value) { try await remove(cookie) }
            }
        }
    }

    /// The cookie of a field Cookie: of two with one name, neither; nil where it has none. One that only
    /// this host can have set by https goes before one that anybody on the way may have.
    func cookie(in field: String?) -> String? {
        let names = [SignInCookie.hostPrefix + cookieName] + (isSecure ? [] : [cookieName])
        let values = names.lazy.map { SignInCookie.values(named: $0, in: field) }
        return values.first { !$0.isEmpty }.map { $0.count == 1 ? $0[0] : "" }
    }

    /// The field Set-Cookie that gives a browser a cookie for all paths; nil takes it away. By https its
    /// name begins so that no other host, and no page by http, can have set it (RFC 6265bis §4.1.3.2).
    private func field(_ cookie: SignInCookie?, for request: RouteRequest) -> String {
        let proto = HTTPField.Name("X-Forwarded-Proto").flatMap { request.head.headerFields[$0] }
        let isSecure = isSecure || proto == "https"
        let age = cookie == nil ? 0 : SignInCookie.lifetime.components.seconds
        let value = cookie.map { $0.number + $0.secret } ?? ""
        return (isSecure ? SignInCookie.hostPrefix : "")
            + "\(cookieName)=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(age)"
            + (isSecure ? "; Secure" : "")
    }
}

/// The value of a cookie, 32 hexadecimal digits: a client that has it acts as the person.
///
/// The first half tells which sign-in is meant, and the other half is the secret: it alone is compared,
/// in a time that tells nothing of it.
struct SignInCookie: Equatable {
    /// Browsers take a cookie of such a name by https alone, from the host itself.
    static let hostPrefix = "__Host-"
    /// The browser and the server forget it then.
    static let lifetime = Duration.seconds(30 * 24 * 60 * 60)

    let number: String
    let secret: String

    /// Nil where the value is none.
    init?(_ value: String) {
        guard value.utf8.count == 32 else { return nil }
        number = String(value.prefix(16))
        secret = String(value.dropFirst(16))
    }

    /// 128 random bits.
    init() {
        let digits = SessionID.random().description
        number = String(digits.prefix(16))
        secret = String(digits.dropFirst(16))
    }

    /// The values of a name in a field Cookie: `a=1; cards=0f…`.
    static func values(named name: String, in field: String?) -> [String] {
        (field ?? "").split(separator: ";").compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
    }
}
