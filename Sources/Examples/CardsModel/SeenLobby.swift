/// The lobby as everybody sees it.
public struct SeenLobby: Codable, Equatable, Sendable {
    public struct Table: Codable, Equatable, Sendable {
        public var id: String
        public var name: String
        public var seats: Int
        public var players: [String]
        public var phase: TablePhase
        public var openedBy: String
    }

    public var tables: [Table]
    /// The names of tables that are being made.
    public var opening: [String]

    public init(_ lobby: LobbyState) {
        tables = lobby.tables.map { table in
            Table(
                id: table.id, name: table.opening.rules.name, seats: table.opening.rules.seats,
                players: table.summary.players, phase: table.summary.phase,
                openedBy: table.opening.openedBy)
        }
        opening = lobby.opening.map(\.rules.name)
    }
}
