import Rides
import Statecast
import StatecastTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The effects of Rides` {
    typealias Run = ApplicationRun<RidesApplication>

    /// A run whose calls to the outside API wait at doors, each of its name.
    private func run(
        _ doors: Doors, _ sessions: ScriptedUserSessions = .init(kept: RidesWorld.saved)
    ) throws -> Run {
        Run(
            RidesApplication(
                upstream: try .answering { await doors.wait(at: $0) },
                userSessions: sessions.store),
            session: try #require(SessionID("run")))
    }

    /// Opens a door once somebody waits there, and takes what follows.
    private func pass(_ door: String, _ doors: Doors, _ run: Run, to screen: String) async {
        await doors.arrival(at: door)
        await doors.open(door)
        await run.receive { $0.screenName == screen }
    }

    @Test func `count the latest of two searches that are answered in reverse order`()
        async throws
    {
        let doors = Doors()
        let run = try run(doors)
        await run.receive { $0.screenName == "locating" }
        await pass("location", doors, run, to: "map")
        run.send(.ride(.destinationTapped))
        await doors.arrival(at: "places:")
        run.send(.dropoff(.queryEdited(text: "pier")))
        await doors.arrival(at: "places:pier")

        await doors.open("places:pier")
        await run.receive { Self.results($0) == ["pier"] }
        let answered = run.state
        await doors.open("places:")
        await run.receiveReport(where: {
            if case .fact(.dropoff(.found(1, _))) = $0 { true } else { false }
        })
        #expect(run.state == answered)
    }

    /// A door at which somebody who is signed in is left waiting.
    enum Leaving: String, CaseIterable, Sendable {
        case location, places = "places:", options, order

        /// Whether this is what comes through the door.
        func brings(_ input: RidesApplication.Input) -> Bool {
            switch (self, input) {
            case (.location, .fact(.location(.found))), (.places, .fact(.dropoff(.found))),
                (.options, .fact(.option(.loaded))), (.order, .fact(.ride(.accepted))):
                true
            default: false
            }
        }
    }

    @Test(arguments: Leaving.allCases)
    func `bring nothing after the person has signed out`(leaving: Leaving) async throws {
        let doors = Doors()
        let run = try run(doors)
        await run.receive { $0.screenName == "locating" }
        if leaving != .location {
            await pass("location", doors, run, to: "map")
            run.send(.ride(.destinationTapped))
        }
        if [.options, .order].contains(leaving) {
            await doors.arrival(at: "places:")
            await doors.open("places:")
            await run.receive { Self.results($0) == ["p1"] }
            run.send(.dropoff(.chosen(placeID: "p1")))
        }
        if leaving == .order {
            await doors.arrival(at: "options")
            await doors.open("options")
            await run.receive { _ in run.send(.option(.chosen(optionID: "o1"))) }
            run.send(.ride(.confirmed))
        }
        await doors.arrival(at: leaving.rawValue)
        run.send(.signedOut)
        let welcome = run.state
        #expect(welcome.screenName == "welcome")
        #expect(run.store.runningEffects.map(\.name) == ["user-session"])
        await doors.open(leaving.rawValue)
        await run.receiveReport(where: leaving.brings)
        while !run.store.isIdle { await run.receive() }
        #expect(run.state == welcome)
    }

    @Test(arguments: ["login", "sign-up"])
    func `bring nothing after the person went back from a form`(door: String) async throws {
        let doors = Doors()
        let sessions = ScriptedUserSessions()
        let run = try run(doors, sessions)
        await run.receive { $0.screenName == "welcome" }
        run.send(.welcome(door == "login" ? .signInChosen : .signUpChosen))
        run.send(door == "login" ? RidesWorld.signIn : RidesWorld.signUp)
        await doors.arrival(at: door)
        run.send(.onboarding(.wentBack))
        await doors.open(door)
        // Of reading the saved user session, and of the form.
        await run.receiveEnd()
        await run.receiveEnd()
        #expect(run.state.screenName == "welcome")
        #expect(run.store.isIdle)
        #expect(await sessions.saves == 0)
    }

    @Test func `happen once, however many watch`() async throws {
        let doors = Doors()
        let upstream = try RidesUpstream.answering { await doors.wait(at: $0) }
        let sessions = ScriptedUserSessions(kept: RidesWorld.saved)
        try await TestServer.run(serving: {
            Served(
                "/rides", RidesApplication(upstream: upstream, userSessions: sessions.store))
        }) { server in
            try server.create("/rides/sessions/many")
            let watchers = try (0..<10).map { _ in try server.events("/rides/sessions/many") }
            for watcher in watchers { #expect(try watcher.next() != nil) }
            await doors.arrival(at: "location")
            await doors.open("location")
            for watcher in watchers {
                while let event = try watcher.next(), !event.data.contains("requesting") {}
            }
            #expect(await doors.count == 1)
        }
    }

    private static func results(_ state: RidesState) -> [String] {
        guard case .running(.signedIn(let signedIn)) = state,
            case .requesting(let request) = signedIn.ride,
            case .choosingDropoff(let picker) = request.step
        else { return [] }
        return picker.results.map(\.id)
    }
}
