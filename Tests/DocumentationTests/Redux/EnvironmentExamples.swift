import Redux
import Synchronization
import Testing

@testable import ShoppingList

/// Ids in their order, for tests.
private final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

@Suite struct `An environment` {
    @Test func `gives the time and the ids that a test expects`() {
        let counter = Counter()
        let environment = Environment(
            now: { Timestamp(milliseconds: 1_700_000_000_000) },
            makeID: { "id-\(counter.next())" })
        let store = Store(
            initial: ShoppingState(),
            reducer: Reducer<ShoppingState, ShoppingAction> { (state, action) throws(Rejection) in
                try state.apply(action)
            },
            middleware: [
                Middleware("ids") { action, _, context in
                    guard case .list(.added(let name, _)) = action else { return .pass }
                    let id = "\(context.now.milliseconds)-\(context.makeID())"
                    return .replace(.list(.added(name: name, id: id)))
                }
            ],
            environment: environment)

        store.dispatch(.list(.added(name: "Milk", id: nil)))
        #expect(store.state.items.first?.id == "1700000000000-id-1")
    }
}
