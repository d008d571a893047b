import Statecast

/// A shopping list that a household shares: everybody sees the same session.
struct ShoppingApplication: Application {
    typealias State = ShoppingState
    typealias Action = ShoppingAction
    typealias Fact = ShoppingFact

    let initialState = ShoppingState()
    let shop: Shop
    let cards: SavedValues<Secret<String>>

    func reduce(_ state: inout ShoppingState, action: ShoppingAction) throws(Rejection) {
        try state.apply(action)
    }

    func reduce(_ state: inout ShoppingState, fact: ShoppingFact) throws(Rejection) {
        state.apply(fact)
    }

    var views: [View<ShoppingState>] {
        [
            View("to-buy") { state, _ in state.items.filter { !$0.isBought }.map(\.name) },
            View("item") { state, arguments in
                state.items.first { $0.id == arguments["id"] }
            },
        ]
    }
}

extension ShoppingApplication {
    /// Gives new items their id: a reducer cannot make one, and a client may not.
    func middleware(for session: SessionID) -> [Middleware<ShoppingState, Input>] {
        [
            Middleware("ids") { action, _, context in
                guard case .action(.list(.added(let name, _))) = action else { return .pass }
                return .replace(.action(.list(.added(name: name, id: context.makeID()))))
            },
            memberCard(of: session).middleware,
        ]
    }

    /// Searches and orders in the shop, after the actions that ask for it.
    func effects(
        after transition: Transition<ShoppingState, Input>, in session: SessionID
    ) -> [Effect<ShoppingState, Input>] {
        switch transition.action {
        case .action(.search(.edited(let text))): [search(text)]
        case .action(.ordered): [order(transition.new)]
        default: []
        }
    }

    private func search(_ text: String) -> Effect<ShoppingState, Input> {
        .run(
            "search", policy: .latest.debounced(.milliseconds(300)).retrying(2),
            while: { $0.search.text == text && !text.isEmpty }
        ) { context in
            let products = try await shop.products(text)
            context.send(.fact(.found(text: text, products: products)))
        }
    }

    private func order(_ state: ShoppingState) -> Effect<ShoppingState, Input> {
        let names = state.items.filter { !$0.isBought }.map(\.name)
        let card = state.memberCard?.value
        return .run("order", policy: .keepRunning) { context in
            let number = try await shop.order(names, card)
            context.send(.fact(.orderTaken(number: number)))
        } catch: { _, context in
            context.send(.fact(.orderFailed(reason: "The shop took no order.")))
        }
    }
}
