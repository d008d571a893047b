@testable import CardsModel
import Redux
import Testing

/// Random steps of a table: whatever people do, each card is in one place.
@Suite struct `A walk of card players` {
    private static let people: [Principal?] = [
        CardPlayers.alice, CardPlayers.bob, CardPlayers.carol, CardPlayers.dora, .anonymous, nil,
    ]

    @Test(arguments: zip(2...4, [31, 41, 59] as [UInt8]))
    func `loses no card, and gives none to two`(seats: Int, number: UInt8) throws {
        var chance = try Self.step(by: nil, version: 0, number).makeGenerator()
        var table = try CardPlayers.table(seats: seats)
        var wins = 0
        var taken = 0
        for version in 1...20_000 {
            let turn = Self.people.first { $0?.id == table.game?.turn?.player }
            let person =
                turn.flatMap { Bool.random(using: &chance) ? $0 : nil }
                ?? Self.people.randomElement(using: &chance) ?? nil
            let action = Self.action(of: person, at: table, &chance)
            var next = table
            let seed = UInt8.random(in: .min ... .max, using: &chance)
            let step = try Self.step(by: person, version: version, seed)
            guard (try? next.apply(action, step)) != nil else { continue }
            taken += 1
            if table.phase == .playing, next.phase == .won { wins += 1 }
            if let fault = Self.fault(of: next) {
                Issue.record(
                    "Seed \(number): \(fault), after \(action) by \(person?.id ?? "the server"): \(next)"
                )
                return
            }
            table = next
        }
        #expect(wins > 10 && taken > 2_000, "\(wins) games of \(taken) steps, seed \(number)")
    }

    private static func step(
        by person: Principal?, version: Int, _ seed: UInt8
    ) throws -> Step {
        let bits = try #require(Seed(bytes: Array(repeating: seed, count: 32)))
        return Step(
            by: person, at: Timestamp(milliseconds: Int64(version)), version: UInt64(version),
            session: .local, epoch: "walk", seed: bits)
    }

    /// Actions of people who know the rules mostly, and of others.
    private static func action(
        of person: Principal?, at table: TableState, _ chance: inout some RandomNumberGenerator
    ) -> TableAction {
        let turn = table.game?.turn
        let isTurn = person != nil && turn?.player == person?.id
        switch Int.random(in: 0..<20, using: &chance) {
        case 0, 1, 2: return .sat(name: person?.shownName ?? "?")
        case 3: return Int.random(in: 0..<10, using: &chance) == 0 ? .left : .drew
        case 4: return .dealt
        case 5: return .said(text: "hi")
        case 6:
            guard let turn, Int.random(in: 0..<10, using: &chance) == 0 else {
                return .session(.restored)
            }
            return .clock(.ranOut(turn: turn))
        case 7: return .session(.watcherCame(person ?? .anonymous))
        case 8: return .session(.watcherLeft(person ?? .anonymous))
        case 9: return .played(card: Card.deck.randomElement(using: &chance) ?? Card.deck[0])
        default:
            if isTurn, let card = table.card(matching: true) { return .played(card: card) }
            return .drew
        }
    }

    /// The sentence that says what is wrong with a table.
    private static func fault(of table: TableState) -> String? {
        if Set(table.seats.map(\.id)).count != table.seats.count { return "A person sits twice" }
        if table.seats.count > table.rules.seats { return "There are too many" }
        if table.chat.count > 100 { return "The chat is too long" }
        for person in people.compactMap({ $0 })
        where !table.seats.contains(where: { $0.id == person.id }) {
            if !SeenTable(table, by: nil).hand.isEmpty { return "A spectator sees a hand" }
        }
        guard let game = table.game else { return nil }
        if table.cards != Card.deck { return "A card is lost or there twice" }
        if game.discardPile.isEmpty { return "No card lies on top" }
        for player in game.players {
            let seen = SeenTable(table, by: player)
            if Set(seen.hand) != Set(game.hands[player] ?? []) {
                return "A player sees another hand"
            }
        }
        switch game.stage {
        case .turn(let turn):
            if table.seats.map(\.id) != game.players { return "Others sit than play" }
            if game.hands[turn.player]?.isEmpty ?? true {
                return "A player without cards has a turn"
            }
        case .won(let player):
            if game.hands[player]?.isEmpty != true { return "The winner holds a card" }
        }
        return nil
    }
}
