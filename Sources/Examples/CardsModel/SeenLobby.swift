/// The lobby as everybody sees it.
package struct SeenLobby: Codable, Equatable, Sendable {
    package struct Table: Codable, Equatable, Sendable {
        package var id: String
        package var name: String
        package var seats: Int
        package var players: [String]
        package var phase: TablePhase
        package var openedBy: String
    }

    package var tables: [Table]
    /// The names of tables that are being made.
    package var opening: [String]

    package init(_ lobby: LobbyState) {
        tables = lobby.tables.map { table in
            Table(
                id: table.id, name: table.opening.rules.name, seats: table.opening.rules.seats,
                players: table.summary.players, phase: table.summary.phase,
                openedBy: table.opening.openedBy)
        }
        opening = lobby.opening.map(\.rules.name)
    }
}
