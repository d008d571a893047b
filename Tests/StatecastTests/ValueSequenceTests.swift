import AsyncAlgorithms
import Redux
import Statecast
import Testing

/// Statecast's `throttle` and the operators of swift-async-algorithms, over a store's values and a clock that a test moves.
@Suite("A store's values")
struct ValueSequenceTests {
    struct State: Equatable, Sendable {
        var text = ""
        var count = 0
    }

    enum Action: Sendable {
        case typed(String)
        case counted(Int)
    }

    private func makeStore() -> Store<State, Action> {
        Store(
            initial: State(),
            reducer: { (state, action, _) throws(Rejection) in
                switch action {
                case .typed(let text): state.text = text
                case .counted(let count): state.count = count
                }
            },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
    }

    /// Reads a sequence in a task of its own.
    private func read<Values: AsyncSequence & Sendable>(
        _ values: Values
    ) -> (seen: AsyncStream<Values.Element>.Iterator, reader: Task<Void, any Error>)
    where Values.Element: Sendable {
        let (seen, continuation) = AsyncStream.makeStream(of: Values.Element.self)
        let reader = Task {
            for try await value in values { continuation.yield(value) }
            continuation.finish()
        }
        return (seen.makeAsyncIterator(), reader)
    }

    @Test func `mapped, filtered and without repetitions`() async {
        let store = makeStore()
        var parities = store.values(of: \.count).filter { $0 > 0 }.map { $0 % 3 }
            .removeDuplicates().makeAsyncIterator()
        store.dispatch(.counted(1))
        #expect(await parities.next() == 1)
        store.dispatch(.counted(5))
        #expect(await parities.next() == 2)
        store.dispatch(.counted(6))
        #expect(await parities.next() == 0)
    }

    @Test func `debounced, show the last one once it has stood still`() async {
        let store = makeStore()
        let clock = CountingClock()
        let values = Counted(store.values(of: \.text))
        var (seen, reader) = read(values.debounce(for: .seconds(1), clock: clock))
        await values.asked.reaches(2)
        await clock.sleeps.reaches(1)
        clock.advance(by: .seconds(1))
        #expect(await seen.next() == "")

        store.dispatch(.typed("a"))
        await values.asked.reaches(3)
        await clock.sleeps.reaches(2)
        clock.advance(by: .milliseconds(500))
        store.dispatch(.typed("ab"))
        await values.asked.reaches(4)
        clock.advance(by: .milliseconds(500))
        await clock.sleeps.reaches(3)
        clock.advance(by: .milliseconds(500))
        #expect(await seen.next() == "ab")
        reader.cancel()
    }

    @Test func `throttled, come at most once an interval and never lose the last`() async {
        let store = makeStore()
        let clock = CountingClock()
        var (seen, reader) = read(
            store.values(of: \.count).throttle(for: .seconds(1), clock: clock))
        #expect(await seen.next() == 0)
        await clock.sleeps.reaches(1)
        for count in 1...3 { store.dispatch(.counted(count)) }
        clock.advance(by: .seconds(1))
        #expect(await seen.next() == 3)
        await clock.sleeps.reaches(2)
        clock.advance(by: .seconds(5))
        store.dispatch(.counted(4))
        #expect(await seen.next() == 4)
        reader.cancel()
    }

    @Test func `throttled, end with their task while they wait`() async throws {
        let store = makeStore()
        let clock = CountingClock()
        var (seen, reader) = read(
            store.values(of: \.count).throttle(for: .seconds(1), clock: clock))
        #expect(await seen.next() == 0)
        await clock.sleeps.reaches(1)
        store.dispatch(.counted(1))
        reader.cancel()
        try await reader.value
        #expect(await seen.next() == nil)
    }

    @Test func `merged, show what either of them shows`() async {
        let store = makeStore()
        var both = merge(
            store.values(of: \.count).map { "count \($0)" },
            store.values(of: \.text).map { "text \($0)" }
        ).makeAsyncIterator()
        let first = [await both.next(), await both.next()]
        #expect(Set(first) == ["count 0", "text "])
        store.dispatch(.typed("a"))
        #expect(await both.next() == "text a")
        store.dispatch(.counted(2))
        #expect(await both.next() == "count 2")
    }
}
