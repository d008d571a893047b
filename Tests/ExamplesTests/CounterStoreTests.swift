import Counter
import CounterModel
import StatecastTesting
import Testing

@Suite struct `The counter, step by step` {
    @Test func `goes up and down, begins anew, and stays where it was over a restart`() {
        let store = TestStore(CounterApplication())
        store.send(.incremented(by: 5)) { $0.count = 5 }
        store.send(.decremented(by: 7)) { $0.count = -2 }
        store.restart()
        store.send(.incremented(by: 3)) { $0.count = 1 }
        store.send(.reset) { $0.count = 0 }
        store.restart()
    }

    @Test func `rejects a sum that no integer holds`() {
        let store = TestStore(CounterApplication())
        store.send(.incremented(by: .max)) { $0.count = .max }
        store.send(.incremented(by: 1), rejectedAs: "out-of-range", field: "by")
        store.restart()
        store.send(.decremented(by: -1), rejectedAs: "out-of-range", field: "by")
        store.restart()
    }
}
