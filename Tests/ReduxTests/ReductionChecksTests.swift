import Redux
import StatecastTesting
import Synchronization
import Testing

private struct Counts: Sendable, Equatable {
    var number = 0.0
    var text = ""
    var secret = Secret("sesame")
}

private enum CountsAction: Sendable {
    case counted
    case guessed
    case wrote(String)
    case refusedSometimes
    case waited(Duration)
    case lost
}

/// What a reducer must not reach for.
private final class Outside: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// A store whose reducer breaks every rule, and what is told of it.
private final class Bench {
    let clock = ManualClock()
    let store: Store<Counts, CountsAction>
    var told: [StoreDiagnostic] = []

    init(_ checks: ReductionChecks<Counts>?) {
        let outside = Outside()
        let clock = clock
        store = Store(
            initial: Counts(),
            reducer: { (state, action, _) throws(Rejection) in
                switch action {
                case .counted: state.number += 1
                case .guessed: state.number = Double(outside.next())
                case .wrote(let text): state.text = text
                case .refusedSometimes:
                    guard outside.next().isMultiple(of: 2) else { return }
                    throw Rejection("sometimes", "Not now.")
                case .waited(let duration): clock.advance(by: duration)
                case .lost: state.number = .nan
                }
            },
            environment: Environment(clock: clock, now: { Timestamp(milliseconds: 0) }))
        store.onDiagnostic = { [unowned self] in told.append($0) }
        store.checks = checks
    }
}

@Suite struct `A checked reducer` {
    @Test func `that is pure, quick and small is not told of`() {
        let bench = Bench(ReductionChecks())
        #expect(bench.store.dispatch(.counted) == .accepted(first: 1, last: 1, changed: true))
        bench.store.dispatch(.wrote("text"))
        #expect(bench.told.isEmpty)
        #expect(bench.store.state == Counts(number: 1, text: "text"))
    }

    @Test func `that does two things with equal input is told of, with what differs`() {
        let bench = Bench(ReductionChecks())
        #expect(bench.store.dispatch(.guessed) == .accepted(first: 1, last: 1, changed: true))
        #expect(bench.store.state.number == 1)
        let differences = ["number: 1.0 → 2.0"]
        #expect(
            bench.told == [
                .impureReduction(version: 1, action: "guessed", differences: differences)
            ])
    }

    @Test func `that rejects one time and accepts another is told of`() {
        let bench = Bench(ReductionChecks())
        bench.store.dispatch(.refusedSometimes)
        let differences = ["accepted → rejected with sometimes"]
        #expect(
            bench.told == [
                .impureReduction(version: 1, action: "refusedSometimes", differences: differences)
            ])
    }

    @Test func `that makes a state unequal to itself is told of`() {
        let bench = Bench(ReductionChecks())
        bench.store.dispatch(.lost)
        let differences = ["the state does not equal itself"]
        #expect(
            bench.told == [
                .impureReduction(version: 1, action: "lost", differences: differences)
            ])
    }

    @Test func `that takes longer than its budget is told of`() {
        let bench = Bench(ReductionChecks(timeBudget: .milliseconds(5)))
        bench.store.dispatch(.waited(.milliseconds(5)))
        #expect(bench.told.isEmpty)
        bench.store.dispatch(.waited(.milliseconds(6)))
        let action = "waited(0.006 seconds)"
        #expect(
            bench.told == [
                .slowReduction(
                    version: 2, action: action, duration: .milliseconds(6),
                    budget: .milliseconds(5))
            ])
    }

    @Test func `that lets the state grow is told of once, and again after it was small`() {
        let bench = Bench(ReductionChecks(sizeBudget: 100))
        let large = String(repeating: "x", count: 200)
        for text in [large, large + "y", "", large] { bench.store.dispatch(.wrote(text)) }
        #expect(bench.told.count == 2)
        let versions = bench.told.compactMap {
            if case .largeState(let version, let byteCount, 100) = $0, byteCount > 200 {
                version
            } else {
                nil
            }
        }
        #expect(versions == [1, 4])
    }

    @Test func `is checked of what it is asked for only, and only while it is`() {
        let checks = ReductionChecks<Counts>(
            repeatsReductions: false, timeBudget: nil, sizeBudget: nil)
        let bench = Bench(checks)
        for action: CountsAction in [.guessed, .waited(.seconds(9)), .lost] {
            bench.store.dispatch(action)
        }
        #expect(bench.told.isEmpty)
        bench.store.checks = ReductionChecks()
        bench.store.dispatch(.guessed)
        bench.store.checks = nil
        bench.store.dispatch(.guessed)
        #expect(bench.told.count == 1)
    }

    @Test func `is checked where actions are staged, with the version that is decided`() {
        let bench = Bench(ReductionChecks())
        _ = bench.store.stage(.counted)
        _ = bench.store.stage(.guessed)
        guard case .impureReduction(2, "guessed", _) = bench.told.first else {
            Issue.record("Told of \(bench.told)")
            return
        }
    }
}

@Suite struct `The size of a state` {
    private struct Pair { var name = "four"; var numbers = [1, 2, 3] }

    @Test func `counts strings, bytes and what has no parts`() {
        #expect(StateSize.byteCount(of: "four", limit: 100) == 5)
        #expect(StateSize.byteCount(of: [UInt8](repeating: 0, count: 10), limit: 100) == 11)
        #expect(StateSize.byteCount(of: Pair(), limit: 100) == 1 + 5 + 1 + 24)
    }

    @Test func `is not counted to the end where it is beyond the limit`() {
        let large = Array(repeating: "four", count: 1_000_000)
        let byteCount = StateSize.byteCount(of: large, limit: 1_000)
        #expect(byteCount > 1_000)
        #expect(byteCount <= 1_000_001)
    }

    @Test func `shows nothing of a secret`() {
        let secret = Secret(String(repeating: "x", count: 500))
        #expect(StateSize.byteCount(of: secret, limit: 1_000) == 8)
    }
}
