public import CardsModel
public import Statecast

/// A table: two to four people play, others watch. Each sees their own hand and no other.
public struct TableApplication: Application {
    public typealias Context = WorkContext<TableAction>

    public let initialState = TableState()
    public let rejectionCodes = [
        "does-not-match", "empty", "is-playing", "name-taken", "no-seat", "not-seated",
        "not-signed-in", "not-your-card", "not-your-turn", "opened-in-lobby", "seats",
        "too-few-players", "too-long", "turn-seconds",
    ]
    let report: @Sendable (TableSummary, Context) async throws -> Void

    /// A table; a test gives it a lobby of its own.
    public init(
        report: @escaping @Sendable (TableSummary, Context) async throws -> Void = tellLobby
    ) {
        self.report = report
    }

    public func start(
        _ state: inout TableState, with rules: TableRules?, _ step: Step
    ) throws(Rejection) {
        try state.begin(with: rules, step)
    }

    public func reduce(
        _ state: inout TableState, _ action: TableAction, _ step: Step
    ) throws(Rejection) {
        try state.apply(action, step)
    }

    /// The view is computed once for each player, and once for all spectators.
    public var views: Views<TableState> {
        Views(
            state: View(by: { table, viewer in table.seats.first { $0.id == viewer.id }?.id }) {
                SeenTable($0, by: $1)
            })
    }

    public func work(in state: TableState) -> [Work<TableAction>] {
        if let turn = state.game?.turn {
            Work.alarm("turn", at: turn.ends, send: .clock(.ranOut(turn: turn)))
        }
        Work.subscription(
            "report", for: state.summary, policy: .finishing.retrying(5), report)
    }

    /// Tells the lobby what it shows of this table.
    public static func tellLobby(_ summary: TableSummary, _ context: Context) async throws {
        let lobby = try context.sessions.session(LobbyState.session, of: LobbyApplication.self)
        try await lobby.dispatch(
            .table(.reported(id: context.session.description, summary: summary)))
    }
}
