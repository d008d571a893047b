public import Redux

extension Rejection {
    static let openedInLobby = Rejection(
        "opened-in-lobby", "Tables are opened in the lobby.", kind: .forbidden)
    static let seats = Rejection("seats", "Two to four.", field: "seats")
    static let turnSeconds = Rejection("turn-seconds", "1 to 600.", field: "turnSeconds")
    static let nameTaken = Rejection(
        "name-taken", "Another player here has this name.", kind: .conflict, field: "name")
    static let noSeat = Rejection("no-seat", "There is none for you.", kind: .conflict)
    static let notSeated = Rejection("not-seated", "Sit down first.", kind: .forbidden)
    static let isPlaying = Rejection("is-playing", "A game is on.", kind: .conflict)
    static let tooFewPlayers = Rejection("too-few-players", "It takes two.", kind: .conflict)
    static let notYourTurn = Rejection("not-your-turn", "Wait for your turn.", kind: .conflict)
    static let notYourCard = Rejection(
        "not-your-card", "You do not have this card.", field: "card")
    static let doesNotMatch = Rejection(
        "does-not-match", "Play the suit or the rank of the card on top.", field: "card")
    static let lobbyFull = Rejection("lobby-full", "There are enough tables.", kind: .conflict)
    static let tooManyTables = Rejection(
        "too-many-tables", "You have opened enough tables.", kind: .conflict)

    /// The fault of a name of a person or a table; nil where it has none.
    public static func fault(ofName name: String) -> Rejection? {
        fault(of: name, upTo: 40, field: "name")
    }

    /// The fault of a text; nil where it has none. A character may be of any length: parts count.
    static func fault(of text: String, upTo limit: Int, field: String) -> Rejection? {
        if text.unicodeScalars.count > limit {
            return Rejection("too-long", "\(limit) characters at most.", field: field)
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            let text = field == "name" ? "Say a name." : "Say something."
            return Rejection("empty", text, field: field)
        }
        return nil
    }
}
