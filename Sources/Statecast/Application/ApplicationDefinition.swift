import Sockets

/// What all sessions of one mounted application share.
struct ApplicationDefinition<App: Application>: Sendable {
    let application: App
    let coder: ActionCoder<App.Action, App.Fact>
    let encoder = StateEncoder()
    let reducer: Reducer<App.State, App.Input>
    let views: [String: View<App.State>]
    let environment: Environment
    /// Whether what follows a step is asked for at all.
    let hasReactions: Bool

    /// Throws where the actions' types cannot be told apart on the wire.
    init(_ application: App, environment: Environment) throws(ActionCoderError) {
        self.application = application
        self.environment = environment
        coder = try ActionCoder()
        views = Dictionary(
            application.views.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        hasReactions = App.Fact.self != Never.self
        reducer = Reducer { (state, input) throws(Rejection) in
            switch input {
            case .action(let action): try application.reduce(&state, action: action)
            case .fact(let fact): try application.reduce(&state, fact: fact)
            }
        }
    }
}

extension Environment {
    /// The machine's clocks.
    static var live: Environment {
        Environment(now: { Timestamp(milliseconds: Instant.readWallClock()) })
    }
}
