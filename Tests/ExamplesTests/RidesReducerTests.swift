@testable import Rides
@testable import RidesModel
import Statecast
import Testing

@Suite struct `The Rides reducer` {
    typealias World = RidesWorld
    private static let application = RidesApplication(
        upstream: .silent, userSessions: UserSessions(People()))

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
            .launch(.finished(.value(nil))), .welcome(.signInChosen), World.signIn,
            .signIn(.answered(.value(Admission(user: World.user)))),
            .ride(.located(.value(World.here))), .ride(.destinationTapped),
            .dropoff(.found(.value([World.place]))), .dropoff(.chosen(placeID: "p1")),
            .option(.loaded(.value(options))), .option(.chosen(optionID: "o1")),
            .ride(.confirmed), .ride(.ordered(.value(Done()))), .ride(.settled(.value(Done()))),
        ]
        return actions.reduce(into: [.launching(Attempt())]) { states, action in
            states.append(walk([action], from: states[states.count - 1]))
        }
    }()

    /// Every place that an error is shown at, with that error.
    static let failed: [RidesState] = {
        let problem = World.problem
        let left = walk([.signedOut], from: way[5])
        let signUp = walk([.welcome(.signUpChosen)], from: left)
        let lost = RidesAction.forgotten(.problem(problem))
        let unkept = Answer.value(Admission(user: World.user, problem: problem))
        return [
            walk([.launch(.finished(.problem(problem)))], from: way[0]),
            walk([lost], from: left), walk([.welcome(.signInChosen), lost], from: left),
            walk([lost], from: signUp),
            walk([.signIn(.answered(.problem(problem)))], from: way[3]),
            walk([World.signUp, .signUp(.answered(.problem(problem)))], from: signUp),
            walk([.signIn(.answered(unkept))], from: way[3]),
            walk([World.signUp, .signUp(.answered(unkept))], from: signUp),
            walk([.ride(.located(.problem(problem)))], from: way[4]),
            walk([.dropoff(.found(.problem(problem)))], from: way[6]),
            walk([.option(.loaded(.problem(problem)))], from: way[8]),
            walk([.ride(.ordered(.problem(problem)))], from: way[11]),
        ]
    }()

    static let states =
        way + failed
        + [
            .running(.onboarding(.signingUp(Form()))), walk([.signedOut], from: way[5]),
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
        let problem = World.problem
        let admission = Admission(user: World.user)
        let late: [RidesAction] = [
            .launch(.finished(.value(World.user))), .launch(.finished(.problem(problem))),
            .signIn(.answered(.value(admission))), .signIn(.answered(.problem(problem))),
            .signUp(.answered(.value(admission))), .signUp(.answered(.problem(problem))),
            .forgotten(.value(Done())), .forgotten(.problem(problem)),
            .ride(.located(.value(World.here))), .ride(.located(.problem(problem))),
            .dropoff(.found(.value([]))), .dropoff(.found(.problem(problem))),
            .option(.loaded(.value([]))), .option(.loaded(.problem(problem))),
            .ride(.ordered(.value(Done()))), .ride(.ordered(.problem(problem))),
            .ride(.settled(.value(Done()))),
        ]
        let welcome = Self.way[1]
        for fact in late {
            var state = Self.states[index]
            try Self.application.reduce(&state, fact, .test())
            let idle = Self.walk([fact], from: welcome)
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

    @Test func `counts only an answer that is awaited, found or failed`() throws {
        let answers: [Answer<[Place]>] = [.value([]), .problem(World.problem)]
        for answer in answers {
            let answered = Self.walk([.dropoff(.found(answer))], from: Self.way[6])
            #expect(answered != Self.way[6])
            for late in answers {
                #expect(Self.walk([.dropoff(.found(late))], from: answered) == answered)
            }
        }
    }

    @Test func `keeps the newest ten errors of one place`() {
        let failing: [RidesAction] = [
            .dropoff(.queryEdited(text: "x")), .dropoff(.found(.problem(World.problem))),
        ]
        let state = Self.walk((0..<12).flatMap { _ in failing }, from: Self.way[6])
        #expect(Self.errorCount(state) == 10)
    }

    @Test func `keeps no password once its answer came`() throws {
        for (form, answered) in [
            (Self.way[3], RidesAction.signIn(.answered(.problem(World.problem)))),
            (
                Self.walk([.welcome(.signUpChosen), World.signUp], from: Self.way[1]),
                .signUp(.answered(.problem(World.problem)))
            ),
        ] {
            let sent = try Self.json(form)
            #expect(sent.contains(#""busy":true"#) && sent.contains(Secret<String>.redacted))
            #expect(!sent.contains("open-sesame"))
            let after = try Self.json(Self.walk([answered], from: form))
            #expect(after.contains(#""busy":false"#) && !after.contains("submission"))
        }
    }

    private static func errorCount(_ state: RidesState) -> Int {
        let text = try? json(state)
        return text?.ranges(of: #""message":"\#(World.problem.message)""#).count ?? 0
    }

    private static func json(_ state: RidesState) throws -> String {
        var bytes: [UInt8] = []
        try StateEncoder().encode(state, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
