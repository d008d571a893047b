import Redux
import StatecastTesting
import Synchronization
import Testing

@Suite struct `Effects in time` {
    private enum Action: Sendable, Equatable {
        case started
        case reported(Int)
        case failed(String)
        case left
    }

    private struct State: Sendable, Equatable {
        var isHere = true
        var reports: [Int] = []
    }

    /// When each attempt began, in milliseconds, on any clock.
    private final class Attempts: Sendable {
        private let times = Mutex<[Int]>([])
        var all: [Int] { times.withLock { $0 } }

        func begin(at time: Timestamp) -> Int {
            times.withLock { times in
                times.append(Int(time.milliseconds))
                return times.count
            }
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String { "failed" }
    }

    private let attempts = Attempts()

    /// A store whose effect works for a while, fails a few times, and reports its attempt.
    private func store(
        _ policy: EffectPolicy, lasting work: Duration = .zero, failures: Int = 0,
        throwing error: any Error = Failure(),
        catch failure: (@Sendable (any Error, EffectContext<Action>) -> Void)? = nil
    ) -> TestStore<State, Action> {
        let attempts = attempts
        return TestStore(
            initial: State(),
            reducer: { state, action, _ in
                switch action {
                case .started, .failed: break
                case .reported(let attempt): state.reports.append(attempt)
                case .left: state.isHere = false
                }
            },
            middleware: [
                Middleware(
                    "effects",
                    react: { step in
                        guard step.action == .started else { return [] }
                        return [
                            .run(
                                "work", policy: policy, while: { $0.isHere },
                                { context in
                                    let attempt = attempts.begin(at: context.environment.now())
                                    try await context.sleep(for: work)
                                    guard attempt > failures else { throw error }
                                    context.send(.reported(attempt))
                                }, catch: failure)
                        ]
                    })
            ])
    }

    @Test func `begin exactly when it was quiet for so long`() {
        let store = store(.latest.debounced(.milliseconds(300)))
        for pause in [0, 299, 299] {
            store.advance(by: .milliseconds(pause))
            store.send(.started)
        }
        store.advance(by: .milliseconds(299))
        #expect(attempts.all.isEmpty)
        store.advance(by: .milliseconds(1))
        #expect(attempts.all == [898])
        store.receive(.reported(1)) { $0.reports = [1] }
    }

    @Test func `do not begin once their scope was left, though it is quiet`() {
        let store = store(.latest.debounced(.milliseconds(300)))
        store.send(.started)
        store.advance(by: .milliseconds(299))
        store.send(.left) { $0.isHere = false }
        store.run()
        #expect(attempts.all.isEmpty)
    }

    @Test func `begin at most once in a time, counted from the last beginning`() {
        let store = store(.keepRunning.throttled(.seconds(1)))
        store.exhaustivity = .nonExhaustive
        for pause in [0, 400, 599, 1, 999, 1] {
            store.advance(by: .milliseconds(pause))
            store.send(.started)
        }
        #expect(attempts.all == [0, 1_000, 2_000])
    }

    @Test func `are cancelled exactly when their time is out, and say so`() {
        let store = store(.latest.timingOut(after: .seconds(3)), lasting: .seconds(4))
        store.send(.started)
        store.advance(by: .milliseconds(2_999))
        #expect(store.runningEffects.count == 1)
        store.advance(by: .milliseconds(1))
        #expect(store.runningEffects.isEmpty)
        store.receive(
            diagnostic: .effectFailed(name: "work", error: "timed out after 3.0 seconds"))
        #expect(store.clock.timeToNextWake == nil)
    }

    @Test func `that end in time are not cancelled`() {
        let store = store(.latest.timingOut(after: .seconds(3)), lasting: .milliseconds(2_999))
        store.send(.started)
        store.run()
        store.receive(.reported(1)) { $0.reports = [1] }
        #expect(store.clock.now.offset == .milliseconds(2_999))
    }

    @Test func `are tried again after waits that double`() {
        let store = store(.latest.retrying(3, backoff: .milliseconds(100)), failures: 3)
        store.send(.started)
        store.run()
        #expect(attempts.all == [0, 100, 300, 700])
        store.receive(.reported(4)) { $0.reports = [4] }
    }

    @Test func `that never succeed say why after the last try`() {
        let store = store(.latest.retrying(2, backoff: .milliseconds(100)), failures: 9)
        store.send(.started)
        store.run()
        #expect(attempts.all == [0, 100, 300])
        store.receive(diagnostic: .effectFailed(name: "work", error: "failed"))
    }

