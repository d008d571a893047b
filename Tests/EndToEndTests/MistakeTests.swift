import Testing

/// A mistake in an application that the compiler finds.
struct Mistake: Sendable, CustomTestStringConvertible {
    /// The name of its file.
    let name: String
    /// The text of the application without a mistake that is another one here.
    let right: String
    let wrong: String
    /// The texts that the compiler's errors and notes hold: what is wrong, and what to write.
    let told: [String]

    var testDescription: String { name }

    /// The application with the mistake in it.
    var text: String {
        Self.application
            .replacing(right, with: wrong).replacing("Diary", with: name)
    }

    static let application = """
        import Statecast
        import StatecastTesting
        import Testing

        struct Diary: Application {
            struct State: StateValue { var text = "", answer = Loadable<String>.idle }
            enum Action: ActionGroup { case edited(text: String), answered(Answer<String>) }
            typealias Input = String

            let initialState = State()
            let ask: @Sendable (String) async throws -> String

            func start(
                _ state: inout State, with input: String?, _ step: Step
            ) throws(Rejection) {}

            func reduce(
                _ state: inout State, _ action: Action, _ step: Step
            ) throws(Rejection) {
                switch action {
                case .edited(let text): (state.text, state.answer) = (text, .loading(nil))
                case .answered(.value(let text)): state.answer = .loaded(text)
                case .answered(.problem(let problem)): state.answer = .failed(problem, nil)
                }
            }

            func work(in state: State) -> [Work<Action>] {
                if state.answer.isLoading { Work("ask", for: state.text, ask) { .answered($0) } }
            }

            var views: Views<State> { .all }

            static func tried() {
                _ = TestStore(Diary(ask: { $0 }), input: "Dear diary")
                RandomActions(Diary(ask: { $0 }), input: "Dear diary").check { _ in }
            }

            static func served() -> Served {
                Served(
                    "/diary", Diary(ask: { $0 }),
                    middleware: [Middleware("mail", effectsAfter: { _ in [] })])
            }
        }
        """

    /// Mistakes of which nothing was told while requirements had defaults, effects were asked for by
    /// action, and their failures could be left out.
    static let all = [
        Mistake(
            name: "WorkOfAnotherName", right: "work(in state", wrong: "work(for state",
            told: ["has different argument labels", "('work(in:)')"]),
        Mistake(
            name: "ViewForViews", right: "var views:", wrong: "var view:",
            told: ["does not conform to protocol 'Application'", "requires property 'views'"]),
        Mistake(
            name: "ReduceWithoutAStep", right: "_ action: Action, _ step: Step",
            wrong: "_ action: Action",
            told: ["does not conform to protocol 'Application'", "Step) throws(Rejection) -> ()"]),
        Mistake(
            name: "StartOfAnotherName", right: "with input: String?", wrong: "input: String?",
            told: [
                "does not conform to protocol 'Application'",
                "requires function 'start(_:with:_:)'",
            ]),
        Mistake(
            name: "MiddlewareOfAnotherName", right: "middleware: [", wrong: "middlewares: [",
            told: ["incorrect argument label", "expected '_:_:middleware:'"]),
        Mistake(
            name: "EffectsOfAnotherName", right: "effectsAfter:", wrong: "effectAfter:",
            told: ["incorrect argument label", "expected '_:effectsAfter:'"]),
        Mistake(
            name: "WorkWithoutAReport", right: "ask) { .answered($0) }", wrong: "ask)",
            told: ["missing argument for parameter 'then'"]),
        Mistake(
            name: "FailureForgotten",
            right: "case .answered(.problem(let problem)): state.answer = .failed(problem, nil)",
            wrong: "",
            told: ["switch must be exhaustive", "add missing case: '.answered(.problem(_))'"]),
        Mistake(
            name: "InputOfAnotherType",
            right: "TestStore(Diary(ask: { $0 }), input: \"Dear diary\")",
            wrong: "TestStore(Diary(ask: { $0 }), input: State())",
            told: [
                "cannot convert value of type 'InputOfAnotherType.State' to expected",
                "Optional<String>",
            ]
        ),
        Mistake(
            name: "InputOfAnotherTypeAtRandom",
            right: "(Diary(ask: { $0 }), input: \"Dear diary\").check",
            wrong: "(Diary(ask: { $0 }), input: State()).check",
            told: ["cannot convert value of type 'InputOfAnotherTypeAtRandom.State' to expected"]),
        Mistake(
            name: "ValueThatCannotBeCompared", right: "for: state.text, ask)",
            wrong: "for: { state.text }, { try await ask($0()) })",
            told: ["cannot conform to 'Equatable'"]),
    ]
}

@Suite struct `A mistake in an application` {
    private static let errors = Result {
        try SwiftCompiler.errors(
            in: Dictionary(uniqueKeysWithValues: Mistake.all.map { ($0.name, $0.text) })
                .merging(["Diary": Mistake.application]) { $1 })
    }

    @Test(arguments: Mistake.all)
    func `does not compile, and the compiler says what to write`(mistake: Mistake) throws {
        let errors = try #require(try Self.errors.get()[mistake.name])
        for text in mistake.told {
            #expect(errors.contains { $0.contains(text) }, "\(errors)")
        }
    }

    @Test func `is told of nothing else: without it the application compiles`() throws {
        #expect(try Self.errors.get()["Diary"] == nil)
        #expect(try Self.errors.get().count == Mistake.all.count)
    }

    /// Who acts, when, ids and chance belong to the step: what runs later would not be the same in a
    /// replay.
    @Test func `does not compile that lets a step out of the reducer`() throws {
        let leaving = Mistake(
            name: "StepThatLeaves", right: "case .edited(let text):",
            wrong: "case .edited(let text): Task { print(step.at) };", told: [])
        let errors = try SwiftCompiler.errors(
            in: ["Diary": Mistake.application, leaving.name: leaving.text], isThorough: true)
        #expect(errors["Diary"] == nil)
        #expect(errors[leaving.name]?.contains { $0.contains("data races") } == true, "\(errors)")
    }
}
