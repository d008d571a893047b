import StatecastTesting
import Synchronization
import Testing

@testable import Redux

private enum Action: Sendable, Equatable {
    case started(String?, Overlap)
    case failed
    case reported(String)
    case followed
}

private struct Failure: Error, CustomStringConvertible {
    var description: String { "out of luck" }
}

/// Works for two seconds, and reports the key of its context.
private let effects = Middleware<[String], Action>(
    "effects",
    effectsAfter: { step in
        switch step.action {
        case .started(let name, let overlap):
            [
                .run(name, overlap: overlap) { context in
                    try await context.sleep(for: .seconds(2))
                    try await context.send(.reported(context.key))
                }
            ]
        case .failed: [.run { _ in throw Failure() }]
        case .reported, .followed: []
        }
    })

private let reducer: Reducer<[String], Action> = { reports, action, step in
    if case .reported(let key) = action { reports.append(key) }
}

@Suite struct `Effects` {
    private func store(
        _ middleware: [Middleware<[String], Action>] = [effects]
    ) -> TestStore<[String], Action> {
        TestStore(
            initial: [], reducer: reducer, middleware: middleware, exhaustivity: .nonExhaustive)
    }

    /// The reports of two effects of a name, the second one begun a second after the first.
    private func reports(_ name: String?, _ overlap: Overlap) -> [String] {
        let store = store()
        store.send(.started(name, overlap))
        store.advance(by: .seconds(1))
        store.send(.started(name, overlap))
        store.run()
        store.skipReceived()
        // The keys without the epoch, which is random.
        return store.state.map { String($0.drop { $0 != "-" }.dropFirst()) }
    }

    @Test(arguments: [
        (Overlap.concurrent, ["1/work", "2/work"]), (.latest, ["2/work"]),
        (.keepRunning, ["1/work"]), (.queue, ["1/work", "2/work"]),
    ])
    func `of one name overlap as they say`(overlap: Overlap, expected: [String]) {
        #expect(reports("work", overlap) == expected)
    }

    @Test(arguments: [Overlap.concurrent, .latest, .keepRunning, .queue])
    func `without a name run side by side`(overlap: Overlap) {
        #expect(reports(nil, overlap) == ["1/effect-1", "2/effect-2"])
    }

    @Test func `in a queue begin when those before them have ended`() {
        let store = store()
        for _ in 1...3 { store.send(.started("work", .queue)) }
        #expect(store.runningEffects.map(\.isWaiting) == [false, true, true])
        #expect(store.runningEffects.map(\.cause) == [1, 2, 3])
        store.advance(by: .seconds(5))
        store.skipReceived()
        #expect(store.state.count == 2)
        #expect(store.runningEffects.map(\.isWaiting) == [false])
    }

    @Test func `that run side by side are all cancelled by the latest`() {
        let store = store()
        for _ in 1...3 { store.send(.started("work", .concurrent)) }
        store.send(.started("other", .queue))
        store.send(.started("work", .latest))
        #expect(store.runningEffects.map(\.cause) == [4, 5])
    }

    @Test func `speak as the server, caused by the entry that started them`() {
        let seen = Mutex<[Transition<[String], Action>]>([])
        let witness = Middleware<[String], Action>(
            "witness",
            effectsAfter: { step in
                seen.withLock { $0.append(step) }
                guard case .reported = step.action else { return [] }
                return [.send(.followed)]
            })
        let store = store([effects, witness])
        store.send(.started(nil, .concurrent), as: Principal("alice"))
        store.run()
        let steps = seen.withLock { $0 }
        #expect(steps.map(\.by) == [Principal("alice"), nil, nil])
        #expect(steps.map(\.origin) == [.client, .effect, .effect])
        #expect(steps.map(\.cause) == [nil, 1, 2])
    }

    @Test func `that fail are told to operators`() {
        let store = store()
        store.exhaustivity = .exhaustive
        store.send(.failed)
        store.receive(diagnostic: .effectFailed(name: "effect-1", error: "out of luck"))
    }

    @Test func `start in no replay`() {
        let store = Store<[String], Action>(
            initial: [], reducer: reducer, middleware: [effects],
            environment: ManualClock().environment(), deliver: { _ in })
        store.dispatch(.started("work", .latest), origin: .replay)
        #expect(store.runningEffects.isEmpty)
        store.dispatch(.started("work", .latest))
        #expect(store.runningEffects.count == 1)
        store.cancelAllEffects()
    }

    @Test func `of a store without a way back do not begin, and it is told`() {
        let store = Store<[String], Action>(
            initial: [], reducer: reducer, middleware: [effects],
            environment: ManualClock().environment())
        let told = Mutex<[StoreDiagnostic]>([])
        store.onDiagnostic = { diagnostic in told.withLock { $0.append(diagnostic) } }
        store.dispatch(.started("work", .latest))
        #expect(store.runningEffects.isEmpty)
        #expect(
            told.withLock { $0 } == [
                .effectFailed(
                    name: "work", error: "A store without `deliver` has no way back for effects.")
            ])
    }

    @Test func `that were cancelled cannot send`() async {
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let (results, ended) = AsyncStream.makeStream(of: String.self)
        let stubborn = Middleware<[String], Action>(
            "stubborn",
            effectsAfter: { _ in
                [
                    .run { context in
                        started.yield()
                        while !Task.isCancelled { await Task.yield() }
                        do {
                            try await context.send(.followed)
                            ended.yield("sent")
                        } catch {
                            ended.yield("\(error)")
                        }
                    }
                ]
            })
        let store = Store<[String], Action>(
            initial: [], reducer: reducer, middleware: [stubborn],
            environment: Environment(now: { Timestamp(milliseconds: 0) }), deliver: { _ in })
        store.dispatch(.followed)
        var start = starts.makeAsyncIterator()
        await start.next(isolation: #isolation)
        store.cancelAllEffects()
        var result = results.makeAsyncIterator()
        #expect(await result.next(isolation: #isolation) == "CancellationError()")
    }

    @Test func `may wait for longer than a clock can count`() async {
        let context = WorkContext<Action>(
            session: .local, attempt: 1, key: "k3f9-1/wait", surroundings: nil,
            environment: Environment(now: { Timestamp(milliseconds: 0) }), report: { _ in })
        let waiting = Task { try await context.sleep(for: .seconds(Int64.max)) }
        waiting.cancel()
        let result = await waiting.result
        #expect(throws: CancellationError.self) { try result.get() }
    }
}
