public import Redux

/// A table as the server knows it; no client sees it whole. See ``SeenTable``.
public struct TableState: StateValue {
    public struct Seat: StateValue, Identifiable {
        public let id: String
        public var name: String
        /// The player has left during a game: the clock plays until they sit down again.
        public var isAway = false
    }

    public struct Line: StateValue, Identifiable {
        public let id: String
        public let from: String
        public let text: String
        public let at: Timestamp
    }

    public var rules = TableRules(name: "", seats: 2)
    public var seats: [Seat] = []
    /// The present game, or the one that was won last.
    public var game: Game?
    public var chat: [Line] = []
    /// The ids of the people who watch now.
    public var watching: Set<String> = []

    public init() {}

    /// Begins with rules, which only the server may give: people open tables in the lobby.
    public mutating func begin(with rules: TableRules?, _ step: Step) throws(Rejection) {
        guard let rules, step.by == nil else { throw .openedInLobby }
        try rules.check()
        self.rules = rules
    }

    public var phase: TablePhase {
        switch game?.stage {
        case nil: .waiting
        case .turn: .playing
        case .won: .won
        }
    }

    /// The part that the lobby shows.
    public var summary: TableSummary {
        TableSummary(players: seats.map(\.name), phase: phase)
    }
}

/// The stage of a table.
public enum TablePhase: String, StateValue {
    case waiting, playing, won
}

/// The part of a table that the lobby shows: the names of the players, and the stage.
public struct TableSummary: StateValue {
    public var players: [String] = []
    public var phase = TablePhase.waiting
}
