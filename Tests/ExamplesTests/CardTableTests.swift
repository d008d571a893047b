import Cards
@testable import CardsModel
import Redux
import StatecastTesting
import Synchronization
import Testing

@Suite struct `A card table` {
    private let alice = CardPlayers.alice
    private let bob = CardPlayers.bob
    private let carol = CardPlayers.carol

    @Test func `deals five cards each when the last seat is taken, and shows only one's own`()
        throws
    {
        let store = try CardPlayers.store()
        let game = try #require(store.state.game)
        #expect(game.turn?.player == alice.id && game.drawPile.count == 41)
        #expect(store.state.cards == Card.deck)

        let own = try #require(try store.seen(by: bob, as: SeenTable.self))
        #expect(own.you == bob.id && own.players.map(\.cards) == [5, 5] && own.drawCount == 41)
        #expect(Set(own.hand) == game.hands[bob.id ?? ""].map { Set($0) })
        let spectator = try #require(try store.seen(by: carol, as: SeenTable.self))
        #expect(spectator.you == nil && spectator.hand.isEmpty)
        #expect(spectator.top == game.discardPile.last && spectator.players == own.players)
        store.restart()
    }

    @Test func `takes a card of the player whose turn it is, if it matches the top`() throws {
        let store = try CardPlayers.store()
        store.send(.played(card: Card.deck[0]), as: bob, rejectedAs: "not-your-turn")
        store.send(.drew, as: bob, rejectedAs: "not-your-turn")
        store.send(.drew, as: carol, rejectedAs: "not-seated")
        store.send(.drew, rejectedAs: "not-signed-in")
        let others = try #require(store.state.game?.hands[bob.id ?? ""])
        store.send(.played(card: others[0]), as: alice, rejectedAs: "not-your-card", field: "card")
        if let other = store.state.card(matching: false) {
            store.send(.played(card: other), as: alice, rejectedAs: "does-not-match", field: "card")
        }
        while store.state.card(matching: true) == nil || store.state.game?.turn?.player != alice.id
        {
            let player = store.state.game?.turn?.player == alice.id ? alice : bob
            store.send(.drew, as: player)
        }
        let card = try #require(store.state.card(matching: true))
        store.send(.played(card: card), as: alice)
        let game = try #require(store.state.game)
        #expect(game.discardPile.last == card && game.turn?.player == bob.id)
        #expect(game.turn?.ends == Timestamp(milliseconds: 30_000))
        store.restart()
    }

    @Test func `draws for a player whose time is over, also after a restart`() throws {
        let store = try CardPlayers.store()
        store.advance(by: .seconds(10))
        store.restart()
        store.advance(by: .milliseconds(19_999))
        #expect(store.state.game?.turn?.player == alice.id)
        let turn = try #require(store.state.game?.turn)
        store.advance(by: .milliseconds(1))
        store.receive(.clock(.ranOut(turn: turn))) {
            #expect($0.game?.turn?.player == bob.id)
            #expect($0.game?.hands[alice.id ?? ""]?.count == 6)
            #expect($0.game?.turn?.ends == Timestamp(milliseconds: 60_000))
        }
        store.report(.clock(.ranOut(turn: turn)))
        #expect(store.state.game?.turn?.player == bob.id)
        store.restart()
    }

    @Test func `plays for who has left, and gives them their seat back`() throws {
        let store = try CardPlayers.store()
        store.send(.left, as: alice)
        #expect(try store.seen(by: bob, as: SeenTable.self)?.players.map(\.away) == [true, false])
        store.send(.drew, as: alice, rejectedAs: "not-seated")
        store.send(.sat(name: "Carol"), as: carol, rejectedAs: "no-seat")
        store.advance(by: .seconds(30))
        store.skipReceived()
        #expect(store.state.game?.turn?.player == bob.id)
        store.send(.sat(name: "Alice"), as: alice)
        #expect(store.state.seats.map(\.isAway) == [false, false])
        store.send(.sat(name: "Alice"), as: alice, rejectedAs: "no-seat")
        store.send(.left, as: alice)
        store.send(.left, as: bob)
        #expect(store.state.summary == TableSummary() && store.state.game == nil)
        store.restart()
    }

    @Test func `ends a game that the clock alone has played for three rounds`() throws {
        let store = try CardPlayers.store()
        store.advance(by: .seconds(179))
        store.skipReceived()
        #expect(store.state.phase == .playing)
        store.advance(by: .seconds(1))
        store.skipReceived()
        #expect(store.state.phase == .waiting && store.state.seats.isEmpty)
        #expect(store.runningWork.map(\.name) == [])
        store.restart()
    }

