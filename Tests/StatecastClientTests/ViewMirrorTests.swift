import Cards
@testable import CardsModel
import Redux
import Statecast
import StatecastClientCurl
import StatecastTesting
import Testing

@testable import StatecastClient

/// A card table as a player sees it, with a reducer of that.
private enum SeenModel: Model {
    static var reduces: Sight { .view }

    static func reduce(
        _ table: inout SeenTable, _ action: TableAction, _ step: Step
    ) throws(Rejection) {
        switch action {
        case .played(let card):
            guard table.turn?.player == step.by?.id else { throw .notYourTurn }
            guard let index = table.hand.firstIndex(of: card) else { throw .notYourCard }
            guard let top = table.top, card.matches(top) else { throw .doesNotMatch }
            table.hand.remove(at: index)
            table.top = card
        case .said(let text):
            table.chat.append(
                .init(id: step.makeID(), from: "", text: text, at: step.at.milliseconds))
        default: break
        }
    }
}

/// The same, of which nobody has said that it is not a reducer of the state, hands and pile and all.
private enum HastyModel: Model {
    static func reduce(
        _ table: inout SeenTable, _ action: TableAction, _ step: Step
    ) throws(Rejection) { try SeenModel.reduce(&table, action, step) }
}

@MainActor @Suite struct `A mirror of a view that stands for the state` {
    @Test func `foretells by a reducer of the view, and never what the view hides`() async throws {
        try await play(SeenModel.self, isForetold: true)
    }

    @Test func `foretells nothing by a reducer of the state`() async throws {
        try await play(HastyModel.self, isForetold: false)
    }

    /// Ada and Ben sit down at a table; Ada speaks and plays a card, which Ben sees.
    private func play<M: Model<SeenTable, TableAction>>(
        _ model: M.Type, isForetold: Bool
    ) async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            .granted(Principal(request.authorization ?? "", roles: ["act", "observe"]))
        }
        try await TestServer.run(
            configuration,
            serving: { Served("/tables", TableApplication(report: { _, _ in })) }
        ) { server in
            let rules = TableRules(name: "Friday", seats: 2, turnSeconds: 600)
            let table = try await server.sessions.create(of: TableApplication.self, input: rules)
            for name in ["ada", "ben"] {
                try await table.dispatch(.sat(name: name), as: Principal(name))
            }
            var state = try await table.state
            while state.playable == nil {
                let player = try #require(state.game?.turn?.player)
                try await table.dispatch(.drew, as: Principal(player))
                state = try await table.state
            }
            let url = "http://127.0.0.1:\(server.port)\(table.path)"
            try await Self.play(model, at: url, state, isForetold: isForetold)
        }
    }

    private static func play<M: Model<SeenTable, TableAction>>(
        _ model: M.Type, at url: String, _ table: TableState, isForetold: Bool
    ) async throws {
        let mirrors = try ["ada", "ben"].map { name in
            Mirror<M>(of: url, fields: ["Authorization": name], over: try CurlTransport())
        }
        for mirror in mirrors {
            mirror.start()
            await mirror.until { $0.status == .live }
        }
        let (ada, ben) = (mirrors[0], mirrors[1])
        let card = try #require(table.playable)
        let seen = SeenTable(table, by: "ada")
        #expect(ada.state?.hand == seen.hand && ben.state?.hand != seen.hand)
        let sent = [ada.send(.said(text: "Mine!")), ada.send(.played(card: card))]
        if isForetold {
            #expect(ada.state?.top == card && ada.state?.chat.map(\.text) == ["Mine!"])
        } else {
            #expect(ada.state?.hand == seen.hand && ada.state?.chat.isEmpty == true)
        }
        for sent in sent { try await sent.confirmed() }
        #expect(ada.state?.hand == seen.hand.filter { $0 != card } && ada.state?.top == card)
        await ben.until { $0.state?.top == card && $0.state?.chat.map(\.from) == ["ada"] }
        for mirror in mirrors { mirror.stop() }
    }
}

extension TableState {
    /// A card of Ada's, whose turn it is, that fits.
    fileprivate var playable: Card? {
        guard let game, game.turn?.player == "ada", let top = game.discardPile.last else {
            return nil
        }
        return game.hands["ada"]?.first { $0.matches(top) }
    }
}
