import Redux

/// The state of a game of many players, each with an own part of it.
struct PlayersState: Codable, Sendable, Equatable {
    /// The part of one player, of about 400 bytes of JSON.
    struct Player: Codable, Sendable, Equatable {
        var name: String
        var cards: [Int]
        var notes: [String]
    }

    /// One line of the chat, which is shown to all.
    struct Line: Codable, Sendable, Equatable {
        var by: String
        var text: String
    }

    /// What one player sees: the chat, and the own part.
    struct Seen: Encodable {
        var lines: [Line]
        var own: Player
    }

    var title = "table"
    var lines = (0..<100).map {
        Line(by: "player number \($0)", text: "Good evening, everybody; this is line \($0).")
    }
    var round = 0
    var players: [Player]

    init(count: Int) {
        players = (0..<count).map { number in
            Player(
                name: "player number \(number)", cards: Array(number..<number + 40),
                notes: (0..<8).map { "a note of some words, number \($0)" })
        }
    }
}

/// One player's part changes, or what all share.
enum PlayersAction: Sendable {
    case drew(player: Int, card: Int)
    case said(PlayersState.Line)
    case roundBegan

    static func reduce(
        _ state: inout PlayersState, _ action: PlayersAction, _ step: Step
    ) throws(Rejection) {
        switch action {
        case .drew(let player, let card):
            guard state.players.indices.contains(player) else {
                throw Rejection("nobody", "No such player.", kind: .conflict)
            }
            state.players[player].cards[0] = card
        case .said(let line):
            state.lines.removeFirst()
            state.lines.append(line)
        case .roundBegan: state.round += 1
        }
    }
}