    @Test func `is won by who has no card left, and deals again`() throws {
        let store = try CardPlayers.store()
        for _ in 0..<2_000 where store.state.phase == .playing {
            let player = store.state.game?.turn?.player == alice.id ? alice : bob
            if let card = store.state.card(matching: true) {
                store.send(.played(card: card), as: player)
            } else {
                store.send(.drew, as: player)
            }
        }
        let seen = try #require(try store.seen(by: carol, as: SeenTable.self))
        #expect(seen.phase == .won && seen.turn == nil && store.state.cards == Card.deck)
        #expect(seen.players.first { $0.cards == 0 }?.id == seen.winner)
        store.send(.drew, as: alice, rejectedAs: "not-your-turn")
        store.restart()
        store.send(.dealt, as: carol, rejectedAs: "not-seated")
        store.send(.dealt, as: bob)
        #expect(store.state.phase == .playing)
        store.send(.dealt, as: bob, rejectedAs: "is-playing")
        store.restart()
    }

    @Test func `knows who watches`() throws {
        let store = try CardPlayers.store()
        store.report(.session(.watchersChanged(came: [bob, .anonymous], left: [])))
        #expect(store.state.watching == ["Bob#0000000b"])
        #expect(try store.seen(by: bob, as: SeenTable.self)?.players.last?.present == true)
        store.report(.session(.watchersChanged(came: [], left: [bob])))
        #expect(try store.seen(by: bob, as: SeenTable.self)?.players.last?.present == false)
        store.report(.session(.watchersChanged(came: [alice], left: [])))
        store.report(.session(.restored))
        #expect(store.state.watching == [])
        store.restart()
    }

    @Test func `keeps the last hundred lines that players and spectators say`() throws {
        let store = try CardPlayers.store()
        store.send(.said(text: "hi"), rejectedAs: "not-signed-in")
        store.send(.said(text: " \n"), as: carol, rejectedAs: "empty", field: "text")
        let long = String(repeating: "é", count: 501)
        store.send(.said(text: long), as: carol, rejectedAs: "too-long", field: "text")
        for number in 0...100 { store.send(.said(text: "\(number)"), as: carol) }
        let chat = try #require(try store.seen(by: .anonymous, as: SeenTable.self)).chat
        #expect(chat.map(\.text) == (1...100).map(String.init))
        #expect(Set(chat.map(\.from)) == ["Carol"] && Set(chat.map(\.id)).count == 100)
        store.restart()
    }

    @Test func `has one player of a name, and no nameless one`() throws {
        let store = TestStore(
            TableApplication(report: { _, _ in }), initial: try CardPlayers.table(seats: 3),
            exhaustivity: .nonExhaustive)
        store.send(.sat(name: ""), as: alice, rejectedAs: "empty", field: "name")
        store.send(.sat(name: "Alice"), as: alice)
        store.send(.sat(name: "Alice"), as: bob, rejectedAs: "name-taken", field: "name")
        store.send(.dealt, as: alice, rejectedAs: "too-few-players")
        store.restart()
    }

    @Test func `tells the lobby when other people sit there or the game is another one`() throws {
        let told = Mutex<[TableSummary]>([])
        let store = TestStore(
            TableApplication(report: { summary, _ in told.withLock { $0.append(summary) } }),
            initial: try CardPlayers.table(seats: 2), exhaustivity: .nonExhaustive)
        store.send(.sat(name: "Alice"), as: alice)
        store.send(.said(text: "hi"), as: alice)
        store.send(.sat(name: "Bob"), as: bob)
        store.send(.drew, as: alice)
        #expect(
            told.withLock { $0 } == [
                TableSummary(), TableSummary(players: ["Alice"]),
                TableSummary(players: ["Alice", "Bob"], phase: .playing),
            ])
        store.restart()
        #expect(told.withLock { $0.count } == 4)
    }

    @Test(
        arguments: [
            (TableRules(name: "", seats: 2), "empty"), (TableRules(name: "F", seats: 1), "seats"),
            (TableRules(name: "F", seats: 5), "seats"),
            (TableRules(name: "F", seats: 2, turnSeconds: 0), "turn-seconds"),
        ])
    func `is opened by the lobby alone, and by good rules`(rules: TableRules, code: String) {
        var table = TableState()
        #expect(throws: Rejection.self) { try table.begin(with: nil, .test()) }
        #expect { try table.begin(with: rules, .test()) } throws: {
            ($0 as? Rejection)?.code == code
        }
        let step = Step(
            by: CardPlayers.alice, at: Timestamp(milliseconds: 0), version: 0, session: .local,
            epoch: "test")
        #expect { try table.begin(with: TableRules(name: "F", seats: 2), step) } throws: {
            ($0 as? Rejection)?.code == "opened-in-lobby"
        }
    }
}
