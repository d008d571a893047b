public import Redux

/// One game from the deal to the last card. Each of the 52 cards is in a hand or on one of two piles.
public struct Game: StateValue {
    /// One player's time to play or to draw.
    public struct Turn: StateValue {
        public let player: String
        public let ends: Timestamp
    }

    public enum Stage: StateValue {
        case turn(Turn)
        case won(by: String)
    }

    private static let handCount = 5
    /// The clock plays on for so many rounds in which no player does anything.
    private static let idleRounds = 3

    /// The ids of the players in their order.
    public let players: [String]
    public private(set) var hands: [String: [Card]] = [:]
    /// Face down; the last card is drawn next.
    public private(set) var drawPile: [Card]
    /// Face up; the last card lies on top.
    public private(set) var discardPile: [Card]
    public private(set) var stage: Stage
    /// The number of turns since a player did anything.
    private var idleTurns = 0
    private let turnSeconds: Int

    /// Shuffles and deals.
    init(of players: [String], turnSeconds: Int, _ step: Step) {
        precondition((2...4).contains(players.count), "A game has two to four players.")
        var chance = step.makeGenerator()
        drawPile = Card.deck.shuffled(using: &chance)
        for player in players {
            hands[player] = drawPile.suffix(Self.handCount)
            drawPile.removeLast(Self.handCount)
        }
        discardPile = [drawPile.removeLast()]
        self.players = players
        self.turnSeconds = turnSeconds
        stage = Self.turn(of: players[0], seconds: turnSeconds, step)
    }

    /// The turn that a player has; nil once the game is won.
    public var turn: Turn? {
        if case .turn(let turn) = stage { turn } else { nil }
    }

    /// Only the clock has played for some rounds.
    var isAbandoned: Bool { idleTurns >= Self.idleRounds * players.count }

    /// Plays a card of the player whose turn it is.
    mutating func play(_ card: Card, by player: String, _ step: Step) throws(Rejection) {
        guard let index = hands[player]?.firstIndex(of: card) else { throw .notYourCard }
        guard let top = discardPile.last, card.matches(top) else { throw .doesNotMatch }
        hands[player]?.remove(at: index)
        discardPile.append(card)
        idleTurns = 0
        if hands[player]?.isEmpty ?? true { stage = .won(by: player) } else { passTurn(step) }
    }

    /// Draws a card for the player whose turn it is, who asks for it.
    mutating func draw(for player: String, _ step: Step) {
        idleTurns = 0
        drawCard(for: player, step)
    }

    /// Draws a card for a player whose time is over.
    mutating func runOut(_ player: String, _ step: Step) {
        idleTurns += 1
        drawCard(for: player, step)
    }

    /// Takes the top of the draw pile, which is made of the discard pile again where it is empty; with
    /// no card left the turn is passed on.
    private mutating func drawCard(for player: String, _ step: Step) {
        if drawPile.isEmpty, let top = discardPile.popLast() {
            var chance = step.makeGenerator()
            drawPile = discardPile.shuffled(using: &chance)
            discardPile = [top]
        }
        if let card = drawPile.popLast() { hands[player]?.append(card) }
        passTurn(step)
    }

    private mutating func passTurn(_ step: Step) {
        let index = players.firstIndex { $0 == turn?.player } ?? -1
        let next = players[(index + 1) % players.count]
        stage = Self.turn(of: next, seconds: turnSeconds, step)
    }

    private static func turn(of player: String, seconds: Int, _ step: Step) -> Stage {
        let end = step.at.milliseconds + Int64(seconds) * 1_000
        return .turn(Turn(player: player, ends: Timestamp(milliseconds: end)))
    }
}
