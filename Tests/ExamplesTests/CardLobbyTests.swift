import Cards
@testable import CardsModel
import Redux
import StatecastTesting
import Testing

@Suite struct `The lobby of the card tables` {
    private let alice = CardPlayers.alice
    private let made = ManualAnswers<String, Void>()
    private let ended = ManualAnswers<String, Void>()

    private func store() -> TestStore<LobbyState, LobbyAction> {
        TestStore(
            LobbyApplication(
                open: { [made] opening, _ in try await made.answer(to: opening.rules.name) },
                end: { [ended] id, _ in try await ended.answer(to: id) }),
            session: SessionID(LobbyState.session), exhaustivity: .nonExhaustive)
    }

    @Test func `has a table made at an address that is drawn, also after a restart`() throws {
        let store = store()
        store.send(.opened(name: "Friday", seats: 3), rejectedAs: "not-signed-in")
        store.send(.opened(name: " ", seats: 3), as: alice, rejectedAs: "empty", field: "name")
        store.send(.opened(name: "F", seats: 9), as: alice, rejectedAs: "seats", field: "seats")
        store.send(.opened(name: "Friday", seats: 3), as: alice)
        #expect(
            try store.seen(by: .anonymous, as: SeenLobby.self)
                == SeenLobby(store.state))
        #expect(store.state.opening.map(\.openedBy) == ["Alice"])
        store.restart()
        #expect(made.asked == ["Friday", "Friday"])
        let id = try #require(store.state.opening.first?.id)
        #expect(id.count == 26)
        made.succeed("Friday", with: ())
        store.receive(.table(.made(id: id, answer: .value(Done()))))
        let seen = try #require(try store.seen(by: .anonymous, as: SeenLobby.self))
        #expect(seen.opening == [] && seen.tables.map(\.id) == [id])
        #expect(seen.tables.map(\.name) == ["Friday"] && seen.tables.map(\.openedBy) == ["Alice"])
        store.restart()
    }

    @Test func `shows what tables tell of themselves`() throws {
        let store = try storeWithTable()
        let id = store.state.tables[0].id
        let summary = TableSummary(players: ["Bob"], phase: .won)
        store.report(.table(.reported(id: id, summary: summary)))
        store.report(.table(.reported(id: "no such table", summary: summary)))
        let seen = try #require(try store.seen(by: .anonymous, as: SeenLobby.self))
        #expect(seen.tables.map(\.players) == [["Bob"]] && seen.tables.map(\.phase) == [.won])
        store.restart()
    }

    @Test func `ends a table at which no one sits for ten minutes`() throws {
        let store = try storeWithTable()
        let id = store.state.tables[0].id
        store.advance(by: .seconds(60))
        store.report(.table(.reported(id: id, summary: TableSummary(players: ["Bob"]))))
        store.advance(by: .seconds(3_600))
        store.report(.table(.reported(id: id, summary: TableSummary())))
        store.advance(by: .seconds(599))
        #expect(store.state.tables.count == 1)
        store.restart()
        store.advance(by: .seconds(1))
        store.receive(.table(.wentQuiet(id: id)))
        #expect(store.state.tables.isEmpty && ended.asked == [id])
        ended.succeed(id, with: ())
        store.receive(.table(.ended(id: id, answer: .value(Done()))))
        #expect(store.state == LobbyState())
        store.restart()
    }

    @Test func `takes back a table that cannot be made`() {
        let store = store()
        store.send(.opened(name: "Friday", seats: 3), as: alice)
        for _ in 0..<4 {
            made.fail("Friday", with: Problem.failed)
            store.advance(by: .seconds(1))
        }
        store.skipReceived()
        #expect(store.state == LobbyState())
        store.restart()
    }

    @Test func `has room for five tables of one person, and a hundred of all`() {
        let store = store()
        for _ in 0..<5 { store.send(.opened(name: "F", seats: 2), as: alice) }
        store.send(.opened(name: "F", seats: 2), as: alice, rejectedAs: "too-many-tables")
        for number in 5..<100 {
            let person = Principal(Principal.id(named: "P", number: "\(number)"))
            store.send(.opened(name: "F", seats: 2), as: person)
        }
        store.send(.opened(name: "F", seats: 2), as: CardPlayers.bob, rejectedAs: "lobby-full")
        store.restart()
    }

    private func storeWithTable() throws -> TestStore<LobbyState, LobbyAction> {
        let store = store()
        store.send(.opened(name: "Friday", seats: 2), as: alice)
        made.succeed("Friday", with: ())
        store.skipReceived()
        try #require(store.state.tables.count == 1)
        return store
    }
}
