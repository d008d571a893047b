import Redux
import StatecastTesting
import Synchronization
import Testing

private typealias Action = TimedAction
private typealias Timed = Middleware<[String], TimedAction>

private let kindOfTyping: @Sendable (Action) -> String? = {
    if case .typed = $0 { "typed" } else { nil }
}

private let kindOfLiking: @Sendable (Action) -> String? = {
    switch $0 {
    case .liked(let id): "liked/\(id)"
    case .refused: "refused"
    case .typed: nil
    }
}

@Suite struct `Debounced actions` {
    private let debounce = Timed.debounce(.milliseconds(300), kind: kindOfTyping)

    @Test func `go on once it is quiet, the last one only`() {
        let store = TestStore([debounce])
        for text in ["t", "ti", "tin"] {
            #expect(store.send(.typed(text)) == .delayed(.milliseconds(300)))
            store.advance(by: .milliseconds(299))
        }
        #expect(store.texts.isEmpty)
        store.advance(by: .milliseconds(1))
        #expect(store.texts == ["tin"])
    }

    @Test func `wait apart, each kind by itself`() {
        let store = TestStore([
            .debounce(.milliseconds(300), kind: kindOfLiking)
        ])
        for id in [1, 2, 1] { store.send(.liked(id)) }
        #expect(store.runningEffects.count == 2)
        store.advance(by: .milliseconds(300))
        #expect(store.texts.sorted() == ["liked 1", "liked 2"])
    }

    @Test func `go on at once where the middleware is switched off, which waiting ones outlast`() {
        let store = TestStore([debounce])
        store.send(.typed("waiting"))
        #expect(store.store.switchMiddleware("debounce", isEnabled: false))
        #expect(!store.store.switchMiddleware("nobody", isEnabled: false))
        store.send(.typed("at once"))
        #expect(store.texts == ["at once"])
        store.advance(by: .milliseconds(300))
        #expect(store.texts == ["at once", "waiting"])
    }

    @Test func `are forgotten where their batch is rejected`() {
        let store = TestStore([debounce])
        store.send(batch: [.typed("ghost"), .refused], rejectedAs: "refused", at: 1)
        #expect(store.runningEffects.isEmpty)
        store.advance(by: .seconds(1))
        #expect(store.texts.isEmpty)
    }

    @Test func `are forgotten where another part of what an action became is rejected`() {
        let expand = Timed("expand") { action, _, _ in
            action == .liked(1) ? .expand([.typed("ghost"), .refused]) : .pass
        }
        let store = TestStore([expand, debounce])
        store.send(.liked(1), rejectedAs: "refused")
        #expect(store.runningEffects.isEmpty)
    }

    @Test func `outlast a rejected batch that would have taken their place`() {
        let store = TestStore([debounce])
        store.send(.typed("first"))
        store.send(batch: [.typed("ghost"), .refused], rejectedAs: "refused", at: 1)
        store.advance(by: .milliseconds(300))
        #expect(store.texts == ["first"])
    }

    @Test func `of a batch go on once it is accepted, the last one only`() {
        let store = TestStore([debounce])
        store.send(batch: [.typed("t"), .liked(1), .typed("ti")])
        #expect(store.texts == ["liked 1"])
        store.advance(by: .milliseconds(300))
        #expect(store.texts == ["liked 1", "ti"])
    }

    @Test func `are forgotten where their batch could not be kept`() {
        let store = Store(
            initial: [], reducer: TimedAction.reducer, middleware: [debounce],
            environment: ManualClock().environment(), deliver: { _ in })
        _ = store.stage(batch: [.typed("ghost"), .liked(1)])
        store.revert()
        #expect(store.runningEffects.isEmpty)
        _ = store.stage(batch: [.typed("t"), .liked(1)])
        store.commit(through: store.headVersion)
        #expect(store.runningEffects.count == 1)
        store.cancelAllEffects()
    }

    @Test(arguments: [[0], [1, 2], [2, 1, 0]])
    func `go on behind what put them off, also where others have come or gone`(order: [Int]) async {
        let (deliveries, continuation) = AsyncStream.makeStream(of: StoreDelivery<Action>.self)
        func stamp(_ name: String) -> Timed {
            Timed(name) { action, _, _ in
                guard case .typed(let text) = action else { return .pass }
                return .replace(.typed("\(text) \(name)"))
            }
        }
        let all = [stamp("before"), Timed.debounce(.zero, kind: kindOfTyping), stamp("behind")]
        let store = Store(
            initial: [], reducer: TimedAction.reducer, middleware: all,
            environment: Environment(now: { Timestamp(milliseconds: 0) }),
            deliver: { continuation.yield($0) })
        store.dispatch(.typed("t"))
        store.middleware = order.map { all[$0] }
        var iterator = deliveries.makeAsyncIterator()
        while store.state.isEmpty, let delivery = await iterator.next(isolation: #isolation) {
            store.receive(delivery)
        }
        let expected = [[0]: "t before", [1, 2]: "t before behind", [2, 1, 0]: "t before before"]
        #expect(store.state.first == expected[order])
        store.cancelAllEffects()
    }

    @Test func `are forgotten when the session ends`() {
        let store = TestStore([debounce])
        store.send(.typed("t"))
        store.cancelEffects()
        #expect(store.runningEffects.isEmpty)
        #expect(store.texts.isEmpty)
    }
}

