import Statecast
import StatecastTesting
import Testing

@Suite struct `A test store whose options have rates` {
    private typealias Store = TestStore<DiaryApplication.State, DiaryApplication.Action>

    private func store(_ rates: RateLimit...) -> Store {
        TestStore(DiaryApplication(), as: Principal("ann"), options: .init(rates: rates))
    }

    @Test func `refuses what a client sends too often, until there is room again`() {
        let store = store(.atMost(2, per: .seconds(60), of: "opened"))
        store.send(.opened(number: 1)) { $0.page = .init(number: 1) }
        store.send(.opened(number: 2)) { $0.page = .init(number: 2) }
        store.send(.opened(number: 3), rejectedAs: "too-often")
        store.send(batch: [.closed, .opened(number: 3)], rejectedAs: "too-often", at: 0)
        store.send(
            batch: [1, 2, 3].map { .opened(number: $0) }, rejectedAs: "batch-too-large", at: 0)
        store.send(.closed) { $0.page = nil }
        store.send(.opened(number: 4), as: Principal("bob")) { $0.page = .init(number: 4) }
        store.report(.opened(number: 5)) { $0.page = .init(number: 5) }
        store.advance(by: .seconds(30))
        store.send(.opened(number: 6)) { $0.page = .init(number: 6) }
        store.send(.opened(number: 7), rejectedAs: "too-often")
    }

    @Test func `has the newest go on at the end of its period`() {
        let store = store(.newest(every: .seconds(60), of: "opened"))
        store.send(.opened(number: 1)) { $0.page = .init(number: 1) }
        store.send(.opened(number: 2))
        store.send(.opened(number: 3))
        store.send(.closed) { $0.page = nil }
        store.advance(by: .seconds(60))
        store.receive(.opened(number: 3)) { $0.page = .init(number: 3) }
    }
}
