import Rides
import Statecast
import Testing

@Suite struct `The Rides reducer` {
    typealias World = RidesWorld
    private static let application = RidesApplication(
        upstream: .silent, userSessions: .inMemory())

    /// The state that actions and facts lead to; a refused one is none. Errors get the id `test-1`.
    static func walk(_ actions: [RidesAction], from start: RidesState) -> RidesState {
        var state = start
        for action in actions {
            try? application.reduce(&state, action, .test())
        }
        return state
    }

    /// Every screen, in the order of a ride.
    static let way: [RidesState] = {
        let options = [try? World.option("o1")].compactMap(\.self)
        let actions: [RidesAction] = [
            .fact(.launch(.finished(user: nil))), .welcome(.signInChosen), World.signIn,
            .fact(.signIn(.succeeded(user: World.user, token: World.saved.token))),
            .fact(.location(.found(coordinate: World.here))), .ride(.destinationTapped),
            .fact(.dropoff(.found(search: 1, places: [World.place]))),
            .dropoff(.chosen(placeID: "p1")),
            .fact(.option(.loaded(request: 2, options: options))),
            .option(.chosen(optionID: "o1")), .ride(.confirmed), .fact(.ride(.accepted)),
            .fact(.ride(.settled)),
        ]
        return actions.reduce(into: [.launching(Launching())]) { states, action in
            states.append(walk([action], from: states[states.count - 1]))
        }
    }()

    /// Every place that an error is shown at, with that error.
    static let failed: [RidesState] = {
        let error = World.error
        let signUp = walk([.welcome(.signUpChosen)], from: way[1])
        let lost = RidesAction.fact(.userSession(.failed(error: error)))
        return [
            walk([.fact(.launch(.failed(error: error)))], from: way[0]),
            walk([lost], from: way[1]), walk([lost], from: way[2]), walk([lost], from: signUp),
            walk([.fact(.signIn(.failed(error: error)))], from: way[3]),
            walk([World.signUp, .fact(.signUp(.failed(error: error)))], from: signUp),
            walk([lost], from: way[5]),
            walk([.fact(.location(.failed(error: error)))], from: way[4]),
            walk([.fact(.dropoff(.failed(search: 1, error: error)))], from: way[6]),
            walk([.fact(.option(.failed(request: 2, error: error)))], from: way[8]),
            walk([.fact(.ride(.failed(error: error)))], from: way[11]),
        ]
    }()

    static let states =
        way + failed
        + [
            .running(.onboarding(.signingUp(Form()))),
            walk([.profile(.opened)], from: way[10]),
            walk([.dropoff(.queryEdited(text: "x"))], from: way[7]),
        ]

    static let acknowledgements: [RidesAction] = [
        .launch(.errorAcknowledged(id: "test-1")), .welcome(.errorAcknowledged(id: "test-1")),
        .signIn(.errorAcknowledged(id: "test-1")), .signUp(.errorAcknowledged(id: "test-1")),
        .profile(.errorAcknowledged(id: "test-1")), .ride(.errorAcknowledged(id: "test-1")),
        .dropoff(.errorAcknowledged(id: "test-1")), .option(.errorAcknowledged(id: "test-1")),
    ]

    static let actions: [RidesAction] =
        acknowledgements + [
            .launch(.retried), .welcome(.signInChosen), .welcome(.signUpChosen),
            .onboarding(.wentBack), World.signIn,
            .signIn(.submitted(email: "", password: Secret(""))), World.signUp,
            .profile(.opened), .profile(.closed), .signedOut, .ride(.destinationTapped),
            .ride(.destinationCancelled), .ride(.confirmed), .ride(.finished),
            .ride(.startedAgain), .ride(.retried), .dropoff(.queryEdited(text: "x")),
            .dropoff(.queryEdited(text: String(repeating: "x", count: 257))),
            .dropoff(.chosen(placeID: "p1")), .dropoff(.chosen(placeID: "p2")),
            .dropoff(.retried), .option(.chosen(optionID: "o1")),
            .option(.chosen(optionID: "o2")), .option(.retried),
        ]

