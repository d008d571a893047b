import Redux

/// A table as one player or a spectator sees it: no hand but one's own, and no card of the draw pile.
package struct SeenTable: Codable, Equatable, Sendable {
    package struct Player: Codable, Equatable, Sendable {
        package var id: String
        package var name: String
        /// The number of cards in the hand.
        package var cards: Int
        package var present: Bool
        package var away: Bool
    }

    package struct Turn: Codable, Equatable, Sendable {
        package var player: String
        /// Milliseconds since 1970.
        package var ends: Int64
    }

    package struct Line: Codable, Equatable, Sendable {
        package var id: String
        package var from: String
        package var text: String
        /// Milliseconds since 1970.
        package var at: Int64
    }

    package var name: String
    package var phase: TablePhase
    package var seats: Int
    /// The id of the player who looks; nil for a spectator.
    package var you: String?
    package var players: [Player]
    package var hand: [Card]
    package var top: Card?
    package var drawCount: Int
    package var turn: Turn?
    package var winner: String?
    package var chat: [Line]

    /// The table as a player sees it; nil: as a spectator does.
    package init(_ table: TableState, by player: String?) {
        let game = table.game
        name = table.rules.name
        phase = table.phase
        seats = table.rules.seats
        you = player
        players = table.seats.map { seat in
            Player(
                id: seat.id, name: seat.name, cards: game?.hands[seat.id]?.count ?? 0,
                present: table.watching.contains(seat.id), away: seat.isAway)
        }
        hand = player.flatMap { game?.hands[$0] }?.sorted { $0.rawValue < $1.rawValue } ?? []
        top = game?.discardPile.last
        drawCount = game?.drawPile.count ?? 0
        turn = game?.turn.map { Turn(player: $0.player, ends: $0.ends.milliseconds) }
        if case .won(let player) = game?.stage { winner = player }
        chat = table.chat.map { line in
            Line(id: line.id, from: line.from, text: line.text, at: line.at.milliseconds)
        }
    }
}

extension SeenTable {
    /// Writes every member: `"turn":null` where no player has one, so that `?select=/turn` always is
    /// in scope.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        try members.encode(phase, forKey: .phase)
        try members.encode(seats, forKey: .seats)
        try members.encode(you, forKey: .you)
        try members.encode(players, forKey: .players)
        try members.encode(hand, forKey: .hand)
        try members.encode(top, forKey: .top)
        try members.encode(drawCount, forKey: .drawCount)
        try members.encode(turn, forKey: .turn)
        try members.encode(winner, forKey: .winner)
        try members.encode(chat, forKey: .chat)
    }
}
