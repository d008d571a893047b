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
    @Test func `counts its entries, changed or not`() {
        let store = makeStore()
        #expect(store.dispatch(.added(2)) == .accepted(first: 1, last: 1, changed: true))
        #expect(store.dispatch(.added(0)) == .accepted(first: 2, last: 2, changed: false))
        #expect(store.state.count == 2)
        #expect(store.version == 2)
        #expect(store.ledger.lastChange == 1)
    }

    @Test func `throws away what a reducer did before it refused`() {
        let store = makeStore()
        let rejection = Rejection("refused", "No.", kind: .conflict)
        #expect(store.dispatch(.refused) == .rejected(rejection))
        #expect(store.state == Tally())
        #expect(store.version == 0)
    }

    @Test func `shows nothing of what is decided before it is committed`() {
        let store = makeStore()
        var seen: [Int] = []
        let subscription = store.observe(\.count) { seen.append($0) }
        _ = store.stage(.added(1))
        _ = store.stage(.added(2))
        #expect(store.state.count == 0)
        #expect(store.head.count == 3)
        #expect(seen == [0])
        store.commit(through: 1)
        #expect(store.state.count == 1)
        #expect(seen == [0, 1])
        store.commit(through: 2)
        #expect(seen == [0, 1, 3])
        subscription.cancel()
    }

    @Test func `goes back to what was committed`() {
        let store = makeStore()
        store.dispatch(.added(5))
        _ = store.stage(.added(1))
        store.revert()
        #expect(store.head.count == 5)
        #expect(store.headVersion == 1)
        #expect(store.dispatch(.added(1)) == .accepted(first: 2, last: 2, changed: true))
    }

    @Test func `takes a batch whole or not at all`() {
        let store = makeStore()
        let rejection = Rejection("refused", "No.", kind: .conflict)
        #expect(
            store.stage(batch: [.added(1), .refused, .added(2)])
                == .rejected(index: 1, rejection))
        #expect(store.head == Tally())
        #expect(
            store.stage(batch: [.added(1), .added(2)])
                == .accepted([
                    .accepted(first: 1, last: 1, changed: true),
                    .accepted(first: 2, last: 2, changed: true),
                ]))
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

    @Test func `queues what an observer dispatches, in order`() {
        let store = makeStore()
        var seen: [Int] = []
        let subscription = store.observe(\.count) { count in
            seen.append(count)
            if count == 1 { #expect(store.dispatch(.added(10)) == .queued) }
        }
        store.dispatch(.added(1))
        #expect(seen == [0, 1, 11])
        #expect(store.version == 2)
        subscription.cancel()
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

    @Test func `may pass, replace, expand, drop or refuse`() {
        let rejection = Rejection("no", "No.")
        let store = makeStore([
            Self.intercepting { action in
                switch action {
                case .added(1): .pass
                case .added(2): .replace(.added(20))
                case .added(3): .expand([.added(1), .added(1)])
                case .added(4): .drop
                default: .reject(rejection)
                }
            }
        ])
        #expect(store.dispatch(.added(1)) == .accepted(first: 1, last: 1, changed: true))
        #expect(store.dispatch(.added(2)) == .accepted(first: 2, last: 2, changed: true))
        #expect(store.state.count == 21)
        #expect(store.dispatch(.added(3)) == .accepted(first: 3, last: 4, changed: true))
        #expect(store.dispatch(.added(4)) == .dropped)
        #expect(store.dispatch(.added(5)) == .rejected(rejection))
        #expect(store.state.count == 23)
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

    @Test func `sees both states after the commit, and dispatches what follows`() {
        let store = makeStore([
            Middleware(
                "react",
                effectsAfter: { transition in
                    transition.new.count == 1 && transition.old.count == 0
                        ? [.send(.named("one"))] : []
                })
        ])
        store.dispatch(.added(1))
        #expect(
            store.state
                == {
                    var state = Tally()
                    state.count = 1
                    state.name = "one"
                    return state
                }())
        #expect(store.version == 2)
    }

    @Test func `that answers itself for ever is cut, with the chain of causes`() {
        var limits = StoreLimits()
        limits.chainLength = 5
        let store = makeStore(
            [Middleware("loop", effectsAfter: { _ in [.send(.added(1))] })], limits: limits)
        var diagnostics: [StoreDiagnostic] = []
        store.onDiagnostic = { diagnostics.append($0) }
        store.dispatch(.added(1))
        #expect(store.version == 6)
        #expect(diagnostics == [.chainCut(causes: [1, 2, 3, 4, 5, 6], limit: 5)])
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
