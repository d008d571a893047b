import Redux
import Testing

/// A small application: a number, and a way to refuse.
private struct Tally: Sendable, Equatable {
    var count = 0
    var name = ""
    var doubled: Int { count * 2 }
}

private enum TallyAction: Sendable, Equatable {
    case added(Int)
    case named(String)
    case refused
}

private let reducer: Reducer<Tally, TallyAction> = { (state, action, _) throws(Rejection) in
    switch action {
    case .added(let number): state.count += number
    case .named(let name): state.name = name
    case .refused:
        state.count = -1
        throw Rejection("refused", "No.", kind: .conflict)
    }
}

private func makeStore(
    _ middleware: [Middleware<Tally, TallyAction>] = [], limits: StoreLimits = StoreLimits()
) -> Store<Tally, TallyAction> {
    Store(
        initial: Tally(), reducer: reducer, middleware: middleware,
        environment: Environment(now: { Timestamp(milliseconds: 7) }),
        limits: limits)
}

@Suite struct `A store` {
    @Test func `throws away what a reducer did before it refused`() {
        let store = makeStore()
        let rejection = Rejection("refused", "No.", kind: .conflict)
        #expect(store.dispatch(.refused) == .rejected(rejection))
        #expect(store.state == Tally())
        #expect(store.version == 0)
    }

    @Test func `tells observers of what differs, computed or stored`() {
        let store = makeStore()
        var doubled: [Int] = []
        var names: [String] = []
        let first = store.observe(\.doubled) { doubled.append($0) }
        let second = store.observe({ $0.name }) { names.append($0) }
        store.dispatch(.added(1))
        store.dispatch(.named("x"))
        store.dispatch(.named("x"))
        store.dispatch(.added(0))
        #expect(doubled == [0, 2])
        #expect(names == ["", "x"])
        first.cancel()
        store.dispatch(.added(1))
        #expect(doubled == [0, 2])
        second.cancel()
    }

    @Test func `tells a part as a sequence that begins with the present`() async {
        let store = makeStore()
        store.dispatch(.added(4))
        var values = store.values { $0.count }.makeAsyncIterator()
        #expect(await values.next() == 4)
        store.dispatch(.added(1))
        store.dispatch(.added(1))
        #expect(await values.next() == 6)
    }
}

@Suite struct `A middleware` {
    private static func intercepting(
        _ verdict: @escaping @Sendable (TallyAction) -> Verdict<TallyAction>
    ) -> Middleware<Tally, TallyAction> {
        Middleware("test", intercept: { action, _, _ in verdict(action) })
    }

    @Test func `runs in its order, and only while it is switched on`() {
        let first = Middleware<Tally, TallyAction>(
            "first",
            intercept: { action, _, _ in action == .added(1) ? .replace(.added(2)) : .pass })
        let second = Middleware<Tally, TallyAction>(
            "second",
            intercept: { action, _, _ in action == .added(2) ? .replace(.added(3)) : .pass }
        )
        let store = makeStore([first, second])
        store.dispatch(.added(1))
        #expect(store.state.count == 3)
        store.middleware[1].isEnabled = false
        store.dispatch(.added(1))
        #expect(store.state.count == 5)
    }

    @Test func `is told before the reducer where an action comes from, from whom and when`() {
        let store = makeStore([
            Middleware(
                "stamp",
                intercept: { _, _, incoming in
                    let (name, time) = (incoming.by?.id ?? "server", incoming.at.milliseconds)
                    return .replace(.named("\(incoming.origin.rawValue) \(name) at \(time)"))
                })
        ])
        store.dispatch(.added(1), as: Principal("alice"))
        #expect(store.state.name == "client alice at 7")
        store.dispatch(.added(1), origin: .server)
        #expect(store.state.name == "server server at 7")
    }
}

@Suite struct `A commit` {
    @Test func `shows what is still undecided to those it tells`() {
        let store = makeStore()
        var seen: [(head: Int, uncommitted: [UInt64])] = []
        let subscription = store.observe(\.count) { _ in
            seen.append((store.head.count, store.uncommitted.map(\.version)))
        }
        for number in 1...3 { _ = store.stage(.added(number)) }
        store.commit(through: 2)
        #expect(seen.map(\.head) == [0, 6, 6])
        #expect(seen.map(\.uncommitted) == [[], [2, 3], [3]])
        #expect(store.headVersion == 3)
        subscription.cancel()
    }

    @Test func `may be cut short by those it tells`() {
        let store = makeStore()
        let subscription = store.observe(\.count) { count in
            if count == 1 { store.revert() }
        }
        for number in 1...3 { _ = store.stage(.added(number)) }
        store.commit(through: 3)
        #expect(store.state.count == 1)
        #expect(store.headVersion == 1)
        #expect(store.uncommitted.isEmpty)
        #expect(store.dispatch(.added(1)) == .accepted(first: 2, last: 2, changed: true))
        subscription.cancel()
    }
}
