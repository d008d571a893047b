public import Redux

extension TableState {
    private static let lineLimit = 100

    /// Changes the table as an action asks for.
    public mutating func apply(_ action: TableAction, _ step: Step) throws(Rejection) {
        switch action {
        case .sat(let name): try sit(as: name, step)
        case .left: try leave(step)
        case .dealt: try deal(step)
        case .played(let card):
            let player = try playerOfTurn(step)
            try game?.play(card, by: player, step)
        case .drew:
            let player = try playerOfTurn(step)
            game?.draw(for: player, step)
        case .said(let text): try say(text, step)
        case .clock(.ranOut(let turn)): runOut(turn, step)
        case .session(.watchersChanged(let came, let left)):
            watching.formUnion(came.compactMap(\.id))
            watching.subtract(left.compactMap(\.id))
        case .session(.restored): watching = []
        }
    }

    // MARK: Seats

    private mutating func sit(as name: String, _ step: Step) throws(Rejection) {
        let id = try step.signedIn().id
        try Rejection.check(Rejection.fault(ofName: name))
        guard !seats.contains(where: { $0.name == name && $0.id != id }) else { throw .nameTaken }
        if let index = seats.firstIndex(where: { $0.id == id && $0.isAway }) {
            seats[index].isAway = false
            return
        }
        guard seats.count < rules.seats, phase != .playing, !seats.contains(where: { $0.id == id })
        else { throw .noSeat }
        seats.append(Seat(id: id, name: name))
        if seats.count == rules.seats { try deal(step) }
    }

    private mutating func leave(_ step: Step) throws(Rejection) {
        let index = try seatIndex(step)
        if phase == .playing {
            seats[index].isAway = true
            if seats.allSatisfy(\.isAway) { clear() }
        } else {
            seats.remove(at: index)
            if seats.isEmpty { clear() }
        }
    }

    /// The last one has left.
    private mutating func clear() {
        (seats, game) = ([], nil)
    }

    private func seatIndex(_ step: Step) throws(Rejection) -> Int {
        let id = try step.signedIn().id
        guard let index = seats.firstIndex(where: { $0.id == id && !$0.isAway }) else {
            throw .notSeated
        }
        return index
    }

    // MARK: The game

    private mutating func deal(_ step: Step) throws(Rejection) {
        _ = try seatIndex(step)
        guard phase != .playing else { throw .isPlaying }
        guard seats.count >= 2 else { throw .tooFewPlayers }
        game = Game(of: seats.map(\.id), turnSeconds: rules.turnSeconds, step)
    }

    /// The one who sends the action, if it is their turn.
    private func playerOfTurn(_ step: Step) throws(Rejection) -> String {
        let player = seats[try seatIndex(step)].id
        guard game?.turn?.player == player else { throw .notYourTurn }
        return player
    }

    private mutating func runOut(_ turn: Game.Turn, _ step: Step) {
        guard game?.turn == turn else { return }
        game?.runOut(turn.player, step)
        if game?.isAbandoned ?? false { clear() }
    }

    // MARK: Chat

    private mutating func say(_ text: String, _ step: Step) throws(Rejection) {
        let id = try step.signedIn().id
        try Rejection.check(Rejection.fault(of: text, upTo: 500, field: "text"))
        let name = seats.first(id: id)?.name ?? Principal.shownName(of: id)
        chat.append(Line(id: step.makeID(), from: name, text: text, at: step.at))
        chat.removeFirst(max(0, chat.count - Self.lineLimit))
    }
}
