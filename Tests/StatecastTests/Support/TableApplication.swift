import Statecast

/// A table with rules as its input, seats, and a list of those who watch; it passes notes to other
/// sessions where it is told how.
struct TableApplication: Application {
    struct Rules: Codable, Sendable {
        var seats: Int
        var name: String?
    }

    struct State: StateValue {
        var name = "table"
        var seats = 2
        var owner: String?
        var startedAt: Timestamp?
        var startID: String?
        var deck: [Int] = []
        var players: [String] = []
        var notes: [String] = []
        var present: [String] = []
        var restarts = 0
        var ball: Ball?
    }

    /// A ball that is to be thrown to another table.
    struct Ball: StateValue {
        var to: String
        var number: Int
    }

    enum Action: ActionGroup {
        case sat(name: String)
        case noted(String)
        case ignored
        case delayed, dropped
        case thrown(to: String)
        case said(Answer<String>)
        case session(SessionFact)
    }

    let initialState = State()
    let views = Views<State>.all
    /// The application says no to watchers.
    var refusesWatchers = false

    func start(_ state: inout State, with rules: Rules?, _ step: Step) throws(Rejection) {
        try Rejection.check(
            (2...4).contains(rules?.seats ?? 2)
                ? nil : Rejection("seats", "Two to four.", field: "seats"),
            rules?.name == "" ? Rejection("no-name", "Say one.", field: "name") : nil)
        if rules?.name == "taken" { throw Rejection("taken", "It is.", kind: .conflict) }
        state.seats = rules?.seats ?? 2
        state.name = rules?.name ?? state.name
        (state.owner, state.startedAt) = (step.by?.id, step.at)
        state.startID = "\(step.makeID()) in \(step.session), #\(step.version)"
        var chance = step.makeGenerator()
        state.deck = (1...5).map { _ in Int.random(in: 0..<1_000_000, using: &chance) }
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .sat(let name):
            guard state.players.count < state.seats else {
                throw Rejection("no-seat", "None is left.", kind: .conflict, field: "name")
            }
            state.players.append("\(name) by \(step.by?.id ?? "the server")")
        case .noted(let text): state.notes.append(text)
        case .thrown(let to): state.ball = Ball(to: to, number: (state.ball?.number ?? 0) + 1)
        case .ignored, .delayed, .dropped: break
        case .said(let answer): state.notes.append(answer.value ?? "nothing")
        case .session(.restored): (state.present, state.restarts) = ([], state.restarts + 1)
        case .session(.watchersChanged(let came, let left)):
            if refusesWatchers { throw Rejection("closed", "To nobody.") }
            state.present.removeAll { id in left.contains { $0.id == id } }
            state.present += came.compactMap(\.id)
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if let ball = state.ball {
            Work("throw", for: ball) { ball, context in
                do throws(SessionError) {
                    let table = try context.sessions.session(ball.to, of: TableApplication.self)
                    try await table.dispatch(.thrown(to: "\(context.session)"))
                    return "thrown"
                } catch {
                    guard case .rejected(let rejection, _) = error else { return "\(error)" }
                    return rejection.code
                }
            } then: {
                .said($0)
            }
        }
    }

    /// The application at a path, with all that an interceptor may decide around its reducer.
    func served(at path: String) -> Served {
        let verdicts = Middleware<State, Action>(
            "verdicts",
            intercept: { action, _, _ in
                switch action {
                case .delayed: .delay(.milliseconds(1), key: nil)
                case .dropped: .drop
                default: .pass
                }
            })
        return Served(path, self, middleware: [verdicts])
    }
}
