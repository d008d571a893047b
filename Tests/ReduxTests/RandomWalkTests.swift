import Bytes
import Redux
import Testing

/// A store and its model, which are told the same.
private final class Walk {
    let store: Store<Int, WalkAction>
    var model = StoreModel()
    var told: [[Int]] = []
    var subscriptions: [Subscription] = []
    var settled: [UInt64] = []
    private var isReverting = false

    init() {
        store = Store(
            initial: 0,
            reducer: { (count, action, _) throws(Rejection) in
                try StoreModel.reduce(&count, action)
            },
            middleware: [
                Middleware("digits", intercept: { action, _, _ in StoreModel.verdict(on: action) }),
                Middleware(
                    "chains",
                    effectsAfter: { transition in
                        guard case .chained(let rest) = transition.action, rest > 0 else {
                            return []
                        }
                        return [.send(.chained(rest - 1))]
                    }),
            ],
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        store.onSettled = { [unowned self] in settled.append($0) }
        store.onDiagnostic = { [unowned self] diagnostic in
            if case .causedActionLost = diagnostic, isReverting { return }
            Issue.record("\(diagnostic)")
        }
    }

    func take(_ step: WalkStep) {
        switch step {
        case .dispatch(let action): #expect(store.dispatch(action) == model.dispatch(action))
        case .batch(let actions):
            #expect(store.dispatch(batch: actions) == model.dispatch(batch: actions))
        case .stage(let action):
            #expect(store.stage(action) == model.submitLater { $0.stage(action) })
        case .stageBatch(let actions):
            #expect(store.stage(batch: actions) == model.submitLater { $0.stage(batch: actions) })
        case .commit(let ahead):
            let last = store.version + ahead
            store.commit(through: last)
            model.commit(through: last)
        case .revert:
            isReverting = true
            store.revert()
            isReverting = false
            model.pending = []
        case .causedActions:
            store.submitCausedActions { _ in .later }
            model.stageCausedActions()
        case .observe: observe()
        case .forget(let index):
            guard subscriptions.indices.contains(index) else { return }
            subscriptions[index].cancel()
            model.told[index] = nil
        case .switchMiddleware(let name, let isOn):
            store.switchMiddleware(name, isEnabled: isOn)
            if isOn { model.enabled.insert(name) } else { model.enabled.remove(name) }
        }
    }

    private func observe() {
        let index = told.count
        told.append([])
        let subscription = store.observe({ $0 }) { [unowned self] count in
            let isFirst = told[index].isEmpty
            told[index].append(count)
            guard index == 0, !isFirst, count.isMultiple(of: 5) else { return }
            #expect(store.dispatch(.added(1)) == .queued)
        }
        subscriptions.append(subscription)
        model.told.append([model.count])
    }

    /// What must hold after every step.
    func compare() {
        #expect(store.state == model.count)
        #expect(store.version == model.version)
        #expect(store.ledger.lastChange == model.lastChange)
        #expect(store.head == model.head.count)
        #expect(store.headVersion == model.head.version)
        #expect(store.uncommitted.map(\.version) == model.pending.map(\.version))
        #expect(store.hasCausedActions == !model.waiting.isEmpty)
        for (seen, expected) in zip(told, model.told) {
            if let expected { #expect(seen == expected) }
        }
    }
}

extension WalkStep {
    fileprivate static func random(_ chance: inout SplitMix) -> WalkStep {
        switch Int.random(in: 0..<100, using: &chance) {
        case ..<50: .dispatch(.random(&chance))
        case ..<60: .batch(.random(&chance))
        case ..<68: .stage(.random(&chance))
        case ..<73: .stageBatch(.random(&chance))
        case ..<80: .commit(ahead: .random(in: 0...4, using: &chance))
        case ..<83: .revert
        case ..<88: .causedActions
        case ..<92: .observe
        case ..<95: .forget(.random(in: 0..<8, using: &chance))
        default:
            .switchMiddleware(
                Bool.random(using: &chance) ? "digits" : "chains", .random(using: &chance))
        }
    }
}

extension WalkAction {
    fileprivate static func random(_ chance: inout SplitMix) -> WalkAction {
        switch Int.random(in: 0..<20, using: &chance) {
        case 0: .refused
        case 1: .chained(.random(in: 0...6, using: &chance))
        case 2...4: .added(0)
        default: .added(.random(in: 0..<30, using: &chance))
        }
    }
}

extension [WalkAction] {
    fileprivate static func random(_ chance: inout SplitMix) -> [WalkAction] {
        (0..<Int.random(in: 0...5, using: &chance)).map { _ in .random(&chance) }
    }
}

@Suite struct `A random walk` {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `finds a store as simple as its model`(seed: UInt64) {
        var chance = SplitMix(seed: seed)
        let walk = Walk()
        // Without anything around it, and with everything: both ways through the store.
        let isPlain = seed.isMultiple(of: 2)
        for name in ["digits", "chains"] where isPlain {
            walk.take(.switchMiddleware(name, false))
        }
        for number in 0..<150 {
            let step = WalkStep.random(&chance)
            if isPlain, case .switchMiddleware = step { continue }
            walk.take(step)
            walk.compare()
            guard walk.store.version == walk.model.version else {
                Issue.record("lost after step \(number): \(step)")
                return
            }
        }
        walk.take(.dispatch(.added(1)))
        for version in 0...walk.store.version { #expect(walk.store.isSettled(version)) }
        for seen in walk.told { #expect(!zip(seen, seen.dropFirst()).contains { $0 == $1 }) }
    }
}
