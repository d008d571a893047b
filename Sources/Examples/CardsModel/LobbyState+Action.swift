public import Redux

extension LobbyState {
    private static let tableLimit = 100
    private static let tableLimitEach = 5
    private static let minutesEmpty: Int64 = 10
    private static let minutesTaken: Int64 = 24 * 60

    /// Changes the lobby as an action asks for.
    public mutating func apply(_ action: LobbyAction, _ step: Step) throws(Rejection) {
        switch action {
        case .opened(let name, let seats): try open(TableRules(name: name, seats: seats), step)
        case .table(.made(let id, let answer)):
            guard let index = opening.firstIndex(where: { $0.id == id }) else { return }
            let made = opening.remove(at: index)
            guard answer.problem == nil else { return }
            tables.append(Table(opening: made, closes: Self.end(of: TableSummary(), step)))
        case .table(.reported(let id, let summary)):
            guard let index = tables.firstIndex(where: { $0.id == id }),
                tables[index].summary != summary
            else { return }
            tables[index].summary = summary
            tables[index].closes = Self.end(of: summary, step)
        case .table(.wentQuiet(let id)):
            guard let index = tables.firstIndex(where: { $0.id == id }),
                tables[index].closes <= step.at
            else { return }
            tables.remove(at: index)
            closing.append(id)
        case .table(.ended(let id, _)): closing.removeAll { $0 == id }
        }
    }

    private mutating func open(_ rules: TableRules, _ step: Step) throws(Rejection) {
        let person = try step.signedIn()
        try rules.check()
        let all = opening + tables.map(\.opening)
        guard all.count + closing.count < Self.tableLimit else { throw .lobbyFull }
        guard all.count(where: { $0.opener == person.id }) < Self.tableLimitEach else {
            throw .tooManyTables
        }
        opening.append(
            Opening(
                id: Self.drawAddress(step), rules: rules, opener: person.id,
                openedBy: Principal.shownName(of: person.id)))
    }

    /// 130 random bits: an id could be foreseen, an address that is drawn cannot.
    private static func drawAddress(_ step: Step) -> String {
        let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")
        var chance = step.makeGenerator()
        return String((0..<26).map { _ in digits[Int.random(in: 0..<32, using: &chance)] })
    }

    private static func end(of summary: TableSummary, _ step: Step) -> Timestamp {
        let minutes = summary.players.isEmpty ? minutesEmpty : minutesTaken
        return Timestamp(milliseconds: step.at.milliseconds + minutes * 60_000)
    }
}
