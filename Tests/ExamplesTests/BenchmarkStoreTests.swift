import Benchmark
import BenchmarkModel
import StatecastTesting
import Testing

@Suite struct `The benchmark, step by step` {
    @Test func `counts around the end of the integers, and stays where it was over a restart`() {
        let store = TestStore(BenchmarkApplication())
        store.send(.incremented(by: 2)) { $0.counter = 2 }
        store.restart()
        store.send(.incremented(by: .max)) { $0.counter = .min + 1 }
        store.restart()
    }

    @Test func `counts one record, and nothing where there is none`() {
        let store = TestStore(BenchmarkApplication(itemCount: 3))
        store.send(.counted(item: 2)) { $0.items[2].n = 15 }
        store.send(.counted(item: 3))
        store.send(.counted(item: -1))
        #expect(store.state.items.count == 3)
    }
}
