import Redux
import Synchronization

/// Nanoseconds a dispatch with 0, 1, 10 and 100 subscribers that select a part of the state:
/// the store beside a bare class behind a lock and a bare actor with closures.
@main
enum StoreBenchmark {
    private struct State: Sendable, Equatable {
        var count = 0
        var name = "statecast"
    }

    private static let rounds = 200_000

    static func main() async {
        print("subscribers   store   class and lock   actor      (ns a dispatch, best of 5)")
        for subscribers in [0, 1, 10, 100] {
            let store = best { measureStore(subscribers) }
            let locked = best { measureLocked(subscribers) }
            var actor = Duration.seconds(1000)
            for _ in 0..<5 { actor = min(actor, await measureActor(subscribers)) }
            let cells = [store, locked, actor].map { nanoseconds($0) }
            print(
                "\(padded("\(subscribers)", 11))\(padded(cells[0], 8))\(padded(cells[1], 17))"
                    + padded(cells[2], 8))
        }
    }

    private static func best(_ measure: () -> Duration) -> Duration {
        (0..<5).map { _ in measure() }.min() ?? .zero
    }

    private static func nanoseconds(_ duration: Duration) -> String {
        "\(Int(duration / .nanoseconds(1)) / rounds)"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func measureStore(_ subscribers: Int) -> Duration {
        let store = Store<State, Int>(
            initial: State(),
            reducer: Reducer { (state, by) throws(Rejection) in state.count += by },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        var seen = 0
        let subscriptions = (0..<subscribers).map { _ in
            store.observe({ $0.count }) { seen &+= $0 }
        }
        let elapsed = ContinuousClock().measure {
            for _ in 0..<rounds { store.dispatch(1) }
        }
        precondition(store.state.count == rounds, "Every dispatch counts.")
        for subscription in subscriptions { subscription.cancel() }
        return elapsed
    }

    private static func measureLocked(_ subscribers: Int) -> Duration {
        let state = Mutex(State())
        var lasts = Array(repeating: 0, count: subscribers)
        let elapsed = ContinuousClock().measure {
            for _ in 0..<rounds {
                let count = state.withLock { state in
                    state.count += 1
                    return state.count
                }
                for index in lasts.indices where lasts[index] != count { lasts[index] = count }
            }
        }
        return elapsed
    }

    private actor Bare {
        private var state = State()
        private var observers: [(State) -> Void] = []
        private var seen = 0

        init(_ subscribers: Int) {
            for _ in 0..<subscribers {
                var last = 0
                observers.append { state in if state.count != last { last = state.count } }
            }
        }

        func dispatch(_ by: Int) {
            state.count += by
            for observer in observers { observer(state) }
        }
    }

    private static func measureActor(_ subscribers: Int) async -> Duration {
        let bare = Bare(subscribers)
        return await ContinuousClock().measure {
            for _ in 0..<rounds { await bare.dispatch(1) }
        }
    }
}
