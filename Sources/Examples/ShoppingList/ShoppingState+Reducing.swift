import Statecast

/// Limits that keep the state small, however much clients send.
enum ShoppingLimits {
    static let items = 500
    static let textByteCount = 200
}

extension ShoppingState {
    /// Changes the state by an action.
    mutating func apply(_ action: ShoppingAction, _ step: Step) throws(Rejection) {
        switch action {
        case .list(let action): try apply(action, step)
        case .search(.edited(let text)): search.text = try short(text)
        case .search(.cleared): search = Search()
        case .cardScanned(let card): memberCard = Secret(try short(card.value))
        case .cardPutAway: memberCard = nil
        case .ordered:
            guard openCount > 0 else { throw .nothingToOrder }
            guard order != .sending else { throw .isBeingOrdered }
            order = .sending
        case .fact(let fact): apply(fact)
        }
    }

    private mutating func apply(_ action: ListAction, _ step: Step) throws(Rejection) {
        switch action {
        case .added(let name):
            guard !name.isEmpty else { throw .emptyName }
            guard items.count < ShoppingLimits.items else { throw .listFull }
            items.append(Item(id: step.makeID(), name: try short(name)))
        case .bought(let id):
            items[try items.index(id: id)].isBought = true
        case .removed(let id):
            items.remove(at: try items.index(id: id))
        }
    }

    /// A text that may go into the state.
    private func short(_ text: String) throws(Rejection) -> String {
        guard text.utf8.count <= ShoppingLimits.textByteCount else { throw .textTooLong }
        return text
    }

    private mutating func apply(_ fact: ShoppingFact) {
        switch fact {
        case .found(let text, let products):
            if search.text == text { search.products = products }
        case .orderTaken(let number): order = .taken(number: number)
        case .orderFailed(let reason): order = .failed(reason: reason)
        case .cardFound(let card): memberCard = memberCard ?? card
        case .cardFailed(let operation): cardProblem = operation
        }
    }
}

extension Rejection {
    static let emptyName = Rejection(
        "empty-name", "What is to be bought?", field: "name")
    static let textTooLong = Rejection(
        "text-too-long", "A text has 200 bytes at most.")
    static let listFull = Rejection(
        "list-full", "Remove something first.", kind: .conflict)
    static let nothingToOrder = Rejection(
        "nothing-to-order", "All of it is bought.", kind: .conflict)
    static let isBeingOrdered = Rejection(
        "is-being-ordered", "The shop has not answered yet.", kind: .conflict)
}