    @Test func `hand the error of the last try to their own catch`() {
        let store = store(.latest.retrying(1), failures: 9) { error, context in
            context.send(.failed(String(describing: error)))
        }
        store.send(.started)
        store.run()
        #expect(attempts.all == [0, 100])
        store.receive(.failed("failed"))
        #expect(store.runningEffects.isEmpty)
    }

    @Test func `hand a timeout to their own catch`() {
        let store = store(.latest.timingOut(after: .seconds(3)), lasting: .seconds(4)) {
            error, context in
            let duration = (error as? EffectTimedOut)?.duration
            context.send(.failed("\(duration ?? .zero)"))
        }
        store.send(.started)
        store.run()
        store.receive(.failed("3.0 seconds"))
    }

    @Test func `hand their cancellation to nobody`() {
        let store = store(.latest, lasting: .seconds(4)) { _, context in
            context.send(.failed("cancelled"))
        }
        store.send(.started)
        store.send(.left) { $0.isHere = false }
        store.run()
    }

    @Test func `that throw a CancellationError of their own have failed, and are tried again`() {
        let store = store(
            .latest.retrying(1, backoff: .milliseconds(100)), failures: 9,
            throwing: CancellationError())
        store.send(.started)
        store.run()
        #expect(attempts.all == [0, 100])
        store.receive(diagnostic: .effectFailed(name: "work", error: "CancellationError()"))
    }

    @Test func `wait for retries no longer than an hour, unless that was asked for`() {
        let doubling = store(.latest.retrying(3, backoff: .seconds(1_800)), failures: 9)
        doubling.send(.started)
        doubling.run()
        #expect(attempts.all == [0, 1_800_000, 5_400_000, 9_000_000])
        doubling.receive(diagnostic: .effectFailed(name: "work", error: "failed"))
        let constant = store(.latest.retrying(2, backoff: .seconds(7_200)), failures: 9)
        constant.send(.started)
        constant.run()
        #expect(attempts.all.suffix(3) == [0, 7_200_000, 14_400_000])
        constant.receive(diagnostic: .effectFailed(name: "work", error: "failed"))
    }

    @Test func `have their time anew with each try`() {
        let policy = EffectPolicy.latest.timingOut(after: .seconds(1)).retrying(1)
        let store = store(policy, lasting: .seconds(2))
        store.send(.started)
        store.run()
        #expect(attempts.all == [0, 1_100])
        #expect(store.clock.now.offset == .milliseconds(2_100))
        store.receive(
            diagnostic: .effectFailed(name: "work", error: "timed out after 1.0 seconds"))
    }

    @Test func `wait for a retry no longer once a newer one of the name has come`() {
        let store = store(.latest.retrying(3, backoff: .seconds(10)), failures: 1)
        store.send(.started)
        store.advance(by: .seconds(5))
        store.send(.started)
        store.receive(.reported(2)) { $0.reports = [2] }
        #expect(attempts.all == [0, 5_000])
        #expect(store.clock.timeToNextWake == nil)
    }

    @Test func `may wait for longer than a clock can count`() async {
        let context = EffectContext<Action>(
            environment: Environment(now: { Timestamp(milliseconds: 0) }), deliver: { _ in })
        let waiting = Task { try await context.sleep(for: .seconds(Int64.max)) }
        waiting.cancel()
        let result = await waiting.result
        #expect(throws: CancellationError.self) { try result.get() }
    }

    @Test func `in a queue begin when the one before them ends`() {
        let store = store(.queue, lasting: .seconds(2))
        for _ in 1...3 { store.send(.started) }
        #expect(store.runningEffects.map(\.isWaiting) == [false, true, true])
        store.advance(by: .seconds(5))
        #expect(attempts.all == [0, 2_000, 4_000])
        store.receive(.reported(1)) { $0.reports = [1] }
        store.receive(.reported(2)) { $0.reports = [1, 2] }
        store.run()
        store.receive(.reported(3)) { $0.reports = [1, 2, 3] }
    }

    @Test func `of which the latest wins report once`() {
        let store = store(.latest, lasting: .seconds(2))
        store.send(.started)
        store.advance(by: .milliseconds(1_999))
        store.send(.started)
        store.run()
        store.receive(.reported(2)) { $0.reports = [2] }
    }

    @Test func `of which the first goes on report once`() {
        let store = store(.keepRunning, lasting: .seconds(2))
        store.send(.started)
        store.advance(by: .milliseconds(1_999))
        store.send(.started)
        store.run()
        #expect(attempts.all == [0])
        store.receive(.reported(1)) { $0.reports = [1] }
    }
}
