import Redux
import Testing

@testable import ShoppingList

/// Several lists, one of which is open, and a note: a state made of parts.
private struct Household: Sendable, Equatable {
    struct Note: Sendable, Equatable { var text = "" }
    enum Page: Sendable, Equatable { case overview, shopping(ShoppingState) }

    var note: Note?
    var page = Page.overview
    var items: [ShoppingState.Item] = []
}

private enum HouseholdAction: Sendable {
    case noteEdited(String)
    case page(ShoppingAction)
    case item(id: String, ItemAction)
}

private enum ItemAction: Sendable {
    case renamed(String)
}

private let note = Reducer<Household.Note, String> { (note, text) throws(Rejection) in
    note.text = text
}

private let item = Reducer<ShoppingState.Item, ItemAction> { (item, action) throws(Rejection) in
    switch action {
    case .renamed(let name):
        guard !name.isEmpty else { throw .emptyName }
        item.name = name
    }
}

private let shopping = Reducer<ShoppingState, ShoppingAction> { (state, action) throws(Rejection) in
    try state.apply(action)
}

private let household = Reducer.combine(
    note
        .onOptional()
        .onField(\.note)
        .onAction { if case .noteEdited(let text) = $0 { text } else { nil } },
    shopping
        .onCase(
            extract: { if case .shopping(let state) = $0 { state } else { nil } },
            embed: Household.Page.shopping
        )
        .onField(\.page)
        .onAction { if case .page(let action) = $0 { action } else { nil } },
    item
        .onElement(by: \.id)
        .onField(\Household.items)
        .onAction { (action: HouseholdAction) in
            if case .item(let id, let action) = action { (id, action) } else { nil }
        })

@Suite struct `Reducers of parts` {
    @Test func `are put together`() throws {
        var state = Household(items: [.init(id: "1", name: "Milk")])
        try household.reduce(&state, .item(id: "1", .renamed("Oat milk")))
        #expect(state.items.map(\.name) == ["Oat milk"])

        #expect(throws: Rejection.outOfScope) {
            try household.reduce(&state, .noteEdited("Ring twice"))
        }
        state.note = Household.Note()
        try household.reduce(&state, .noteEdited("Ring twice"))
        #expect(state.note?.text == "Ring twice")
    }

    @Test func `reach into a case of an enum`() throws {
        var state = Household(page: .shopping(ShoppingState()))
        try household.reduce(&state, .page(.list(.added(name: "Milk", id: "1"))))
        guard case .shopping(let shopping) = state.page else {
            Issue.record("the page has changed")
            return
        }
        #expect(shopping.items.count == 1)

        state.page = .overview
        #expect(throws: Rejection.outOfScope) {
            try household.reduce(&state, .page(.search(.cleared)))
        }
    }

    @Test func `a rejected action changes nothing in the store`() {
        let store = makeStore()
        store.dispatch(.list(.added(name: "", id: "1")))
        #expect(store.state == ShoppingState())
    }
}
