import Rides
import Statecast
import Testing

@Suite struct `The Rides reducer` {
    private static let application = RidesApplication(
        upstream: .silent, userSessions: .inMemory())

    private static let user = UserProfile(
        fullName: "Rosa Lindqvist", nickname: "Rosa", email: "rosa@example.com",
        mobileNumber: "1")
    private static let here = Coordinate(latitude: 59, longitude: 18)
    private static let place = Place(
        id: "p1", name: "Market", address: "Ropewalk 12", coordinate: here)
    private static let error = ErrorMessage(id: "x1", title: "No", message: "Not now.")

    /// A step, given by an action or a fact.
    private enum Step {
        case action(RidesAction)
        case fact(RidesFact)
    }

    /// States along the way of a ride, and beside it.
    static let states: [RidesState] = {
        let steps: [Step] = [
            .fact(.launch(.finished(user: nil))), .action(.welcome(.signInChosen)),
            .action(.signIn(.submitted(email: "a", password: Secret("b")))),
            .fact(.signIn(.succeeded(user: user))),
            .fact(.location(.found(coordinate: here))), .action(.ride(.destinationTapped)),
            .fact(.dropoff(.found(search: 1, places: [place]))),
            .action(.dropoff(.chosen(placeID: "p1"))),
        ]
        var states = [RidesState.launching(Launching())]
        for step in steps {
            guard var state = states.last else { break }
            switch step {
            case .action(let action): try? application.reduce(&state, action: action)
            case .fact(let fact): try? application.reduce(&state, fact: fact)
            }
            states.append(state)
        }
        var failed = states[3]
        try? application.reduce(&failed, fact: .signIn(.failed(error: error)))
        return states + [failed, .running(.onboarding(.signingUp(Form())))]
    }()

    static let actions: [RidesAction] = [
        .launch(.errorAcknowledged(id: "x1")), .launch(.retried), .welcome(.signInChosen),
        .welcome(.signUpChosen), .onboarding(.wentBack),
        .signIn(.submitted(email: "a", password: Secret("b"))),
        .signIn(.submitted(email: "", password: Secret(""))),
        .signIn(.errorAcknowledged(id: "x1")),
        .signUp(
            .submitted(
                fullName: "a", nickname: "b", email: "c", mobileNumber: "d",
                password: Secret("e"))),
        .signUp(.errorAcknowledged(id: "x1")), .profile(.opened), .profile(.closed),
        .profile(.errorAcknowledged(id: "x1")), .signedOut, .ride(.destinationTapped),
        .ride(.destinationCancelled), .ride(.confirmed), .ride(.finished), .ride(.startedAgain),
        .ride(.errorAcknowledged(id: "x1")), .ride(.retried), .dropoff(.queryEdited(text: "x")),
        .dropoff(.chosen(placeID: "p1")), .dropoff(.errorAcknowledged(id: "x1")),
        .dropoff(.retried), .option(.chosen(optionID: "o1")),
        .option(.errorAcknowledged(id: "x1")), .option(.retried),
    ]

    @Test(arguments: states.indices)
    func `answers every action in every state lawfully`(index: Int) {
        for action in Self.actions {
            var state = Self.states[index]
            do throws(Rejection) {
                try Self.application.reduce(&state, action: action)
            } catch {
                #expect(!error.code.isEmpty)
                #expect(error.kind == .conflict || error.code == "missing-field")
            }
        }
    }

    @Test func `walks every step of a ride`() {
        #expect(
            Self.states.prefix(9).map(\.screenName) == [
                "launching", "welcome", "sign-in", "sign-in", "locating", "map", "dropoff",
                "dropoff", "option",
            ])
    }

    @Test func `locks a form until its error is acknowledged, once or twice`() throws {
        var state = Self.states[9]
        #expect(throws: Rejection.self) {
            try Self.application.reduce(
                &state, action: .signIn(.submitted(email: "a", password: Secret("b"))))
        }
        try Self.application.reduce(&state, action: .signIn(.errorAcknowledged(id: "x1")))
        let open = state
        try Self.application.reduce(&state, action: .signIn(.errorAcknowledged(id: "x1")))
        #expect(state == open)
        #expect(state == .running(.onboarding(.signingIn(Form()))))
    }

    @Test func `ignores what comes after signing out`() throws {
        var state = Self.states[4]
        try Self.application.reduce(&state, action: .signedOut)
        let welcome = state
        try Self.application.reduce(&state, fact: .location(.found(coordinate: Self.here)))
        try Self.application.reduce(&state, fact: .signIn(.succeeded(user: Self.user)))
        #expect(state == welcome)
    }
}

extension RidesUpstream {
    /// An outside API that never answers.
    static var silent: RidesUpstream {
        RidesUpstream(
            login: { _, _ in throw CancellationError() },
            signUp: { _, _ in throw CancellationError() },
            location: { throw CancellationError() }, places: { _ in throw CancellationError() },
            options: { _ in throw CancellationError() },
            order: { _, _ in throw CancellationError() })
    }
}
