import Redux
import Synchronization
import Testing

private enum Action: Sendable, Equatable {
    /// Starts effects that wait for ever, in the scope of the present page.
    case opened(effects: Int, policy: EffectPolicy)
    case turned(to: Int)
    /// Turns pages one by one, each action following from the one before.
    case leafed(through: Int)
}

/// A reader's page, whose effects last as long as the page is shown; counts the looks at scopes.
private final class Reader {
    private final class Looks: Sendable {
        let count = Atomic(0)
    }

    private let looks = Looks()
    let store: Store<Int, Action>

    init() {
        let looks = looks
        let effects = Middleware<Int, Action>(
            "effects",
            react: { transition in
                switch transition.action {
                case .opened(let count, let policy):
                    let page = transition.new
                    return (0..<count).map { number in
                        .run(
                            "page \(number)", policy: policy,
                            while: { state in
                                looks.count.add(1, ordering: .relaxed)
                                return state == page
                            },
                            { try await $0.sleep(for: .seconds(100_000)) })
                    }
                case .leafed(let rest) where rest > 0:
                    return [.dispatch(.leafed(through: rest - 1))]
                case .turned, .leafed: return []
                }
            })
        store = Store(
            initial: 0,
            reducer: { state, action, _ in
                switch action {
                case .opened: break
                case .turned(let page): state = page
                case .leafed: state += 1
                }
            },
            middleware: [effects],
            environment: Environment(now: { Timestamp(milliseconds: 0) }), deliver: { _ in })
    }

    /// How often scopes are evaluated by what `body` does.
    func looks(_ body: () -> Void) -> Int {
        let before = looks.count.load(ordering: .relaxed)
        body()
        return looks.count.load(ordering: .relaxed) - before
    }
}

@Suite struct `Scopes of running effects` {
    @Test func `are looked at once for a batch, however many actions it has`() {
        let reader = Reader()
        reader.store.dispatch(.opened(effects: 50, policy: .latest))
        let looks = reader.looks {
            reader.store.dispatch(batch: (1...200).map { .turned(to: $0 % 7) } + [.turned(to: 0)])
        }
        #expect(looks == 50)
        #expect(reader.store.runningEffects.count == 50)
        reader.store.dispatch(batch: [.turned(to: 0), .turned(to: 1)])
        #expect(reader.store.runningEffects.isEmpty)
    }

    @Test func `are looked at once for an action and all that follows from it`() {
        let reader = Reader()
        reader.store.dispatch(.opened(effects: 50, policy: .latest))
        let looks = reader.looks { reader.store.dispatch(.leafed(through: 60)) }
        #expect(looks == 50)
        #expect(reader.store.runningEffects.isEmpty)
    }

    @Test(arguments: [EffectPolicy.keepRunning, .queue, .latest])
    func `that were left do not hold up a new effect of the name`(policy: EffectPolicy) {
        let reader = Reader()
        reader.store.dispatch(.opened(effects: 1, policy: policy))
        reader.store.dispatch(batch: [.turned(to: 1), .opened(effects: 1, policy: policy)])
        #expect(reader.store.runningEffects.map(\.cause) == [3])
        #expect(reader.store.runningEffects.allSatisfy { !$0.isWaiting })
    }
}
