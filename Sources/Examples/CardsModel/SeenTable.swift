import Redux

/// A table as one player or a spectator sees it: no hand but one's own, and no card of the draw pile.
public struct SeenTable: Codable, Equatable, Sendable {
    public struct Player: Codable, Equatable, Sendable {
        public var id: String
        public var name: String
        /// The number of cards in the hand.
        public var cards: Int
        public var present: Bool
        public var away: Bool
    }

    public struct Turn: Codable, Equatable, Sendable {
        public var player: String
        /// Milliseconds since 1970.
        public var ends: Int64
    }

    public struct Line: Codable, Equatable, Sendable {
        public var id: String
        public var from: String
        public var text: String
        /// Milliseconds since 1970.
        public var at: Int64
    }

    public var name: String
    public var phase: TablePhase
    public var seats: Int
    /// The id of the player who looks; nil for a spectator.
    public var you: String?
    public var players: [Player]
    public var hand: [Card]
    public var top: Card?
    public var drawCount: Int
    public var turn: Turn?
    public var winner: String?
    public var chat: [Line]

    /// The table as a player sees it; nil: as a spectator does.
    public init(_ table: TableState, by player: String?) {
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
    public func encode(to encoder: any Encoder) throws {
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
