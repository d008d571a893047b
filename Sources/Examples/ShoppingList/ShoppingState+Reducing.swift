import Statecast

/// Limits that keep the state small, however much clients send.
enum ShoppingLimits {
    static let items = 500
    static let textByteCount = 200
}

extension ShoppingState {
    /// Changes the state by a client's action.
    mutating func apply(_ action: ShoppingAction) throws(Rejection) {
        switch action {
        case .list(let action): try apply(action)
        case .search(.edited(let text)): search.text = try short(text)
        case .search(.cleared): search = Search()
        case .cardScanned(let card): memberCard = Secret(try short(card.value))
        case .cardPutAway: memberCard = nil
        case .ordered:
            guard openCount > 0 else { throw .nothingToOrder }
            guard order != .sending else { throw .isBeingOrdered }
            order = .sending
        }
    }

    private mutating func apply(_ action: ListAction) throws(Rejection) {
        switch action {
        case .added(let name, let id):
            guard let id, !name.isEmpty else { throw .emptyName }
            guard items.count < ShoppingLimits.items else { throw .listFull }
            items.append(Item(id: id, name: try short(name)))
        case .bought(let id):
            items[try index(of: id)].isBought = true
        case .removed(let id):
            items.remove(at: try index(of: id))
        }
    }

    /// A text that may go into the state.
    private func short(_ text: String) throws(Rejection) -> String {
        guard text.utf8.count <= ShoppingLimits.textByteCount else { throw .textTooLong }
        return text
    }

    private func index(of id: String) throws(Rejection) -> Int {
        guard let index = items.firstIndex(where: { $0.id == id }) else { throw .noSuchItem }
        return index
    }

    /// Changes the state by an effect's report.
    mutating func apply(_ fact: ShoppingFact) {
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
    static let emptyName = Rejection(code: "empty-name", message: "What is to be bought?")
    static let textTooLong = Rejection(
        code: "text-too-long", message: "A text has 200 bytes at most.")
    static let listFull = Rejection(
        code: "list-full", message: "Remove something first.", kind: .conflict)
    static let noSuchItem = Rejection(
        code: "no-such-item", message: "Somebody has removed it.", kind: .conflict)
    static let nothingToOrder = Rejection(
        code: "nothing-to-order", message: "All of it is bought.", kind: .conflict)
    static let isBeingOrdered = Rejection(
        code: "is-being-ordered", message: "The shop has not answered yet.", kind: .conflict)
}
