import Redux
import Testing

private struct Cart: Sendable, Equatable {
    var prices: [Int] = []
    var note = ""
    var total: Int { prices.reduce(0, +) }
    var isEmpty: Bool { prices.isEmpty }
}

private enum CartAction: Sendable, Equatable {
    case added(Int)
    case noted(String)
    case emptied
}

private func makeStore(
    _ middleware: [Middleware<Cart, CartAction>] = [], limits: StoreLimits = StoreLimits()
) -> Store<Cart, CartAction> {
    Store(
        initial: Cart(),
        reducer: { state, action, _ in
            switch action {
            case .added(let price): state.prices.append(price)
            case .noted(let note): state.note = note
            case .emptied: state.prices = []
            }
        },
        middleware: middleware, environment: Environment(now: { Timestamp(milliseconds: 0) }),
        limits: limits, deliver: { _ in })
}

/// Both ways of an action through a store: with nothing around it, and with something.
private let surroundings: [[Middleware<Cart, CartAction>]] = [
    [], [Middleware("before", intercept: { _, _, _ in .pass }, effectsAfter: { _ in [] })],
]

@Suite struct `Observers` {
    @Test(arguments: surroundings)
    fileprivate func `all see the same states in the same order, whoever dispatches`(
        middleware: [Middleware<Cart, CartAction>]
    ) {
        let store = makeStore(middleware)
        var first: [Int] = []
        var second: [Int] = []
        let one = store.observe(\.total) { total in
            first.append(total)
            guard total > 0, total < 5 else { return }
            #expect(store.dispatch(.added(1)) == .queued)
            #expect(store.state.total == total)
        }
        let other = store.observe(\.total) { total in
            second.append(total)
            if total == 2 { #expect(store.dispatch(.added(10)) == .queued) }
        }
        store.dispatch(.added(1))
        #expect(first == [0, 1, 2, 3, 13, 14])
        #expect(second == first)
        #expect(store.version == 5)
        _ = (one, other)
    }

    @Test(arguments: surroundings)
    fileprivate func `are told of computed properties only when what is computed differs`(
        middleware: [Middleware<Cart, CartAction>]
    ) {
        let store = makeStore(middleware)
        var totals: [Int] = []
        var empties: [Bool] = []
        var lengths: [Int] = []
        let keyPath: KeyPath<Cart, Int> = \.note.count
        let subscriptions = [
            store.observe(\.total) { totals.append($0) },
            store.observe(\.isEmpty) { empties.append($0) },
            store.observe(keyPath) { lengths.append($0) },
        ]
        for action: CartAction in [
            .added(2), .added(0), .noted("ab"), .noted("cd"), .added(3), .emptied, .emptied,
        ] {
            store.dispatch(action)
        }
        #expect(totals == [0, 2, 5, 0])
        #expect(empties == [true, false, true])
        #expect(lengths == [0, 2])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test(arguments: surroundings)
    fileprivate func `who go during a round are not told, and who come are told once`(
        middleware: [Middleware<Cart, CartAction>]
    ) {
        let store = makeStore(middleware)
        var late: [Int] = []
        var gone: [Int] = []
        var subscriptions: [Subscription] = []
        subscriptions.append(
            store.observe(\.total) { total in
                guard total == 1 else { return }
                subscriptions.remove(at: 1).cancel()
                subscriptions.append(store.observe(\.total) { late.append($0) })
            })
        subscriptions.append(store.observe(\.total) { gone.append($0) })
        store.dispatch(.added(1))
        #expect(late == [1])
        #expect(gone == [0])
        store.dispatch(.added(1))
        #expect(late == [1, 2])
        #expect(gone == [0])
    }

    @Test(arguments: 1...21)
    func `of any number are told in the order of their coming, without those who go meanwhile`(
        count: Int
    ) {
        for pair in 0..<count * count {
            let (canceller, cancelled) = (pair / count, pair % count)
            let store = makeStore()
            var told: [Int] = []
            var subscriptions: [Subscription] = []
            for number in 0..<count {
                subscriptions.append(
                    store.observe({ $0.total }) { total in
                        guard total > 0 else { return }
                        told.append(number)
                        if number == canceller { subscriptions[cancelled].cancel() }
                    })
            }
            store.dispatch(.added(1))
            let isTold = cancelled <= canceller
            #expect(told == (0..<count).filter { $0 != cancelled || isTold })
            told = []
            store.dispatch(.added(1))
            #expect(told == (0..<count).filter { $0 != cancelled })
        }
    }

    @Test func `may dispatch as they come, after what they are told`() {
        let store = makeStore()
        var totals: [Int] = []
        var isInside = false
        let subscription = store.observe(\.total) { total in
            #expect(!isInside)
            isInside = true
            totals.append(total)
            if total < 2 { #expect(store.dispatch(.added(1)) == .queued) }
            isInside = false
        }
        #expect(totals == [0, 1, 2])
        subscription.cancel()
    }

    @Test func `may switch middleware on, which the next action meets`() {
        let double = Middleware<Cart, CartAction>(
            "double",
            intercept: { action, _, _ in
                if case .added(let price) = action { .replace(.added(price * 2)) } else { .pass }
            })
        let store = makeStore([double])
        store.switchMiddleware("double", isEnabled: false)
        let subscription = store.observe(\.total) { total in
            if total == 1 { store.switchMiddleware("double", isEnabled: true) }
        }
        store.dispatch(.added(1))
        store.dispatch(.added(1))
        #expect(store.state.prices == [1, 2])
        subscription.cancel()
    }

    @Test func `that answer each other for ever are cut, with the chain of causes`() {
        var limits = StoreLimits()
        limits.chainLength = 3
        let store = makeStore(limits: limits)
        var diagnostics: [StoreDiagnostic] = []
        store.onDiagnostic = { diagnostics.append($0) }
        store.dispatch(.noted("before"))
        let subscription = store.observe(\.total) { total in
            if total > 0 { store.dispatch(.added(1)) }
        }
        store.dispatch(.added(1))
        #expect(diagnostics == [.chainCut(causes: [2, 3, 4, 5], limit: 3)])
        #expect(store.version == 5)
        #expect(store.isSettled(2))
        diagnostics = []
        store.dispatch(.emptied)
        store.dispatch(.added(1))
        #expect(diagnostics == [.chainCut(causes: [7, 8, 9, 10], limit: 3)])
        subscription.cancel()
    }
}

@Suite struct `A sequence that nobody reads any more` {
    private final class Counter {
        var count = 0
    }

    @Test func `costs its selector no more, and is let go of with the next observer`() {
        let store = makeStore()
        var calls = Counter()
        let read = store.values(of: { [calls] in
            calls.count += 1
            return $0.total
        })
        store.dispatch(.added(1))
        #expect(calls.count == 2)
        withExtendedLifetime(read) {}
        _ = consume read
        for _ in 1...3 { store.dispatch(.added(1)) }
        #expect(calls.count == 2)
        weak let kept = calls
        calls = Counter()
        #expect(kept != nil)
        store.observe(\.total) { _ in }.cancel()
        #expect(kept == nil)
    }
}
