import Cards
@testable import CardsModel
import Redux
import StateCoding
import Statecast
import StatecastTesting
import Testing

/// A server of the card room, and the requests of people in it.
struct CardGuests: Sendable {
    let server: TestServer

    /// Serves a room while `body` runs, without an operator.
    static func serve(
        _ room: CardRoom = CardRoom(), _ body: @Sendable (CardGuests) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.operators = .none
        try await TestServer.run(
            configuration, serving: { room.parts }
        ) { server in
            try await CardRoom.begin(server.sessions)
            try await body(CardGuests(server: server))
        }
    }

    /// Signs in, and returns the field of the cookie.
    func signIn(_ name: String, token: String? = nil) throws -> [String: String] {
        let secret = token.map { #","token":"\#($0)""# } ?? ""
        let answer = try server.send(
            "POST", "/cards/sign-in", fields: ["Content-Type": "application/json"],
            body: #"{"name":"\#(name)"\#(secret)}"#)
        return ["Cookie": String(answer.fields["set-cookie"]?.prefix { $0 != ";" } ?? "")]
    }

    /// Opens a table in the lobby, and waits until it is made; its path.
    func openTable(seats: Int, as opener: [String: String]) throws -> String {
        try server.dispatch(
            Self.lobby, "opened", #"{"name":"Friday","seats":\#(seats)}"#, fields: opener)
        let seen = try waitForLobby { !$0.tables.isEmpty }
        return "/cards/tables/sessions/\(seen.tables[0].id)"
    }

    static let lobby = "/cards/lobby/sessions/lobby"

    /// The lobby as everybody sees it, once it is as wanted.
    @discardableResult
    func waitForLobby(_ isWanted: (SeenLobby) -> Bool) throws -> SeenLobby {
        let events = try server.events(Self.lobby)
        while true {
            let event = try #require(try events.next())
            let seen = try StateDecoder().decode(SeenLobby.self, from: Array(event.data.utf8))
            if isWanted(seen) { return seen }
        }
    }

    /// The table as the server knows it.
    func state(of table: String) async throws -> TableState {
        let id = table.split(separator: "/").last.map(String.init) ?? ""
        return try await server.sessions.session(id, of: TableApplication.self).state
    }

    /// The JSON that somebody is to see of a table.
    static func json(_ table: TableState, by player: String?) throws -> String {
        try json(SeenTable(table, by: player))
    }

    static func json(_ value: some Encodable) throws -> String {
        var bytes: [UInt8] = []
        try StateEncoder().encode(value, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
