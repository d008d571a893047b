import StatecastTesting

@testable import Redux

/// The works of a session without a store: the test says what the state wants, and moves the time.
final class WorkBench<Action: Sendable & Equatable> {
    let clock = ManualClock()
    let runner: WorkRunner<Action>
    private(set) var actions: [Action] = []
    private(set) var reports: [Arrival] = []
    private(set) var diagnostics: [WorkDiagnostic] = []
    /// The errors behind problems that were reported.
    private(set) var errors: [String] = []
    private let deliveries: DeliveryList<Action>
    private var version: UInt64 = 0

    init(limits: StoreLimits = StoreLimits(), records: [WorkRecord] = []) {
        let deliveries = DeliveryList<Action>()
        self.deliveries = deliveries
        runner = WorkRunner(
            session: SessionID(valid: Array("s1".utf8)), epoch: "t",
            environment: clock.environment(), limits: limits, records: records,
            deliver: { deliveries.append($0) })
    }

    /// The state wants these works from the next version on.
    func want(_ works: Work<Action>...) { want(works) }

    func want(_ works: [Work<Action>], handingOver: Bool = true) {
        version += 1
        let cause = Cause(version: version, origin: .client, root: version)
        note(runner.update { $0.want(works, startedBy: cause, by: nil) })
        advance(handingOver: handingOver)
    }

    func cancelAll() {
        note(runner.update { $0.cancelAll() })
    }

    func watch(_ isWatched: Bool) {
        note(runner.update { $0.watch(isWatched) })
        advance()
    }

    /// The action of an alarm was decided, and the state wants it still.
    func repeatAlarm(_ run: UInt64) {
        runner.table.reportDecided(run, at: nil)
        note(runner.update { $0.repeatAlarms(at: version) })
        advance()
    }

    /// Moves the clock, and hands over what comes, until nothing more comes.
    func advance(by duration: Duration = .zero, handingOver: Bool = true) {
        clock.advance(by: duration)
        while handingOver, let delivery = deliveries.next() {
            runner.close(delivery)
            note(runner.update { $0.accept(delivery) })
            clock.advance()
        }
    }

    private func note(_ steps: [WorkStep<Action>]) {
        for step in steps {
            switch step {
            case .report(let action, let arrival):
                actions.append(action)
                reports.append(arrival)
            case .diagnose(.work(.problemReported(_, let error)), _): errors.append(error)
            case .diagnose(.work(let diagnostic), _): diagnostics.append(diagnostic)
            default: preconditionFailure("A bench of works has no effects.")
            }
        }
    }
}
