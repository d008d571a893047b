public import Redux

/// Limits that keep the state small.
enum ShoppingLimits {
    static let items = 500
    static let textByteCount = 200
}

extension ShoppingState {
    /// Changes the state by an action.
    public mutating func apply(_ action: ShoppingAction, _ step: Step) throws(Rejection) {
        switch action {
        case .list(let action): try apply(action, step)
        case .search(let action): try apply(action)
        case .card(let action): try apply(action, step)
        case .ordered:
            guard openCount > 0 else { throw .nothingToOrder }
            if case .sending = order { throw .isBeingOrdered }
            order = .sending(names: items.filter { !$0.isBought }.map(\.name))
        case .answered(.value(let number)): order = .taken(number: number)
        case .answered(.problem(let problem)): order = .failed(problem: problem)
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

    private mutating func apply(_ action: SearchAction) throws(Rejection) {
        switch action {
        case .edited(let text):
            search.text = try short(text)
            search.products = text.isEmpty ? .idle : .loading(search.products.value)
        case .cleared: search = Search()
        case .found(let answer): search.products.finish(answer)
        }
    }

    private mutating func apply(_ action: CardAction, _ step: Step) throws(Rejection) {
        switch action {
        case .asked: try use(.loading(nil), step)
        case .scanned(let card): try use(.loaded(Secret(try short(card.value))), step)
        case .putAway:
            guard try step.signedIn().id == member?.id else { throw .notYourCard }
            try use(.idle, step)
        case .found(.value(let card)):
            member?.card = card.map { .loaded($0) } ?? .idle
            member?.isKept = true
        case .found(.problem(let problem)), .kept(.problem(let problem)):
            member?.card.finish(.problem(problem))
        case .kept(.value): member?.isKept = true
        }
    }

    /// Orders with the card of the person who sends an action.
    private mutating func use(
        _ card: Loadable<Secret<String>>, _ step: Step
    ) throws(Rejection) {
        if case .sending = order { throw .isBeingOrdered }
        member = Member(id: try step.signedIn().id, card: card)
    }

    private func short(_ text: String) throws(Rejection) -> String {
        guard text.utf8.count <= ShoppingLimits.textByteCount else { throw .textTooLong }
        return text
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
    static let notYourCard = Rejection(
        "not-your-card", "Ask the one whose card it is.", kind: .forbidden)
}