@Suite struct `Throttled actions` {
    private let throttle = Timed.throttle(.seconds(1), kind: kindOfLiking)
    /// All likes are of one kind, so that their numbers tell which goes on.
    private let numbered = Timed.throttle(.seconds(1)) {
        if case .liked = $0 { "liked" } else { nil }
    }

    @Test func `go on at once, and the last one at the end of the period`() {
        let store = TestStore([numbered])
        #expect(store.send(.liked(1)) == .accepted(first: 1, last: 1, changed: true))
        #expect(store.send(.liked(2)) == .delayed(.seconds(1)))
        store.advance(by: .milliseconds(999))
        #expect(store.send(.liked(3)) == .delayed(.milliseconds(1)))
        #expect(store.texts == ["liked 1"])
        store.advance(by: .milliseconds(1))
        #expect(store.texts == ["liked 1", "liked 3"])
    }

    @Test func `begin the next period with the last one of a period`() {
        let store = TestStore([numbered])
        store.send(.liked(1))
        store.send(.liked(2))
        store.advance(by: .milliseconds(1_400))
        #expect(store.send(.liked(3)) == .delayed(.milliseconds(600)))
        store.advance(by: .milliseconds(600))
        #expect(store.texts == ["liked 1", "liked 2", "liked 3"])
        store.advance(by: .seconds(1))
        #expect(store.send(.liked(4)) == .accepted(first: 4, last: 4, changed: true))
        #expect(store.runningEffects.isEmpty)
    }

    @Test func `are told to wait where all that one has become do`() {
        let expand = Timed("expand") { action, _, _ in
            action == .liked(0) ? .expand([.liked(2), .liked(3)]) : .pass
        }
        let store = TestStore([expand, numbered])
        store.send(.liked(1))
        #expect(store.send(.liked(0)) == .delayed(.seconds(1)))
        store.advance(by: .seconds(1))
        #expect(store.texts == ["liked 1", "liked 3"])
    }

    @Test func `in a store without a way back are dropped, all but the first of a period`() {
        let clock = ManualClock()
        let store = Store(
            initial: [], reducer: TimedAction.reducer,
            middleware: [numbered, .debounce(.seconds(1), kind: kindOfTyping)],
            environment: clock.environment())
        let told = Mutex<[StoreDiagnostic]>([])
        store.onDiagnostic = { diagnostic in told.withLock { $0.append(diagnostic) } }
        #expect(store.dispatch(.liked(1)) == .accepted(first: 1, last: 1, changed: true))
        #expect(store.dispatch(.liked(2)) == .dropped)
        clock.advance(by: .seconds(1))
        #expect(store.dispatch(.liked(3)) == .accepted(first: 2, last: 2, changed: true))
        #expect(told.withLock { $0 }.isEmpty)
        #expect(store.dispatch(.typed("t")) == .dropped)
        #expect(told.withLock { $0 }.count == 1)
        #expect(store.state == ["liked 1", "liked 3"])
    }

    @Test func `wait no more when the session ends`() {
        let store = TestStore([throttle])
        store.send(.liked(1))
        store.send(.liked(1))
        store.cancelEffects()
        #expect(store.runningEffects.isEmpty)
        store.advance(by: .seconds(2))
        #expect(store.texts == ["liked 1"])
    }

    @Test func `wait no more where their batch is rejected, and take no earlier one's place`() {
        let store = TestStore([numbered])
        store.send(.liked(1))
        store.send(batch: [.liked(2), .refused], rejectedAs: "refused", at: 1)
        #expect(store.runningEffects.isEmpty)
        store.send(.liked(3))
        store.send(batch: [.liked(4), .refused], rejectedAs: "refused", at: 1)
        store.advance(by: .seconds(1))
        #expect(store.texts == ["liked 1", "liked 3"])
    }

    @Test func `wait in their bound, each kind with one`() {
        var limits = StoreLimits()
        limits.runningEffects = 1
        let store = TestStore([throttle], limits: limits)
        for id in [1, 2, 1, 1] { store.send(.liked(id)) }
        #expect(store.runningEffects.count == 1)
        store.send(.liked(2), rejectedAs: "too-many-effects")
        store.advance(by: .seconds(1))
        #expect(store.texts == ["liked 1", "liked 2", "liked 1"])
    }

    @Test func `do not count where the reducer rejects them`() {
        let store = TestStore([throttle])
        store.send(.refused, rejectedAs: "refused")
        store.send(.refused, rejectedAs: "refused")
    }

    @Test func `do not count where their batch is rejected`() {
        let store = TestStore([throttle])
        store.send(batch: [.liked(1), .refused], rejectedAs: "refused", at: 1)
        #expect(store.send(.liked(1)) == .accepted(first: 1, last: 1, changed: true))
    }

    @Test func `do not count where they could not be kept`() {
        let store = Store(
            initial: [], reducer: TimedAction.reducer, middleware: [throttle],
            environment: ManualClock().environment())
        let first = store.stage(.liked(1))
        store.revert()
        let outcomes = [first, store.dispatch(.liked(1))]
        let accepted = Outcome.accepted(first: 1, last: 1, changed: true)
        #expect(outcomes == [accepted, accepted])
    }

    @Test func `of more kinds than are remembered are refused until time has passed`() {
        var limits = StoreLimits()
        limits.rememberedThrottles = 2
        let store = TestStore([throttle], limits: limits)
        store.send(.liked(1))
        store.send(.liked(2))
        store.send(.liked(3), rejectedAs: "too-many-queued")
        store.advance(by: .seconds(1))
        #expect(store.send(.liked(3)) == .accepted(first: 3, last: 3, changed: true))
    }
}
