import Redux
import Testing

/// A store on an actor, whose effects come back to it: how an application without a server uses it.
private actor Host {
    enum Action: Sendable, Equatable {
        case started(String, EffectPolicy, fails: Int)
        case cancelled(String)
        case reported(String)
        case left
    }

    struct State: Sendable, Equatable {
        var reports: [String] = []
        var isHere = true
    }

    private var store: Store<State, Action>?
    private let (deliveries, continuation) = AsyncStream.makeStream(
        of: StoreDelivery<Action>.self)
    let gate = Gate()

    func start() {
        let gate = gate
        let continuation = continuation
        store = Store(
            initial: State(),
            reducer: { state, action, _ in
                switch action {
                case .reported(let text): state.reports.append(text)
                case .left: state.isHere = false
                case .started, .cancelled: break
                }
            },
            middleware: [
                Middleware("effects", react: { Self.effects(after: $0, gate) })
            ],
            environment: Environment(now: { Timestamp(milliseconds: 0) }),
            deliver: { continuation.yield($0) })
    }

    private static func effects(
        after transition: Transition<State, Action>, _ gate: Gate
    ) -> [Effect<State, Action>] {
        switch transition.action {
        case .started(let name, let policy, let fails):
            let text = "\(name) of \(transition.version)"
            let attempts = Attempts()
            return [
                .run(name, policy: policy, while: { $0.isHere }) { context in
                    await gate.wait()
                    if await attempts.next() <= fails { throw Failure() }
                    context.send(.reported(text))
                }
            ]
        case .cancelled(let name): return [.cancel(name)]
        case .reported, .left: return []
        }
    }

    func dispatch(_ action: Action) { store?.dispatch(action) }

    /// Takes reports until no effect runs.
    func settle() async -> State {
        await gate.open()
        var iterator = deliveries.makeAsyncIterator()
        while let store, !store.isIdle {
            guard let delivery = await iterator.next() else { break }
            store.receive(delivery)
        }
        return store?.state ?? State()
    }

    var running: [RunningEffect] { store?.runningEffects ?? [] }

    struct Failure: Error {}

    actor Attempts {
        private var count = 0
        func next() -> Int {
            count += 1
            return count
        }
    }

    /// Holds the operations until the test has said everything.
    actor Gate {
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func wait() async {
            if isOpen { return }
            await withCheckedContinuation { waiting.append($0) }
        }

        func open() {
            isOpen = true
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }
}

@Suite struct `Effects` {
    private func host() async -> Host {
        let host = Host()
        await host.start()
        return host
    }

    @Test func `report actions, caused by the entry that started them`() async {
        let host = await host()
        await host.dispatch(.started("a", .latest, fails: 0))
        #expect(await host.running.map(\.name) == ["a"])
        #expect(await host.running.map(\.cause) == [1])
        #expect(await host.settle().reports == ["a of 1"])
        #expect(await host.running.isEmpty)
    }

    @Test func `of one name: the latest wins`() async {
        let host = await host()
        await host.dispatch(.started("search", .latest, fails: 0))
        await host.dispatch(.started("search", .latest, fails: 0))
        #expect(await host.settle().reports == ["search of 2"])
    }

    @Test func `of one name: the first goes on`() async {
        let host = await host()
        await host.dispatch(.started("load", .keepRunning, fails: 0))
        await host.dispatch(.started("load", .keepRunning, fails: 0))
        #expect(await host.settle().reports == ["load of 1"])
    }

    @Test func `of one name: one after the other`() async {
        let host = await host()
        await host.dispatch(.started("save", .queue, fails: 0))
        await host.dispatch(.started("save", .queue, fails: 0))
        #expect(await host.settle().reports == ["save of 1", "save of 2"])
    }

    @Test func `are cancelled by name`() async {
        let host = await host()
        await host.dispatch(.started("a", .latest, fails: 0))
        await host.dispatch(.started("b", .latest, fails: 0))
        await host.dispatch(.cancelled("a"))
        #expect(await host.settle().reports == ["b of 2"])
    }

    @Test func `are cancelled when their scope leaves the state`() async {
        let host = await host()
        await host.dispatch(.started("a", .latest, fails: 0))
        await host.dispatch(.left)
        #expect(await host.running.isEmpty)
        #expect(await host.settle().reports.isEmpty)
    }

    @Test func `are tried again after throwing`() async {
        let host = await host()
        let policy = EffectPolicy.latest.retrying(2, backoff: .zero)
        await host.dispatch(.started("a", policy, fails: 2))
        #expect(await host.settle().reports == ["a of 1"])
    }

    @Test func `that keep failing end without a report`() async {
        let host = await host()
        let policy = EffectPolicy.latest.retrying(1, backoff: .zero)
        await host.dispatch(.started("a", policy, fails: 9))
        #expect(await host.settle().reports.isEmpty)
    }
}
