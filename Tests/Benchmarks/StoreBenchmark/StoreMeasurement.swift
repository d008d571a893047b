import Redux

/// The store, measured with more or less around it.
enum StoreMeasurement {
    private static let environment = Environment(now: { Timestamp(milliseconds: 0) })

    private static func makeStore(
        _ middleware: [Middleware<Tally, TallyAction>] = []
    ) -> Store<Tally, TallyAction> {
        Store(
            initial: Tally(),
            reducer: { (state, action, _) throws(Rejection) in try state.apply(action) },
            middleware: middleware, environment: environment)
    }

    /// Every subscriber's selector runs, and selects what does not change.
    static func silent(_ observers: Int) -> Double {
        measure(makeStore(), observers) { index, told in
            switch index % 3 {
            case 0: { $0.observe({ $0.isNegative }) { _ in told.count += 1 } }
            case 1: { $0.observe({ $0.name }) { _ in told.count += 1 } }
            default: { $0.observe({ $0.items.count }) { _ in told.count += 1 } }
            }
        }
    }

    /// Every subscriber selects what changes, and is told each time.
    static func told(_ observers: Int) -> Double {
        measure(makeStore(), observers) { _, told in
            { $0.observe({ $0.count }) { _ in told.count += 1 } }
        }
    }

    private static func measure(
        _ store: Store<Tally, TallyAction>, _ observers: Int,
        _ subscribe: (Int, Told) -> (Store<Tally, TallyAction>) -> Subscription
    ) -> Double {
        let told = Told()
        let subscriptions = (0..<observers).map { subscribe($0, told)(store) }
        defer { for subscription in subscriptions { subscription.cancel() } }
        return Measurement.best {
            for _ in 0..<Measurement.count { store.dispatch(.added(1)) }
        }
    }

    /// The two phases of a session that keeps a journal.
    static func twoPhase() -> Double {
        let ledger = Ledger<Tally, TallyAction>(
            initial: Tally(),
            reducer: { (state, action, _) throws(Rejection) in try state.apply(action) },
            environment: environment)
        return Measurement.best {
            for _ in 0..<Measurement.count {
                ledger.submit(.added(1)) { _ in .later }
                ledger.commit(through: ledger.headVersion)
            }
        }
    }

    /// Something before the reducer, and something after it.
    static func surrounded() -> Double {
        let store = makeStore([
            Middleware("before", intercept: { _, _, _ in .pass }),
            Middleware("after", effectsAfter: { _ in [] }),
        ])
        return Measurement.best {
            for _ in 0..<Measurement.count { store.dispatch(.added(1)) }
        }
    }

    /// Dispatches actions that the reducer rejects.
    static func rejected() -> Double {
        let store = makeStore()
        return Measurement.best {
            for _ in 0..<Measurement.count { store.dispatch(.refused) }
        }
    }

    /// Dispatches actions for which the reducer makes an id.
    static func named() -> Double {
        let store = Store<Tally, TallyAction>(
            initial: Tally(), reducer: { state, _, step in state.name = step.makeID() },
            environment: environment)
        return Measurement.best {
            for _ in 0..<Measurement.count { store.dispatch(.added(1)) }
        }
    }

    /// Dispatches actions of two principals in turn.
    static func signed() -> Double {
        let store = makeStore()
        let principals = ["alice", "bob"].map {
            Principal("\($0)@example.com", roles: ["member"])
        }
        return Measurement.best {
            for index in 0..<Measurement.count {
                store.dispatch(.added(1), as: principals[index & 1])
            }
        }
    }

    /// The number of times that subscribers were told.
    private final class Told {
        var count = 0
    }
}
