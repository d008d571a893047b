package import Redux

/// The list of the tables; see ``SeenLobby`` for what clients get of it.
package struct LobbyState: StateValue {
    /// The name of the one lobby's session.
    package static let session = "lobby"

    /// A table whose session is being made.
    package struct Opening: StateValue, Identifiable {
        package let id: String
        package let rules: TableRules
        /// The id of the principal who has asked for it.
        package let opener: String
        package let openedBy: String
    }

    package struct Table: StateValue, Identifiable {
        package let opening: Opening
        package var summary = TableSummary()
        /// The table is closed then, if it tells nothing until then.
        package var closes: Timestamp

        package var id: String { opening.id }
    }

    package var tables: [Table] = []
    package var opening: [Opening] = []
    /// The ids of tables whose sessions are being ended.
    package var closing: [String] = []

    package init() {}

    /// There is one lobby, whatever name a client asks for.
    package func begin(_ step: Step) throws(Rejection) {
        guard step.session.description == Self.session else { throw .oneLobby }
    }
}
