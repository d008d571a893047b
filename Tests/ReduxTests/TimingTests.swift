import Redux
import Testing

private typealias Action = TimedStore.Action
private typealias Timed = Middleware<[String], TimedStore.Action>

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

    @Test func `go on once it is quiet, the last one only`() async {
        let store = await TimedStore([debounce])
        for text in ["t", "ti", "tin"] {
            #expect(await store.dispatch(.typed(text)) == .delayed(.milliseconds(300)))
            await store.advance(by: .milliseconds(299))
        }
        #expect(await store.state.isEmpty)
        await store.advance(by: .milliseconds(1))
        await store.settle()
        #expect(await store.state == ["tin"])
    }

    @Test func `hold up no others`() async {
        let store = await TimedStore([debounce])
        _ = await store.dispatch(.typed("t"))
        #expect(await store.dispatch(.liked(1)) == .accepted(first: 1, last: 1, changed: true))
        await store.advance(by: .milliseconds(300))
        await store.settle()
        #expect(await store.state == ["liked 1", "t"])
    }

    @Test func `wait apart, each kind by itself`() async {
        let store = await TimedStore([
            .debounce(.milliseconds(300), kind: kindOfLiking)
        ])
        for id in [1, 2, 1] { _ = await store.dispatch(.liked(id)) }
        #expect(await store.running.count == 2)
        await store.advance(by: .milliseconds(300))
        await store.settle()
        #expect(await store.state.sorted() == ["liked 1", "liked 2"])
    }

    @Test func `go on at once where the middleware is switched off, which waiting ones outlast`()
        async
    {
        let store = await TimedStore([debounce])
        _ = await store.dispatch(.typed("waiting"))
        #expect(await store.use { $0.switchMiddleware("debounce", isEnabled: false) } == true)
        #expect(await store.use { $0.switchMiddleware("nobody", isEnabled: false) } == false)
        _ = await store.dispatch(.typed("at once"))
        #expect(await store.state == ["at once"])
        await store.advance(by: .milliseconds(300))
        await store.settle()
        #expect(await store.state == ["at once", "waiting"])
    }

    @Test func `are forgotten when the session ends`() async {
        let store = await TimedStore([debounce])
        _ = await store.dispatch(.typed("t"))
        await store.use { $0.cancelAllEffects() }
        await store.settle()
        #expect(await store.running.isEmpty)
        #expect(await store.state.isEmpty)
    }
}

@Suite struct `Throttled actions` {
    private let throttle = Timed.throttle(.seconds(1), kind: kindOfLiking)

    @Test func `go on once in a while, and others of their kind are dropped`() async {
        let store = await TimedStore([throttle])
        #expect(await store.dispatch(.liked(1)) == .accepted(first: 1, last: 1, changed: true))
        #expect(await store.dispatch(.liked(1)) == .dropped)
        await store.advance(by: .milliseconds(999))
        #expect(await store.dispatch(.liked(1)) == .dropped)
        await store.advance(by: .milliseconds(1))
        #expect(await store.dispatch(.liked(1)) == .accepted(first: 2, last: 2, changed: true))
    }

    @Test func `hold up no other kinds`() async {
        let store = await TimedStore([throttle])
        for action: Action in [.liked(1), .liked(2), .typed("a"), .typed("b"), .liked(2)] {
            _ = await store.dispatch(action)
        }
        #expect(await store.state == ["liked 1", "liked 2", "a", "b"])
    }

    @Test func `do not count where the reducer rejects them`() async {
        let store = await TimedStore([throttle])
        let rejection = Rejection(code: "refused", message: "No.")
        #expect(await store.dispatch(.refused) == .rejected(rejection))
        #expect(await store.dispatch(.refused) == .rejected(rejection))
    }

    @Test func `do not count where their batch is rejected`() async {
        let store = await TimedStore([throttle])
        let rejection = Rejection(code: "refused", message: "No.")
        #expect(
            await store.dispatch(batch: [.liked(1), .refused])
                == .rejected(index: 1, rejection))
        #expect(await store.dispatch(.liked(1)) == .accepted(first: 1, last: 1, changed: true))
    }

    @Test func `do not count where they could not be kept`() async {
        let store = await TimedStore([throttle])
        let outcomes = await store.use { store in
            let first = store.stage(.liked(1))
            store.revert()
            return [first, store.dispatch(.liked(1))]
        }
        let accepted = Outcome.accepted(first: 1, last: 1, changed: true)
        #expect(outcomes == [accepted, accepted])
    }

    @Test func `of more kinds than are remembered are refused until time has passed`() async {
        var limits = StoreLimits()
        limits.rememberedThrottles = 2
        let store = await TimedStore([throttle], limits: limits)
        _ = await store.dispatch(.liked(1))
        _ = await store.dispatch(.liked(2))
        guard case .rejected(let rejection) = await store.dispatch(.liked(3)) else {
            Issue.record("A third kind was remembered.")
            return
        }
        #expect(rejection.code == "too-many-queued")
        await store.advance(by: .seconds(1))
        #expect(await store.dispatch(.liked(3)) == .accepted(first: 3, last: 3, changed: true))
    }
}
