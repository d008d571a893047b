import StatecastTesting
import Synchronization

@testable import Redux

/// The works of a session without a store: the test says what the state wants, and moves the time.
final class WorkBench<Action: Sendable & Equatable> {
    let clock = ManualClock()
    let runner: WorkRunner<Action>
    private(set) var reports: [WorkReport<Action>] = []
    private(set) var diagnostics: [WorkDiagnostic] = []
    private let deliveries: Deliveries
    private var version: UInt64 = 0

    private final class Deliveries: Sendable {
        let all = Mutex<[StoreDelivery<Action>]>([])
    }

    init(limits: StoreLimits = StoreLimits(), records: [WorkRecord] = []) {
        let deliveries = Deliveries()
        self.deliveries = deliveries
        runner = WorkRunner(
            session: SessionID(valid: Array("s1".utf8)), epoch: "t",
            environment: clock.environment(), limits: limits, records: records,
            deliver: { delivery in deliveries.all.withLock { $0.append(delivery) } })
    }

    var actions: [Action] { reports.map(\.action) }

    /// The state wants these works from the next version on.
    func want(_ works: Work<Action>...) { want(works) }

    func want(_ works: [Work<Action>]) {
        version += 1
        let cause = Cause(version: version, origin: .client, root: version)
        note(runner.want(works, startedBy: cause, by: nil))
        advance()
    }

    func watch(_ isWatched: Bool) {
        note(runner.watch(isWatched))
        advance()
    }

    /// The action of an alarm was decided, and the state wants it still.
    func repeatAlarm(_ run: UInt64) {
        runner.reportDecided(run, at: nil, committed: version)
        note(runner.repeatAlarms(at: version))
        advance()
    }

    /// Moves the clock, and hands over what comes, until nothing more comes.
    func advance(by duration: Duration = .zero, handingOver: Bool = true) {
        clock.advance(by: duration)
        while handingOver, let delivery = nextDelivery() {
            note(runner.accept(delivery))
            clock.advance()
        }
    }

    private func note(_ news: [WorkNews<Action>]) {
        for one in news {
            switch one {
            case .reported(let report): reports.append(report)
            case .diagnosed(.work(let diagnostic), _): diagnostics.append(diagnostic)
            case .diagnosed, .effectEnded: preconditionFailure("A bench of works has no effects.")
            }
        }
    }

    private func nextDelivery() -> StoreDelivery<Action>? {
        deliveries.all.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
