import Cards
@testable import CardsModel
import Redux
import StatecastTesting
import Testing

/// The people of the tests of Cards.
enum CardPlayers {
    static let alice = person("Alice", "0000000a")
    static let bob = person("Bob", "0000000b")
    static let carol = person("Carol", "0000000c")

    private static func person(_ name: String, _ number: String) -> Principal {
        Principal(Principal.id(named: name, number: number), roles: ["act", "observe"])
    }

    /// A table as the lobby opens it.
    static func table(seats: Int, turnSeconds: Int = 30) throws(Rejection) -> TableState {
        var table = TableState()
        let rules = TableRules(name: "Friday", seats: seats, turnSeconds: turnSeconds)
        try table.begin(with: rules, .test())
        return table
    }

    /// A store of a table of two seats, at which Alice and Bob sit; it is Alice's turn.
    static func store() throws -> TestStore<TableState, TableAction> {
        let store = TestStore(
            TableApplication(report: { _, _ in }), initial: try table(seats: 2),
            exhaustivity: .nonExhaustive)
        store.send(.sat(name: "Alice"), as: alice)
        store.send(.sat(name: "Bob"), as: bob)
        return store
    }
}

extension TableState {
    /// A card of the player whose turn it is: one that matches the top, or one that does not.
    func card(matching: Bool) -> Card? {
        guard let game, let turn = game.turn, let top = game.discardPile.last else { return nil }
        return game.hands[turn.player]?.first { $0.matches(top) == matching }
    }

    /// All cards of the game, in their order.
    var cards: [Card] {
        guard let game else { return [] }
        let all = game.hands.values.joined() + game.drawPile + game.discardPile
        return all.sorted { $0.rawValue < $1.rawValue }
    }
}
