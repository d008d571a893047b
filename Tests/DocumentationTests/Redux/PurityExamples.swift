import Redux
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// A table at which cards are dealt.
private struct CardTable: StateValue {
    var hands: [String: [Int]] = [:]
}

private let dealing: Reducer<CardTable, [String]> = { table, players, step in
    var chance = step.makeGenerator()
    let deck = Array(1...52).shuffled(using: &chance)
    for (seat, player) in players.enumerated() {
        table.hands[player] = Array(deck.dropFirst(seat * 5).prefix(5))
    }
}

private struct Note: StateValue, Identifiable {
    let id, author, text: String
    let writtenAt: Timestamp
}

private let writing: Reducer<[Note], String> = { (notes, text, step) throws(Rejection) in
    let author = try step.signedIn().id
    notes.append(Note(id: step.makeID(), author: author, text: text, writtenAt: step.at))
}

@Suite struct `A step` {
    @Test func `tells who acts and when, and makes ids`() throws {
        var notes: [Note] = []
        let step = Step(
            by: Principal("ada"), at: Timestamp(milliseconds: 1_700_000_000_000), version: 1,
            session: try #require(SessionID("home")), epoch: "k3f9x2ab7qzd")
        try writing(&notes, "Ring twice.", step)

        let note = notes.first
        #expect(note?.id == "k3f9x2ab7qzd-1")
        #expect(note?.author == "ada")
        #expect(note?.writtenAt == Timestamp(milliseconds: 1_700_000_000_000))
    }

    @Test func `deals cards that the log can deal again`() throws {
        let seed = Seed.random()
        let store = Store(
            initial: CardTable(), reducer: dealing,
            environment: Environment(now: { Timestamp(milliseconds: 0) }, makeSeed: { seed }))
        store.dispatch(["ada", "bo"])

        let again = Step(
            by: nil, at: Timestamp(milliseconds: 0), version: 1,
            session: try #require(SessionID("table")), epoch: "k3f9x2ab7qzd", seed: seed)
        var table = CardTable()
        try dealing(&table, ["ada", "bo"], again)
        #expect(table == store.state)
        #expect(Set(table.hands.values.joined()).count == 10)
    }

    @Test func `of a client shows an action before the server has answered`() throws {
        var state = ShoppingState()
        let step = Step(
            by: Principal("ada"), at: Timestamp(milliseconds: 0), version: 43,
            session: try #require(SessionID("home")), epoch: "k3f9x2ab7qzd")
        try state.apply(.list(.added(name: "Milk")), step)
        #expect(state.items.map(\.id) == ["k3f9x2ab7qzd-43"])
    }
}

@Suite struct `A checked reducer` {
    @Test func `that guesses is told of`() {
        let guessing: Reducer<ShoppingState, ShoppingAction> = { state, action, _ in
            guard case .list(.added(let name)) = action else { return }
            let id = UInt64.random(in: .min ... .max)
            state.items.append(.init(id: "\(id)", name: name))
        }
        let store = Store(
            initial: ShoppingState(), reducer: guessing,
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        var told: [StoreDiagnostic] = []
        store.checks = ReductionChecks(timeBudget: .milliseconds(10), sizeBudget: 1 << 20)
        store.onDiagnostic = { told.append($0) }

        store.dispatch(.list(.added(name: "Milk")))
        guard case .impureReduction(let version, _, let differences) = told.first else {
            Issue.record("nothing was told")
            return
        }
        #expect(version == 1)
        #expect(differences.first?.hasPrefix("items[0].id: ") == true)
    }

    @Test func `of the tutorial is pure`() {
        let store = makeStore()
        var told: [StoreDiagnostic] = []
        store.checks = ReductionChecks(timeBudget: nil)
        store.onDiagnostic = { told.append($0) }
        store.dispatch(.list(.added(name: "Milk")))
        store.dispatch(.ordered)
        store.dispatch(.ordered)
        #expect(told.isEmpty)
    }

    @Test func `that takes its chance from the step is pure`() {
        let store = Store(
            initial: CardTable(), reducer: dealing,
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        var told: [StoreDiagnostic] = []
        store.checks = ReductionChecks(timeBudget: nil)
        store.onDiagnostic = { told.append($0) }
        store.dispatch(["ada", "bo"])
        #expect(told.isEmpty)
        #expect(store.state.hands.count == 2)
    }
}
