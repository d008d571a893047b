import Redux
import Sockets

/// What a test's store is made of, each time that its process begins.
struct TestPlan<State: Sendable & Equatable, Action: Sendable> {
    let reducer: Reducer<State, Action>
    let middleware: [Middleware<State, Action>]
    var environment: Environment
    let limits: StoreLimits
    let session: SessionID?
    let work: WorkSource<State, Action>?
}

/// One process of a test: a store, and what its work has reported. A restart begins another one.
final class TestStage<State: Sendable & Equatable, Action: Sendable> {
    let store: Store<State, Action>
    private let plan: TestPlan<State, Action>
    private let record = TestRecord<State, Action>()

    /// A process whose store begins with a state, at the version that it has.
    ///
    /// - Parameter records: the works that an earlier process had going on.
    init(
        _ plan: TestPlan<State, Action>, _ state: State, version: UInt64 = 0,
        lastChange: UInt64? = nil, lastTime: Timestamp? = nil,
        remembering records: [WorkRecord] = []
    ) {
        self.plan = plan
        let record = record
        let recorder = Middleware<State, Action>(
            "test store",
            effectsAfter: { step in
                record.add(step)
                return []
            })
        store = Store(
            Ledger(
                initial: state, version: version, lastChange: lastChange, reducer: plan.reducer,
                middleware: [recorder] + plan.middleware, environment: plan.environment,
                limits: plan.limits, session: plan.session, epoch: "test",
                lastTime: lastTime, work: plan.work, remembering: records,
                deliver: { record.add($0) }))
        store.onDiagnostic = { record.add($0) }
    }

    /// The process that comes after this one with a state that was kept: no task of this one goes on,
    /// and all work that the state wants begins anew, with the keys that it had.
    ///
    /// - Parameter setback: the wall clock is set back by so much meanwhile.
    func restarted(with state: State, settingClockBackBy setback: Duration) -> TestStage {
        var records = store.workRecords
        for index in records.indices { records[index].hasEnded = false }
        store.cancelAllEffects()
        var plan = plan
        let now = plan.environment.now
        if setback != .zero { plan.environment.now = { now() + (.zero - setback) } }
        return TestStage(
            plan, state, version: store.version,
            lastChange: store.lastChange, lastTime: store.lastTime, remembering: records)
    }

    /// Runs work, and gives the store what it reports, until all of it has ended or waits;
    /// answers with the failure, where that takes too long.
    func settle(on clock: ManualClock) -> String? {
        for _ in 0..<Self.pieceLimit {
            while let delivery = record.nextDelivery() { store.receive(delivery) }
            guard clock.work.runNext() else { return nil }
        }
        return "Work does not come to rest: \(Self.pieceLimit) pieces of it were run, and more "
            + "wait. Running: \(unfinished)"
    }

    /// So many suspensions of work at one time of the clock are an endless loop.
    private static var pieceLimit: Int { 1_000_000 }

    /// The time of day.
    var time: Timestamp { plan.environment.now() }

    /// Takes all steps and diagnostics, each in their order.
    func takeEntries() -> (steps: [Transition<State, Action>], diagnostics: [StoreDiagnostic]) {
        record.takeEntries()
    }

    /// The names of the works that a test has to end, and of the effects; alarms may be left.
    var unfinished: String {
        let names = unfinishedNames.map { "\"\($0)\"" }
        return names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }

    var unfinishedNames: [String] {
        let works = store.runningWork.filter { work in
            switch work.stage {
            case .due, .fired: false
            case .running, .finishing, .waiting, .paused: true
            }
        }
        return works.map(\.name) + store.runningEffects.map(\.name)
    }
}
