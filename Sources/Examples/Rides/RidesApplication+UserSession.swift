import HTTPClient
public import RidesModel
public import Statecast

/// The person who is signed in, with the token that proves it; it stays on the server, never in the
/// state.
public struct UserSession: StateValue {
    public var user: UserProfile
    /// The outside API gave it for the password.
    public var token: Secret<String>
}

/// The user sessions that are kept, each under the id of the session that it belongs to.
public struct UserSessions: Sendable {
    public var load: @Sendable (_ key: String) async throws -> UserSession?
    public var save: @Sendable (UserSession, _ key: String) async throws -> Void
    public var delete: @Sendable (_ key: String) async throws -> Void
}

extension UserSessions {
    /// User sessions that are kept with the people of a server.
    public init(_ people: People<UserSession>) {
        self.init(
            load: { people[$0]?.details }, save: { try await people.keep($0, of: $1) },
            delete: { try await people.erase($0) })
    }
}

/// People sign in to a session, by its form: all who look at it see that. The browser that has sent the form
/// gets a cookie besides, which leads it back to the session until somebody signs out there. The cookie opens
/// nothing: who knows a session's id sees it and acts in it, and operators look at its timeline.
extension RidesApplication {
    /// The application at `/rides`, and the routes by which browsers send its forms.
    @ServerBuilder
    public func parts(_ people: People<UserSession>) -> [ServerPart] {
        people.parts
        people.signIn(at: "/rides/sign-in") { request in
            let texts: Credentials = try request.decode()
            let form = SignInAction.submitted(email: texts.email, password: texts.password)
            return try await letIn(by: .signIn(form), request)
        }
        people.signIn(at: "/rides/sign-up") { request in
            let user: UserProfile = try request.decode()
            let texts: Credentials = try request.decode()
            let form = SignUpAction.submitted(
                fullName: user.fullName, nickname: user.nickname, email: user.email,
                mobileNumber: user.mobileNumber, password: texts.password)
            return try await letIn(by: .signUp(form), request)
        }
        people.signOut(at: "/rides/sign-out")
        people.me(at: "/rides/me")
        served(at: "/rides")
    }

    private struct Wish: Decodable { let session: String }

    /// Sends a form to the session that a request names, and waits for its answer.
    ///
    /// - Returns: whom the session has let in, under its id: the cookie leads to nothing else, and who sends
    ///   the form knows that.
    private func letIn(
        by form: RidesAction, _ request: RouteRequest
    ) async throws -> People<UserSession>.Person {
        let wish: Wish = try request.decode()
        let session = try request.sessions.session(wish.session, of: Self.self)
        try await session.dispatch(form)
        let answers = session.values { $0.isFormBusy ? nil : $0.authentication }
        for try await case let answer? in answers {
            guard let user = answer.user else { throw Rejection.notLetIn }
            return .init(
                session.id.description, name: user.fullName, roles: ["act", "observe"])
        }
        throw CancellationError()
    }
}

extension Rejection {
    fileprivate static let notLetIn = Rejection(
        "not-let-in", "Nobody was signed in: the session says why.", kind: .forbidden)
}

/// The user session outlives the session: it is read at launch, saved on sign-in, deleted on
/// sign-out.
extension RidesApplication {
    /// The person who was signed in when the session was here before, if one was.
    func readUserSession(_: Done, _ context: Context) async throws -> UserProfile? {
        do {
            return try await userSessions.load(context.session.description)?.user
        } catch {
            throw Problem(
                "user-session-not-read",
                "Nobody knows whether you were signed in. Sign in again.")
        }
    }

    func deleteUserSession(_: Done, _ context: Context) async throws {
        do {
            try await userSessions.delete(context.session.description)
        } catch {
            throw Problem(
                "user-session-not-forgotten",
                "The server still keeps who you were. Sign in and out again to be sure.")
        }
    }

    func signIn(_ credentials: Credentials, _ context: Context) async throws -> Admission {
        try await admit(credentials.password, context) { upstream in
            try await upstream.login(credentials.email, credentials.password)
        }
    }

    func signUp(_ account: NewAccount, _ context: Context) async throws -> Admission {
        try await admit(account.password, context) { upstream in
            try await upstream.signUp(account.user, account.password)
        }
    }

    /// Asks for a user session and saves it before it answers, so that its token is in no state.
    private func admit(
        _ password: Secret<String>, _ context: Context,
        _ question: (RidesUpstream) async throws -> UserSession
    ) async throws -> Admission {
        // A state that was written and read again holds this in place of a password.
        guard password.value != Secret<String>.redacted else { throw Problem.interrupted }
        let userSession = try await ask(context, question) { error in
            switch (error as? UpstreamError)?.status {
            case 401:
                Problem("wrong-credentials", "The e-mail address or the password is wrong.")
            case 409:
                Problem("account-exists", "This e-mail address has an account already.")
            default: nil
            }
        }
        return Admission(user: userSession.user, problem: try await save(userSession, context))
    }

    /// Saves in three tries, and returns the problem that is left after the last one.
    private func save(_ userSession: UserSession, _ context: Context) async throws -> Problem? {
        for pause in [Duration.milliseconds(100), .milliseconds(200), nil] {
            // A form that was left lets nobody in.
            try Task.checkCancellation()
            do {
                try await userSessions.save(userSession, context.session.description)
                return nil
            } catch {
                if let pause { try await context.sleep(for: pause) }
            }
        }
        return Problem(
            "user-session-not-kept", "You will have to sign in again next time.")
    }
}
