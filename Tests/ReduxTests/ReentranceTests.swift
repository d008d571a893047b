import Redux
import Testing

private enum Addition: Sendable, Equatable {
    case added(Int)
    case refused
}

/// The store that the reducer and the interceptor of these tests dispatch to.
@MainActor private var inner: Store<Int, Addition>?

private func makeStore(
    _ middleware: [Middleware<Int, Addition>] = [],
    whileReducing: @escaping @Sendable (Addition) -> Void = { _ in }
) -> Store<Int, Addition> {
    Store(
        initial: 0,
        reducer: { (state, action, _) throws(Rejection) in
            whileReducing(action)
            switch action {
            case .added(let number): state += number
            case .refused: throw .refused
            }
        },
        middleware: middleware, environment: Environment(now: { Timestamp(milliseconds: 0) }),
        deliver: { _ in })
}

/// Dispatches an addition of ten after one of one.
@Sendable private func addTen(after action: Addition) {
    guard action == .added(1) else { return }
    MainActor.assumeIsolated { #expect(inner?.dispatch(.added(10)) == .queued) }
}

extension Rejection {
    fileprivate static let refused = Rejection("refused", "No.")
}

@MainActor @Suite(.serialized) struct `What is dispatched from inside` {
    @Test func `of a reducer follows`() {
        let store = makeStore(whileReducing: addTen)
        inner = store
        defer { inner = nil }
        #expect(store.dispatch(.added(1)) == .accepted(first: 1, last: 1, changed: true))
        #expect(store.state == 11)
        #expect(store.version == 2)
        #expect(store.stage(.added(1)) == .accepted(first: 3, last: 3, changed: true))
        #expect(store.headVersion == 4)
        #expect(store.head == 22)
    }

    @Test func `of an interceptor follows`() {
        let store = makeStore([
            Middleware("add") { action, _, _ in
                addTen(after: action)
                return .pass
            }
        ])
        inner = store
        defer { inner = nil }
        #expect(store.dispatch(.added(1)) == .accepted(first: 1, last: 1, changed: true))
        #expect(store.state == 11)
        #expect(store.version == 2)
    }

    @Test func `of a reducer that always does is cut`() {
        let store = makeStore { _ in
            MainActor.assumeIsolated { _ = inner?.dispatch(.added(1)) }
        }
        inner = store
        defer { inner = nil }
        var cuts = 0
        store.onDiagnostic = { _ in cuts += 1 }
        store.dispatch(.added(1))
        #expect(store.state == 101)
        #expect(cuts == 1)
    }

    @Test func `of a reducer that refuses follows all the same`() {
        let store = makeStore { action in
            guard action == .refused else { return }
            MainActor.assumeIsolated { _ = inner?.dispatch(.added(1)) }
        }
        inner = store
        defer { inner = nil }
        guard case .rejected = store.dispatch(.refused) else { return #expect(Bool(false)) }
        #expect(store.state == 1)
    }

    @Test func `of a diagnostic follows, and is not lost`() {
        let store = makeStore()
        store.checks = ReductionChecks(repeatsReductions: false, timeBudget: .seconds(-1))
        var outcomes: [Outcome] = []
        store.onDiagnostic = { _ in
            if outcomes.isEmpty { outcomes.append(store.dispatch(.added(1_000))) }
        }
        #expect(store.dispatch(.added(1)) == .accepted(first: 1, last: 1, changed: true))
        #expect(outcomes == [.queued])
        #expect(store.state == 1_001)
        #expect(store.version == 2)
    }

    @Test func `of every diagnostic is cut`() {
        let store = makeStore()
        store.checks = ReductionChecks(repeatsReductions: false, timeBudget: .seconds(-1))
        store.onDiagnostic = { _ in store.dispatch(.added(1)) }
        store.dispatch(.added(1))
        #expect(store.version == 101)
    }

    @Test func `of a settled chain follows, and is cut`() {
        let store = makeStore([
            Middleware("follow", effectsAfter: { $0.action == .added(1) ? [.send(.added(0))] : [] })
        ])
        var isInside = false
        store.onSettled = { _ in
            #expect(!isInside)
            isInside = true
            store.dispatch(.added(1))
            isInside = false
        }
        store.dispatch(.added(1))
        #expect(store.version == 101)
        #expect(store.state == 51)
    }

    @Test func `as a batch is taken as a whole, and told at once`() {
        let store = makeStore()
        var seen: [Int] = []
        let subscription = store.observe({ $0 }) { state in
            seen.append(state)
            guard state == 1 else { return }
            let outcome = store.dispatch(batch: [.added(10), .added(20)])
            #expect(outcome == .accepted([.queued, .queued]))
        }
        store.dispatch(.added(1))
        #expect(seen == [0, 1, 31])
        #expect(store.version == 3)
        subscription.cancel()
    }

    @Test func `as a batch is refused as a whole, and somebody learns of it`() {
        let store = makeStore()
        var diagnostics: [StoreDiagnostic] = []
        store.onDiagnostic = { diagnostics.append($0) }
        let subscription = store.observe({ $0 }) { state in
            guard state == 1 else { return }
            store.dispatch(batch: [.added(10), .refused, .added(100)])
        }
        store.dispatch(.added(1))
        #expect(store.state == 1)
        #expect(diagnostics == [.causedActionRejected(cause: 1, rejection: .refused)])
        #expect(store.isSettled(1))
        subscription.cancel()
    }

    @Test func `is told where it is refused`() {
        let store = makeStore([
            Middleware("follow", effectsAfter: { $0.action == .added(2) ? [.send(.refused)] : [] })
        ])
        var diagnostics: [StoreDiagnostic] = []
        store.onDiagnostic = { diagnostics.append($0) }
        let subscription = store.observe({ $0 }) { state in
            if state == 1 { #expect(store.dispatch(.refused) == .queued) }
        }
        store.dispatch(.added(1))
        store.dispatch(.added(2))
        #expect(
            diagnostics == [
                .causedActionRejected(cause: 1, rejection: .refused),
                .causedActionRejected(cause: 2, rejection: .refused),
            ])
        subscription.cancel()
    }

    @Test func `as a batch, or staged, follows`() {
        let store = makeStore()
        let subscription = store.observe({ $0 }) { state in
            guard state == 1 else { return }
            #expect(store.stage(.added(10)) == .queued)
            #expect(store.dispatch(batch: [.added(20)]) == .accepted([.queued]))
        }
        store.dispatch(.added(1))
        #expect(store.state == 31)
        #expect(store.version == 3)
        subscription.cancel()
    }
}
