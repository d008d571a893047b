package import Redux

/// A table as the server knows it; no client sees it whole. See ``SeenTable``.
package struct TableState: StateValue {
    package struct Seat: StateValue, Identifiable {
        package let id: String
        package var name: String
        /// The player has left during a game: the clock plays until they sit down again.
        package var isAway = false
    }

    package struct Line: StateValue, Identifiable {
        package let id: String
        package let from: String
        package let text: String
        package let at: Timestamp
    }

    package var rules = TableRules(name: "", seats: 2)
    package var seats: [Seat] = []
    /// The present game, or the one that was won last.
    package var game: Game?
    package var chat: [Line] = []
    /// The ids of the people who watch now.
    package var watching: Set<String> = []

    package init() {}

    /// Begins with rules, which only the server may give: people open tables in the lobby.
    package mutating func begin(with rules: TableRules?, _ step: Step) throws(Rejection) {
        guard let rules, step.by == nil else { throw .openedInLobby }
        try rules.check()
        self.rules = rules
    }

    package var phase: TablePhase {
        switch game?.stage {
        case nil: .waiting
        case .turn: .playing
        case .won: .won
        }
    }

    /// The part that the lobby shows.
    package var summary: TableSummary {
        TableSummary(players: seats.map(\.name), phase: phase)
    }
}

/// The stage of a table.
package enum TablePhase: String, StateValue {
    case waiting, playing, won
}

/// The part of a table that the lobby shows: the names of the players, and the stage.
package struct TableSummary: StateValue {
    package var players: [String] = []
    package var phase = TablePhase.waiting
}
