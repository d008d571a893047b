import Redux
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// A row of a list. A feature is any type with a state, actions and a reducer.
private struct Row {
    enum Action: ActionGroup {
        case renamed(name: String)
        case boughtAgain
    }

    func reduce(
        _ item: inout ShoppingState.Item, _ action: Action, _ step: Step
    ) throws(Rejection) {
        switch action {
        case .renamed(let name):
            guard !name.isEmpty else { throw .emptyName }
            item.name = name
        case .boughtAgain:
            item = ShoppingState.Item(id: step.makeID(), name: item.name)
        }
    }
}

/// A note on the door, rows, and a page with a list: a whole of several parts.
private struct Household {
    struct State: StateValue {
        enum Page: StateValue { case overview, shopping(ShoppingState) }

        var note: String?
        var page = Page.overview
        var items: [ShoppingState.Item] = []
        var favorites: [String: ShoppingState.Item] = [:]
    }

    enum Action: ActionGroup {
        case noteEdited(text: String)
        case page(ShoppingAction)
        case item(id: String, Row.Action)
        case favorite(of: String, Row.Action)
    }

    let row = Row()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .item(let id, let action):
            try row.reduce(&state.items[try state.items.index(id: id)], action, step)
        case .favorite(let person, let action):
            guard let index = state.favorites.index(forKey: person) else { throw .noFavorite }
            try row.reduce(&state.favorites.values[index], action, step)
        case .page(let action):
            guard case .shopping(var list) = state.page else { throw .notShown }
            try list.apply(action, step)
            state.page = .shopping(list)
        case .noteEdited(let text):
            guard state.note != nil else { throw .noNote }
            state.note = text
        }
    }
}

extension Rejection {
    fileprivate static let noNote = Rejection("no-note", "It was taken off.", kind: .conflict)
    fileprivate static let notShown = Rejection("not-shown", "Open the list.", kind: .conflict)
    fileprivate static let noFavorite = Rejection("no-favorite", "Choose one.", kind: .conflict)
}

private func code(_ body: () throws(Rejection) -> Void) -> String? {
    do throws(Rejection) {
        try body()
        return nil
    } catch {
        return error.code
    }
}

@Suite struct `Reducers of parts` {
    private let household = Household()
    private let step: Step

    init() throws {
        step = Step(
            by: Principal("ada"), at: Timestamp(milliseconds: 0), version: 7,
            session: try #require(SessionID("home")), epoch: "k3f9x2ab7qzd")
    }

    @Test func `are called by the whole's`() throws {
        var state = Household.State(items: [.init(id: "1", name: "Milk")])
        try household.reduce(&state, .item(id: "1", .renamed(name: "Oat milk")), step)
        #expect(state.items.map(\.name) == ["Oat milk"])

        try household.reduce(&state, .item(id: "1", .boughtAgain), step)
        #expect(state.items.map(\.id) == ["k3f9x2ab7qzd-7"])
    }

    @Test func `refuse what is for an element, a value or a part that is not there`() throws {
        var state = Household.State(favorites: ["ada": .init(id: "1", name: "Milk")])
        #expect(
            code { () throws(Rejection) in
                try household.reduce(&state, .item(id: "7", .boughtAgain), step)
            } == "out-of-scope")
        #expect(
            code { () throws(Rejection) in
                try household.reduce(&state, .favorite(of: "bo", .boughtAgain), step)
            } == "no-favorite")
        #expect(
            code { () throws(Rejection) in
                try household.reduce(&state, .noteEdited(text: "Ring twice"), step)
            } == "no-note")

        state.note = ""
        try household.reduce(&state, .noteEdited(text: "Ring twice"), step)
        #expect(state.note == "Ring twice")
        try household.reduce(&state, .favorite(of: "ada", .renamed(name: "Mint")), step)
        #expect(state.favorites["ada"]?.name == "Mint")
    }

    @Test func `reach into a case of an enum`() throws {
        var state = Household.State(page: .shopping(ShoppingState()))
        try household.reduce(&state, .page(.list(.added(name: "Milk"))), step)
        guard case .shopping(let shopping) = state.page else {
            Issue.record("the page has changed")
            return
        }
        #expect(shopping.items.count == 1)

        state.page = .overview
        #expect(
            code { () throws(Rejection) in
                try household.reduce(&state, .page(.search(.cleared)), step)
            } == "not-shown")
    }

    @Test func `a rejected action changes nothing in the store`() {
        let store = makeStore()
        store.dispatch(.list(.added(name: "")))
        #expect(store.state == ShoppingState())
    }
}
