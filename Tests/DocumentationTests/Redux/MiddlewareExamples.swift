import Redux
import Synchronization
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// Takes lines from anywhere.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

@Suite struct `A middleware` {
    @Test func `replaces an action by a tidier one`() {
        let trimming = Middleware<ShoppingState, ShoppingAction>("trimming") { action, _, _ in
            guard case .list(.added(let name)) = action else { return .pass }
            return .replace(.list(.added(name: String(name.drop(while: \.isWhitespace)))))
        }
        let store = makeStore(middleware: [trimming])
        store.dispatch(.list(.added(name: "  Milk")))
        #expect(store.state.items.map(\.name) == ["Milk"])
        #expect(store.dispatch(.list(.added(name: " "))) == .rejected(.emptyName))
    }

    @Test func `rejects what one may not do`() {
        let members = Middleware<ShoppingState, ShoppingAction>("members") { action, _, incoming in
            guard case .ordered = action else { return .pass }
            let isMember = incoming.by?.roles.contains("member") ?? false
            return isMember ? .pass : .reject(.notAMember)
        }
        let store = makeStore(
            ShoppingState(items: [.init(id: "1", name: "Milk")]), middleware: [members])
        #expect(store.dispatch(.ordered, as: Principal("eve")) == .rejected(.notAMember))

        let ada = Principal("ada", roles: ["member"])
        #expect(store.dispatch(.ordered, as: ada) == .accepted(first: 1, last: 1, changed: true))
    }

    @Test func `makes several actions of one`() {
        let recipes = Middleware<ShoppingState, ShoppingAction>("recipes") { action, _, _ in
            guard case .list(.added("Pancakes")) = action else { return .pass }
            return .expand(["Flour", "Eggs", "Milk"].map { .list(.added(name: $0)) })
        }
        let store = makeStore(middleware: [recipes])
        let outcome = store.dispatch(.list(.added(name: "Pancakes")))
        #expect(outcome == .accepted(first: 1, last: 3, changed: true))
        #expect(store.state.items.map(\.name) == ["Flour", "Eggs", "Milk"])
    }

    @Test func `reacts to what was committed`() {
        let thanks = Middleware<ShoppingState, ShoppingAction>(
            "thanks",
            effectsAfter: { step in
                guard step.old.openCount > 0, step.new.openCount == 0 else { return [] }
                return [.send(.search(.cleared))]
            })
        var state = ShoppingState(items: [.init(id: "1", name: "Milk")])
        state.search.text = "mi"
        let store = makeStore(state, middleware: [thanks])
        store.dispatch(.list(.bought(id: "1")))
        #expect(store.state.search.text.isEmpty)
        #expect(store.version == 2)
    }

    @Test func `is switched by its name`() {
        let store = makeStore(middleware: [Middleware("closed") { _, _, _ in .drop }])
        #expect(store.dispatch(.search(.edited(text: "m"))) == .dropped)

        store.switchMiddleware("closed", isEnabled: false)
        store.dispatch(.search(.edited(text: "mi")))
        #expect(store.state.search.text == "mi")
    }

    @Test func `logs and counts`() {
        let log = Lines()
        let events = Lines()
        let milk = ShoppingState(items: [.init(id: "1", name: "Milk")])
        let store = makeStore(
            milk,
            middleware: [
                .logger(redact: { $0.kind }, write: { log.append($0) }),
                .analytics { step in
                    if case .ordered = step.action { "ordered" } else { nil }
                } send: { (event: String) in
                    events.append(event)
                },
            ])
        store.dispatch(.list(.bought(id: "1")))
        store.dispatch(.list(.added(name: "Bread")))
        store.dispatch(.ordered)

        #expect(log.all.first == "#1 client list\n  items[0].isBought: false → true")
        #expect(events.all == ["ordered"])
    }
}

extension ShoppingAction {
    /// What a log tells of an action: never what was typed.
    var kind: String {
        switch self {
        case .list: "list"
        case .search: "search"
        case .card: "card"
        case .ordered, .answered: "order"
        }
    }
}

extension Rejection {
    fileprivate static let notAMember = Rejection(
        "not-a-member", "Only members order.", kind: .forbidden)
}
