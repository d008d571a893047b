import Redux
import StatecastTesting
import Synchronization
import Testing

@Suite struct `Work in time` {
    private enum Action: Sendable, Equatable {
        case asked
        case left
        case told(Answer<Int>)
    }

    private struct State: Sendable, Equatable {
        var isAsking = false
        var answer: Answer<Int>?
    }

    /// The clock of a store, and the times in milliseconds at which tries have begun.
    private final class Tries: Sendable {
        private let times = Mutex<[Int]>([])
        private let clock = Mutex<ManualClock?>(nil)

        var all: [Int] { times.withLock { $0 } }

        func use(_ clock: ManualClock) { self.clock.withLock { $0 = clock } }

        func begin() -> Int {
            let time = clock.withLock { $0?.now.offset } ?? .zero
            return times.withLock { times in
                times.append(Int(time / .milliseconds(1)))
                return times.count
            }
        }
    }

    private struct Failure: Error {}

    private let tries = Tries()

    /// A store whose work takes a while, fails a few times, and answers with the number of its try.
    private func store(
        _ policy: WorkPolicy, lasting duration: Duration = .zero, failures: Int = 0,
        throwing error: any Error = Failure()
    ) -> TestStore<State, Action> {
        let tries = tries
        let store = TestStore<State, Action>(
            initial: State(),
            reducer: { state, action, _ in
                switch action {
                case .asked: state.isAsking = true
                case .left: state.isAsking = false
                case .told(let answer): state = State(isAsking: false, answer: answer)
                }
            },
            work: { state in
                guard state.isAsking else { return [] }
                return [
                    Work("ask", for: duration, policy: policy) { duration, context in
                        let number = tries.begin()
                        try await context.sleep(for: duration)
                        guard number > failures else { throw error }
                        return number
                    } then: {
                        .told($0)
                    }
                ]
            })
        tries.use(store.clock)
        return store
    }

    private func ask(_ store: TestStore<State, Action>) {
        store.send(.asked) { $0.isAsking = true }
    }

    private func hear(_ answer: Answer<Int>, from store: TestStore<State, Action>) {
        store.receive(.told(answer)) { $0 = State(isAsking: false, answer: answer) }
    }

    @Test func `that the state has left does not begin, though it is quiet`() {
        let store = store(.debounced(.milliseconds(300)))
        ask(store)
        store.advance(by: .milliseconds(299))
        store.send(.left) { $0.isAsking = false }
        store.run()
        #expect(tries.all.isEmpty)
    }

    @Test func `waits for a try no longer than an hour, unless that was asked for`() {
        let doubling = store(.retrying(3, backoff: .seconds(1_800)), failures: 9)
        ask(doubling)
        doubling.run()
        #expect(tries.all == [0, 1_800_000, 5_400_000, 9_000_000])
        hear(.problem(.failed), from: doubling)
        let constant = store(.retrying(2, backoff: .seconds(7_200)), failures: 9)
        ask(constant)
        constant.run()
        #expect(tries.all.suffix(3) == [0, 7_200_000, 14_400_000])
        hear(.problem(.failed), from: constant)
    }

    @Test func `has its time anew with each try`() {
        let policy = WorkPolicy.timingOut(after: .seconds(1)).retrying(1)
        let store = store(policy, lasting: .seconds(2))
        ask(store)
        store.run()
        #expect(tries.all == [0, 1_100])
        #expect(store.clock.now.offset == .milliseconds(2_100))
        hear(.problem(.timedOut), from: store)
    }

    @Test func `that throws a CancellationError of its own has failed, and is tried again`() {
        let store = store(.retrying(1), failures: 9, throwing: CancellationError())
        ask(store)
        store.run()
        #expect(tries.all == [0, 100])
        hear(.problem(.failed), from: store)
    }

    @Test func `waits for a try no longer once the state has left it`() {
        let store = store(.retrying(3, backoff: .seconds(10)), failures: 9)
        ask(store)
        store.advance(by: .seconds(5))
        store.send(.left) { $0.isAsking = false }
        #expect(tries.all == [0])
        #expect(store.clock.timeToNextWake == nil)
    }
}
