public import CardsModel
public import Statecast

/// The list of the tables. Its work makes a session for each table, and ends those that are not used.
public struct LobbyApplication: Application {
    public typealias Context = WorkContext<LobbyAction>

    public let initialState = LobbyState()
    public let rejectionCodes = [
        "empty", "lobby-full", "not-signed-in", "seats", "too-long", "too-many-tables",
    ]
    let open: @Sendable (LobbyState.Opening, Context) async throws -> Void
    let end: @Sendable (String, Context) async throws -> Void

    /// A lobby; a test gives it tables of its own.
    public init(
        open: @escaping @Sendable (LobbyState.Opening, Context) async throws -> Void = makeTable,
        end: @escaping @Sendable (String, Context) async throws -> Void = endTable
    ) {
        self.open = open
        self.end = end
    }

    public func reduce(
        _ state: inout LobbyState, _ action: LobbyAction, _ step: Step
    ) throws(Rejection) {
        try state.apply(action, step)
    }

    public var views: Views<LobbyState> {
        Views(state: View { SeenLobby($0) })
    }

    public func work(in state: LobbyState) -> [Work<LobbyAction>] {
        for opening in state.opening {
            Work("open \(opening.id)", for: opening, policy: .retrying(3), open) {
                .table(.made(id: opening.id, answer: $0))
            }
        }
        for table in state.tables {
            Work.alarm(
                "quiet \(table.id)", at: table.closes, send: .table(.wentQuiet(id: table.id)))
        }
        for id in state.closing {
            Work("end \(id)", for: id, policy: .retrying(3), end) {
                .table(.ended(id: id, answer: $0))
            }
        }
    }

    /// Makes the session of a table, or finds the one that an earlier try has made.
    public static func makeTable(
        _ opening: LobbyState.Opening, _ context: Context
    ) async throws {
        try await context.sessions.create(
            opening.id, of: TableApplication.self, input: opening.rules)
    }

    /// Ends the session of a table, if it is still there.
    public static func endTable(_ id: String, _ context: Context) async throws {
        do throws(SessionError) {
            try await context.sessions.session(id, of: TableApplication.self).end()
        } catch {
            guard error == .notFound || error == .ended else { throw error }
        }
    }
}
