import Rides
import Statecast
import StatecastTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The saved user session of Rides` {
    typealias Run = ApplicationRun<RidesApplication>

    private func run(_ sessions: ScriptedUserSessions) throws -> Run {
        Run(
            RidesApplication(upstream: try .answering(), userSessions: sessions.store),
            session: try #require(SessionID("run")))
    }

    /// From the welcome page to the map.
    private func signIn(_ run: Run) async {
        run.send(.welcome(.signInChosen))
        run.send(RidesWorld.signIn)
        await run.receive { $0.screenName == "map" }
    }

    @Test func `signs in at launch, and is not saved again`() async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved)
        let run = try run(sessions)
        await run.receive { $0.screenName == "map" }
        #expect(run.state.authentication.user == RidesWorld.user)
        #expect(await sessions.saves == 0)
    }

    @Test func `is saved on signing in and deleted on signing out`() async throws {
        let sessions = ScriptedUserSessions()
        let run = try run(sessions)
        await run.receive { $0.screenName == "welcome" }
        await signIn(run)
        while !run.store.isIdle { await run.receive() }
        #expect(await sessions.kept == RidesWorld.saved)
        run.send(.signedOut)
        while !run.store.isIdle { await run.receive() }
        #expect(await sessions.kept == nil)
        #expect(await sessions.deletions == 1)
    }

    @Test func `shows that it cannot be read, and saves later sign-ins all the same`()
        async throws
    {
        let sessions = ScriptedUserSessions(loads: 3)
        let run = try run(sessions)
        await run.receive { Self.errors($0).count == 1 }
        #expect(run.state.screenName == "launching")
        let id = try #require(Self.errors(run.state).first?.id)
        run.send(.launch(.errorAcknowledged(id: id)))
        #expect(run.state.screenName == "welcome")
        await signIn(run)
        while !run.store.isIdle { await run.receive() }
        #expect(await sessions.kept == RidesWorld.saved)
    }

    @Test func `is read again when the person asks for it`() async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved, loads: 3)
        let run = try run(sessions)
        await run.receive { Self.errors($0).count == 1 }
        run.send(.launch(.retried))
        await run.receive { $0.screenName == "map" }
        #expect(await sessions.loads == 4)
    }

    @Test func `shows that it could not be saved`() async throws {
        let run = try run(ScriptedUserSessions(saves: 3))
        await run.receive { $0.screenName == "welcome" }
        await signIn(run)
        await run.receive { Self.errors($0).count == 1 }
        #expect(Self.errors(run.state).first?.title == "Not kept")
    }

    @Test func `is deleted at the third try, in silence`() async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved, deletions: 2)
        let run = try run(sessions)
        await run.receive { $0.screenName == "map" }
        run.send(.signedOut)
        while !run.store.isIdle { await run.receive() }
        #expect(await sessions.kept == nil)
        #expect(Self.errors(run.state).isEmpty)
    }

    /// Where the person may be when the deletion has failed for good.
    enum Page: CaseIterable, Sendable {
        case welcome, signIn, signUp
    }

    @Test(arguments: Page.allCases)
    func `shows on any page that it could not be deleted in three tries`(page: Page) async throws {
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved, deletions: 3)
        let run = try run(sessions)
        await run.receive { $0.screenName == "map" }
        run.send(.signedOut)
        if page != .welcome {
            run.send(.welcome(page == .signIn ? .signInChosen : .signUpChosen))
        }
        while !run.store.isIdle { await run.receive() }
        #expect(await sessions.deletions == 3)
        let error = try #require(Self.errors(run.state).first)
        #expect(error.title == "Not forgotten")
        let acknowledged: RidesAction =
            switch page {
            case .welcome: .welcome(.errorAcknowledged(id: error.id))
            case .signIn: .signIn(.errorAcknowledged(id: error.id))
            case .signUp: .signUp(.errorAcknowledged(id: error.id))
            }
        #expect(run.send(acknowledged))
        #expect(!run.send(acknowledged))
        #expect(Self.errors(run.state).isEmpty)
    }

    @Test func `is restored by a server that was started anew`() async throws {
        let sessions = ScriptedUserSessions()
        let application = RidesApplication(
            upstream: try .answering(), userSessions: sessions.store)
        for isFirst in [true, false] {
            try await TestServer.run(serving: { Served("/rides", application) }) { server in
                try server.create("/rides/sessions/rosa")
                let events = try server.events("/rides/sessions/rosa")
                if isFirst {
                    while let event = try events.next(), !event.data.contains("welcoming") {}
                    try server.dispatch("/rides/sessions/rosa", "welcome/signInChosen")
                    try server.dispatch(
                        "/rides/sessions/rosa", "signIn/submitted",
                        #"{"email":"rosa@example.com","password":"open-sesame"}"#)
                }
                var seen = ""
                while !seen.contains("requesting"), let event = try events.next() {
                    seen += event.data
                }
                #expect(seen.contains("Rosa Lindqvist"))
                #expect(!seen.contains("open-sesame") && !seen.contains("token-of-rosa"))
            }
        }
        #expect(await sessions.saves == 1)
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
