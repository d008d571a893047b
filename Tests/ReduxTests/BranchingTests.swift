import Redux
import Testing

private enum Growth: Sendable {
    case grown
}

private func makeStore(
    branches: Int, _ change: (inout StoreLimits) -> Void = { _ in }
) -> Store<Int, Growth> {
    var limits = StoreLimits()
    change(&limits)
    return Store(
        initial: 0, reducer: { state, _, _ in state += 1 },
        middleware: (0..<branches).map {
            Middleware("branch \($0)", effectsAfter: { _ in [.send(.grown)] })
        },
        environment: Environment(now: { Timestamp(milliseconds: 0) }), limits: limits)
}

@Suite struct `Reactions that branch` {
    @Test func `for ever are cut, and that is told once, with a chain of causes`() {
        let store = makeStore(branches: 2)
        var diagnostics: [StoreDiagnostic] = []
        store.onDiagnostic = { diagnostics.append($0) }
        store.dispatch(.grown)
        #expect(store.version == 10_001)
        #expect(diagnostics.count == 1)
        guard case .chainCut(let causes, 10_000) = diagnostics.first else {
            Issue.record("\(diagnostics)")
            return
        }
        #expect(causes.first == 1)
        #expect(zip(causes, causes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(store.isSettled(1))
    }

    @Test func `are counted anew for each action`() {
        let store = makeStore(branches: 2) { $0.followingActions = 10 }
        var cuts = 0
        store.onDiagnostic = { _ in cuts += 1 }
        for _ in 0..<3 { store.dispatch(.grown) }
        #expect(store.version == 33)
        #expect(cuts == 3)
    }

    @Test func `are cut where their owner stages`() {
        let store = makeStore(branches: 3) { $0.followingActions = 100 }
        var cuts = 0
        store.onDiagnostic = { _ in cuts += 1 }
        _ = store.stage(.grown)
        repeat {
            store.commit(through: store.headVersion)
            store.submitCausedActions { _ in .later }
        } while store.headVersion > store.version
        #expect(store.version == 101)
        #expect(cuts == 1)
    }

    @Test func `let no more wait than may, and tell of the others`() {
        let store = makeStore(branches: 3) {
            $0.queuedActions = 2
            $0.chainLength = 1
        }
        var diagnostics: [StoreDiagnostic] = []
        store.onDiagnostic = { diagnostics.append($0) }
        store.dispatch(.grown)
        #expect(store.version == 3)
        guard case .causedActionRejected(1, let rejection) = diagnostics.first else {
            Issue.record("\(diagnostics)")
            return
        }
        #expect(rejection.code == "too-many-queued")
    }
}
