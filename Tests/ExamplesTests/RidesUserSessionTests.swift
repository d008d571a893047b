import Foundation
import HTTPClient
@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

@Suite struct `The saved user session of Rides` {
    typealias Ride = TestStore<RidesState, RidesAction>

    private func store(_ sessions: ScriptedUserSessions) throws -> Ride {
        let store = TestStore(
            RidesApplication(upstream: try .answering(), userSessions: sessions.store),
            exhaustivity: .nonExhaustive)
        goOn(store)
        return store
    }

    /// From the welcome page to the map.
    private func signIn(_ store: Ride) {
        store.send(.welcome(.signInChosen))
        store.send(RidesWorld.signIn)
        goOn(store)
    }

    @Test func `signs in at launch, and is not saved again`() async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved)
        let store = try store(sessions)
        #expect(store.state.screenName == "map")
        #expect(store.state.authentication.user == RidesWorld.user)
        #expect(await sessions.saves == 0)
        store.restart()
    }

    @Test func `is saved on signing in and deleted on signing out`() async throws {
        let sessions = ScriptedUserSessions()
        let store = try store(sessions)
        #expect(store.state.screenName == "welcome")
        signIn(store)
        #expect(store.state.screenName == "map")
        #expect(await sessions.kept == RidesWorld.saved)
        store.send(.signedOut)
        goOn(store)
        #expect(await sessions.kept == nil)
        #expect(await sessions.deletions == 1)
        store.restart()
    }

    @Test func `shows that it cannot be read, and saves later sign-ins all the same`() async throws
    {
        let sessions = ScriptedUserSessions(loads: 3)
        let store = try store(sessions)
        #expect(store.state.screenName == "launching")
        let error = try #require(Self.errors(store.state).first)
        store.send(.launch(.errorAcknowledged(id: error.id)))
        #expect(store.state.screenName == "welcome")
        signIn(store)
        #expect(await sessions.kept == RidesWorld.saved)
        store.restart()
    }

    @Test func `is read again when the person asks for it`() async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved, loads: 3)
        let store = try store(sessions)
        #expect(Self.errors(store.state).count == 1)
        store.send(.launch(.retried))
        goOn(store)
        #expect(store.state.screenName == "map")
        #expect(await sessions.loads == 4)
        store.restart()
    }

    @Test func `shows that it could not be saved`() throws {
        let store = try store(ScriptedUserSessions(saves: 3))
        signIn(store)
        #expect(store.state.screenName == "map")
        #expect(Self.errors(store.state).map(\.title) == ["Not kept"])
        store.restart()
    }

    @Test func `is deleted at the third try, in silence`() async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved, deletions: 2)
        let store = try store(sessions)
        store.send(.signedOut)
        goOn(store)
        #expect(await sessions.deletions == 3)
        #expect(await sessions.kept == nil)
        #expect(Self.errors(store.state).isEmpty)
        store.restart()
    }

    /// Where the person may be when the deletion has failed for good.
    enum Page: CaseIterable, Sendable {
        case welcome, signIn, signUp
    }

    @Test(arguments: Page.allCases)
    func `shows on any page that it could not be deleted in three tries`(page: Page) async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved, deletions: 3)
        let store = try store(sessions)
        store.send(.signedOut)
        if page != .welcome {
            store.send(.welcome(page == .signIn ? .signInChosen : .signUpChosen))
        }
        goOn(store)
        #expect(await sessions.deletions == 3)
        let error = try #require(Self.errors(store.state).first)
        #expect(error.title == "Not forgotten")
        let acknowledged: RidesAction =
            switch page {
            case .welcome: .welcome(.errorAcknowledged(id: error.id))
            case .signIn: .signIn(.errorAcknowledged(id: error.id))
            case .signUp: .signUp(.errorAcknowledged(id: error.id))
            }
        store.send(acknowledged)
        #expect(Self.errors(store.state).isEmpty)
        let before = store.state
        store.send(acknowledged)
        #expect(store.state == before)
        store.restart()
    }

    @Test func `is deleted before anybody else is let in, and saved after that`() async {
        let stage = RidesStage(ScriptedUserSessions(kept: RidesWorld.saved, deletions: 1))
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.skipReceived()
        store.send(.signedOut)
        store.send(.welcome(.signInChosen))
        store.send(RidesWorld.signIn)
        #expect(stage.running == ["user-session"])
        #expect(stage.logins.asked == [])
        store.advance(by: .milliseconds(100))
        store.skipReceived()
        #expect(await stage.sessions.deletions == 2)
        #expect(await stage.sessions.kept == nil)
        #expect(stage.running == ["sign-in"])
        stage.logins.succeed("rosa@example.com", with: RidesWorld.saved)
        store.skipReceived()
        #expect(await stage.sessions.kept == RidesWorld.saved)
        store.restart()
        #expect(stage.running == ["locate"] && stage.locations.waiting == [""])
    }

    @Test func `is gone with a session that somebody ended: its id is nobody's`() async throws {
        let (upstream, people) = (try RidesUpstream.answering(), People<UserSession>())
        let application = RidesApplication(upstream: upstream, userSessions: .init(people))
        var configuration = TestServer.configuration
        configuration.sessionLimits.endedCount = 0
        try await TestServer.run(
            configuration,
            serving: {
                people.parts
                application.served(at: "/rides")
            }
        ) { server in
            let session = "/rides/sessions/me"
            try Self.signIn(session, on: server)
            #expect(people["me"]?.details == RidesWorld.saved)
            #expect(try server.send("DELETE", session).status == 204)
            #expect(people.all.isEmpty)
            try server.create(session)
            let events = try server.events(session)
            var seen = ""
            while !seen.contains("running"), let event = try events.next() { seen += event.data }
            #expect(!seen.contains("Rosa Lindqvist"))
            #expect(seen.contains("welcoming"))
        }
    }

    /// Serves Rides with its routes, its session at the form to sign in.
    private static func serve(
        _ upstream: RidesUpstream, _ people: People<UserSession>,
        _ body: @Sendable (TestServer) throws -> Void
    ) async throws {
        let application = RidesApplication(upstream: upstream, userSessions: .init(people))
        try await TestServer.run(serving: { application.parts(people) }) { server in
            try server.create("/rides/sessions/me")
            let events = try server.events("/rides/sessions/me")
            while let event = try events.next(), !event.data.contains("welcoming") {}
            try server.dispatch("/rides/sessions/me", "welcome/signInChosen")
            try body(server)
        }
    }

    private static func post(
        _ path: String, _ body: String, on server: TestServer
    ) throws -> TestAnswer {
        try server.send("POST", path, fields: ["Content-Type": "application/json"], body: body)
    }

    private static func form(password: String = "open-sesame") -> String {
        #"{"session":"me","email":"rosa@example.com","password":"\#(password)"}"#
    }

    @Test func `has a cookie that leads a browser to its session until somebody signs out there`()
        async throws
    {
        let people = People<UserSession>(cookie: "rides")
        try await Self.serve(.answering(), people) { server in
            let empty = try Self.post("/rides/sign-in", Self.form(password: " "), on: server)
            #expect(empty.status == 422 && empty.fields["set-cookie"] == nil)
            #expect(empty.body.contains(#""pointer":"/password""#))
            let answer = try Self.post("/rides/sign-in", Self.form(), on: server)
            #expect(answer.body == #"{"id":"me","name":"Rosa Lindqvist"}"#)
            let cookie = try #require(answer.fields["set-cookie"]?.prefix { $0 != ";" })
            let rosa = ["Cookie": String(cookie)]
            #expect(try server.send("GET", "/rides/me", fields: rosa).body == answer.body)
            #expect(people["me"]?.details == RidesWorld.saved)
            let state = try server.send("GET", "/rides/sessions/me/state").body
            #expect(state.contains("signedIn") && !state.contains("token-of-rosa"))
            try server.dispatch("/rides/sessions/me", "signedOut", query: "?settle=20")
            #expect(try server.send("GET", "/rides/me", fields: rosa).status == 401)
            #expect(people.all.isEmpty)
            let out = try server.send("POST", "/rides/sign-out", fields: rosa)
            #expect(out.status == 204 && out.fields["set-cookie"]?.contains("Max-Age=0") == true)
            let late = try Self.post("/rides/sign-in", Self.form(), on: server)
            #expect(late.status == 409 && late.problem == "not-signing-in")
        }
    }

    @Test func `has no cookie where nobody was let in`() async throws {
        let people = People<UserSession>(cookie: "rides")
        let upstream = try RidesUpstream.answering { _ in throw UpstreamError(status: 401) }
        try await Self.serve(upstream, people) { server in
            let answer = try Self.post("/rides/sign-in", Self.form(), on: server)
            #expect(answer.status == 403 && answer.problem == "not-let-in")
            #expect(answer.fields["set-cookie"] == nil && people.all.isEmpty)
            let state = try server.send("GET", "/rides/sessions/me/state").body
            #expect(state.contains("The e-mail address or the password is wrong."))
            let other = Self.form().replacing(#""me""#, with: #""nobody""#)
            let absent = try Self.post("/rides/sign-in", other, on: server)
            #expect(absent.status == 404 && absent.problem == "session-not-found")
            #expect(try server.send("DELETE", "/rides/sessions/me").status == 204)
            let ended = try Self.post("/rides/sign-in", Self.form(), on: server)
            #expect(ended.status == 410 && ended.problem == "session-ended")
            #expect(absent.fields["set-cookie"] == nil && ended.fields["set-cookie"] == nil)
        }
    }

    @Test func `is gone also where its session is not awake`() async throws {
        let sessions = UserSessions(People())
        try await sessions.save(RidesWorld.saved, "me")
        let application = RidesApplication(
            upstream: try .answering(), userSessions: sessions)
        try await TestServer.run(serving: { application.served(at: "/rides") }) { server in
            #expect(try server.send("DELETE", "/rides/sessions/me").status == 404)
            try server.create("/rides/sessions/me")
        }
        #expect(try await sessions.load("me") == nil)
    }

    /// Makes a session and signs in, until the person's ride is shown.
    private static func signIn(_ session: String, on server: TestServer) throws {
        try server.create(session)
        let events = try server.events(session)
        while let event = try events.next(), !event.data.contains("welcoming") {}
        try server.dispatch(session, "welcome/signInChosen")
        try server.dispatch(
            session, "signIn/submitted",
            #"{"email":"rosa@example.com","password":"open-sesame"}"#, query: "?settle=20")
        while let event = try events.next(), !event.data.contains("Rosa Lindqvist") {}
    }

    private func goOn(_ store: Ride) {
        store.run()
        store.skipReceived()
    }

    private static func errors(_ state: RidesState) -> [ErrorMessage] {
        switch state {
        case .launching(let launching): launching.errors
        case .running(.onboarding(.welcoming(let welcome))): welcome.errors
        case .running(.onboarding(.signingIn(let form))): form.errors
        case .running(.onboarding(.signingUp(let form))): form.errors
        case .running(.signedIn(let signedIn)): signedIn.profileErrors
        }
    }
}
