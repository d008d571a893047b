public import Redux

/// The list of the tables; see ``SeenLobby`` for what clients get of it.
public struct LobbyState: StateValue {
    /// The name of the one lobby's session.
    public static let session = "lobby"

    /// A table whose session is being made.
    public struct Opening: StateValue, Identifiable {
        public let id: String
        public let rules: TableRules
        /// The id of the principal who has asked for it.
        public let opener: String
        public let openedBy: String
    }

    public struct Table: StateValue, Identifiable {
        public let opening: Opening
        public var summary = TableSummary()
        /// The table is closed then, if it tells nothing until then.
        public var closes: Timestamp

        public var id: String { opening.id }
    }

    public var tables: [Table] = []
    public var opening: [Opening] = []
    /// The ids of tables whose sessions are being ended.
    public var closing: [String] = []

    public init() {}
}
