import Statecast

/// Hides something in its state, its actions and its facts, and does with it all that is unwise.
struct VaultApplication: PlainApplication {
    struct State: StateValue {
        var code: Secret<String>?
        var codes: [String: Secret<String>] = [:]
        var pin: Secret<Int>?
        var door = Door.open
        var attempts = 0
    }

    enum Door: Codable, Equatable, Sendable {
        case open
        case locked(Secret<String>)
    }

    enum Action: ActionGroup {
        case locked(Secret<String>)
        case named(name: String, code: Secret<String>)
        case pinChosen(Secret<Int>)
        case tried(Secret<String>)
        case asked(Secret<String>)
        case mixed(Secret<String>)
        case fact(Fact)
    }

    enum Fact: FactGroup {
        case answered(token: Secret<String>)
    }

    struct Unanswered: Error, CustomStringConvertible {
        var question: Secret<String>
        var description: String { "no answer to \(question), \(String(reflecting: question))" }
    }

    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .locked(let code):
            state.code = code
            state.door = .locked(code)
        case .named(let name, let code): state.codes[name] = code
        case .pinChosen(let pin): state.pin = pin
        case .tried(let code):
            state.attempts += 1
            if case .locked(let other) = state.door, other != code {
                throw Rejection("wrong-code", "\(code) is not \(other)")
            }
            state.door = .open
        case .asked: break
        case .mixed(let code):
            // Not pure: a store that checks its reducer tells of it.
            state.attempts = .random(in: .min ... .max)
            state.code = Secret(code.value + "\(state.attempts)")
        case .fact(.answered(let token)): state.codes["token"] = token
        }
    }

    var views: Views<State> {
        Views(state: .all, View("code") { state in state.code })
    }

    /// The application at a path, with an effect that answers what is asked, and then fails.
    func served(at path: String) -> Served {
        let answering = Middleware<State, Action>(
            "answering",
            effectsAfter: { step in
                guard case .asked(let question) = step.action else { return [] }
                return [
                    .run("answer") { context in
                        try await context.send(.fact(.answered(token: question)))
                        throw Unanswered(question: question)
                    }
                ]
            })
        return Served(path, self, middleware: [answering])
    }
}