    @Test func `walks every screen of a ride`() {
        #expect(
            Self.way.map(\.screenName) == [
                "launching", "welcome", "sign-in", "sign-in", "locating", "map", "dropoff",
                "dropoff", "option", "option", "option", "option", "final", "waiting",
            ])
        #expect(Set(Self.states.map(\.screenName)).count == 10)
    }

    @Test(arguments: states.indices)
    func `answers every action in every state lawfully`(index: Int) {
        for action in Self.actions {
            let before = Self.states[index]
            var state = before
            do throws(Rejection) {
                try Self.application.reduce(&state, action, .test())
            } catch {
                #expect(!error.code.isEmpty && !error.message.isEmpty)
                #expect(
                    error.kind == .conflict
                        || ["missing-field", "text-too-long"].contains(error.code))
            }
        }
    }

    @Test(arguments: states.indices)
    func `takes every fact in every state, late ones without effect`(index: Int) throws {
        let user = World.user
        let error = World.error
        let late: [RidesFact] = [
            .launch(.finished(user: user)), .launch(.failed(error: error)),
            .signIn(.succeeded(user: user, token: World.saved.token)),
            .signIn(.failed(error: error)),
            .signUp(.succeeded(user: user, token: World.saved.token)),
            .signUp(.failed(error: error)),
            .location(.found(coordinate: World.here)), .location(.failed(error: error)),
            .dropoff(.found(search: 99, places: [])),
            .dropoff(.failed(search: 99, error: error)),
            .option(.loaded(request: 99, options: [])),
            .option(.failed(request: 99, error: error)), .ride(.accepted),
            .ride(.failed(error: error)), .ride(.settled),
        ]
        let welcome = Self.way[1]
        for fact in late {
            var state = Self.states[index]
            try Self.application.reduce(&state, .fact(fact), .test())
            let idle = Self.walk([.fact(fact)], from: welcome)
            #expect(idle == welcome, "\(fact) changes the welcome page")
        }
    }

    @Test(arguments: failed.indices)
    func `acknowledges an error once; twice, or an unknown one, changes nothing`(
        index: Int
    ) throws {
        let before = Self.failed[index]
        #expect(Self.errorCount(before) == 1)
        var changes = 0
        for acknowledgement in Self.acknowledgements {
            let after = Self.walk([acknowledgement], from: before)
            guard after != before else { continue }
            changes += 1
            #expect(Self.errorCount(after) == 0)
            for again in Self.acknowledgements {
                var twice = after
                try Self.application.reduce(&twice, again, .test())
                #expect(twice == after)
            }
        }
        #expect(changes == 1, "one page acknowledges it, and no other")
    }

    @Test func `locks a form until its error is acknowledged`() throws {
        var state = Self.failed[4]
        #expect(throws: Rejection.self) {
            try Self.application.reduce(&state, World.signIn, .test())
        }
        try Self.application.reduce(&state, .signIn(.errorAcknowledged(id: "test-1")), .test())
        #expect(state == .running(.onboarding(.signingIn(Form()))))
    }

    @Test func `counts only the latest search, found or failed`() throws {
        var state = Self.walk([.dropoff(.queryEdited(text: "x"))], from: Self.way[6])
        let before = state
        try Self.application.reduce(
            &state, .fact(.dropoff(.found(search: 1, places: [World.place]))), .test())
        try Self.application.reduce(
            &state, .fact(.dropoff(.failed(search: 1, error: World.error))), .test())
        #expect(state == before)
        try Self.application.reduce(&state, .fact(.dropoff(.found(search: 2, places: []))), .test())
        #expect(state != before)
    }

    @Test func `keeps the newest ten errors of one place`() {
        let lost = RidesAction.fact(.userSession(.failed(error: World.error)))
        let state = Self.walk(Array(repeating: lost, count: 12), from: Self.way[1])
        #expect(Self.errorCount(state) == 10)
    }

    private static func errorCount(_ state: RidesState) -> Int {
        var bytes: [UInt8] = []
        try? StateEncoder().encode(state, into: &bytes)
        return String(decoding: bytes, as: UTF8.self).ranges(of: "\"title\":\"No\"").count
    }
}
