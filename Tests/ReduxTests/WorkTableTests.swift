import Testing

@testable import Redux

@Suite struct `A table of works` {
    /// A table, and what it has asked for.
    private struct Bench {
        var table: WorkTable<String>
        var version: UInt64 = 0

        init(limit: Int = 1_000, records: [WorkRecord] = []) {
            var limits = StoreLimits()
            limits.runningEffects = limit
            table = WorkTable(of: .local, epoch: "t", limits: limits, records: records)
            table.now.at.milliseconds = 1_000
        }

        /// The steps of a new list, as text.
        mutating func want(_ works: Work<String>...) -> [String] {
            version += 1
            table.want(
                works, startedBy: Cause(version: version, origin: .client),
                by: Principal("alice"))
            return steps()
        }

        mutating func deliver(_ run: UInt64, _ content: StoreDelivery<String>.Content) -> [String] {
            table.accept(StoreDelivery(run: run, content: content))
            return steps()
        }

        /// The alarm's action was rejected.
        mutating func repeatAlarm(_ run: UInt64) -> [String] {
            table.reportDecided(run, at: nil)
            table.repeatAlarms(at: version)
            return steps()
        }

        mutating func wait(_ duration: Duration) {
            table.now.elapsed += duration
            table.now.at.milliseconds += Int64(duration / .milliseconds(1))
        }

        mutating func steps() -> [String] {
            table.drainSteps().map { step in
                switch step {
                case .start(let run):
                    "start \(run.id) \(run.key)" + (run.delay > .zero ? " in \(run.delay)" : "")
                case .cancel(let run): "cancel \(run)"
                case .finish(let run): "finish \(run)"
                case .arm(let time): time.map { "arm \($0.milliseconds)" } ?? "disarm"
                case .report(let action, let arrival):
                    "report \(action) of \(arrival.effect ?? "")"
                case .diagnose(.work(let diagnostic), _): "\(diagnostic)"
                case .diagnose, .effectEnded: "\(step)"
                }
            }
        }
    }

    private static func work(
        _ name: String, _ value: Int = 0, _ policy: WorkPolicy = WorkPolicy()
    ) -> Work<String> {
        Work(name, for: value, policy: policy, { $0 }) { "\($0)" }
    }

    private func work(
        _ name: String, _ value: Int = 0, _ policy: WorkPolicy = WorkPolicy()
    ) -> Work<String> {
        Self.work(name, value, policy)
    }

    private func alarm(_ time: Int64, _ action: String = "rang") -> Work<String> {
        .alarm("alarm", at: Timestamp(milliseconds: time), send: action)
    }

    @Test func `of two of one name the first counts, and operators are told once`() {
        var bench = Bench()
        let told = "namedTwice(name: \"a\")"
        #expect(bench.want(work("a", 1), work("a", 2)) == ["start 1 t-1/a", told])
        #expect(bench.want(work("a", 1), work("a", 3), work("b")) == ["start 2 t-2/b"])
        #expect(bench.want(work("a", 3), work("b")) == ["cancel 1", "start 3 t-3/a"])
        #expect(bench.want(work("a", 3), work("b"), work("a", 3)) == [told])
        #expect(bench.want(work("b"), work("a", 3)).isEmpty)
    }

    @Test func `more than the limit waits, and begins in its order`() {
        var bench = Bench(limit: 2)
        #expect(
            bench.want(work("a"), work("b"), work("c"), work("d")) == [
                "start 1 t-1/a", "start 2 t-1/b", "exhausted(limit: 2)",
            ])
        #expect(bench.table.holds(root: 1))
        #expect(bench.table.works.map(\.work.stage) == [.running, .running, .waiting, .waiting])
        #expect(bench.deliver(2, .ended(nil)) == ["start 3 t-1/c"])
        #expect(bench.want(work("b"), work("c"), work("d")) == ["cancel 1", "start 4 t-1/d"])
        #expect(
            bench.want(work("c"), work("d"), work("e"), work("f")) == ["exhausted(limit: 2)"])
        #expect(bench.want(work("c"), work("d")).isEmpty)
        #expect(bench.table.works.count == 2)
    }

    @Test func `alarms come one by one, the earliest first`() {
        var bench = Bench()
        let second = Work<String>.alarm("other", at: Timestamp(milliseconds: 900), send: "second")
        #expect(bench.want(alarm(800, "first"), second) == ["arm 800"])
        #expect(bench.deliver(0, .alarmDue) == ["report first of alarm", "arm 900"])
        #expect(bench.deliver(0, .alarmDue) == ["report second of other"])
        #expect(bench.deliver(0, .alarmDue).isEmpty)
        #expect(bench.want(second) == [])
        #expect(bench.repeatAlarm(2) == ["alarmRepeats(name: \"other\", count: 1)", "arm 2000"])
    }

    @Test func `the pause of an alarm doubles up to an hour`() {
        var bench = Bench()
        _ = bench.want(alarm(0))
        var pauses: [Int64] = []
        for run in 1...15 as ClosedRange<UInt64> {
            _ = bench.deliver(0, .alarmDue)
            _ = bench.repeatAlarm(run)
            let next = bench.table.nextAlarm?.milliseconds ?? 0
            pauses.append((next - bench.table.now.at.milliseconds) / 1_000)
            bench.wait(.milliseconds(next - bench.table.now.at.milliseconds))
        }
        #expect(
            pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600, 3_600])
    }

    @Test func `an unchanged group is not looked into`() {
        var bench = Bench()
        nonisolated(unsafe) var looks = 0
        func group(_ part: [Int]) -> Work<String> {
            .group("rows", of: part) { part in
                let _ = (unsafe looks += 1)
                for number in part { Self.work("row \(number)", number) }
            }
        }
        #expect(
            bench.want(group([1, 2])) == ["start 1 t-1/rows/row 1", "start 2 t-1/rows/row 2"])
        #expect(bench.want(work("a"), group([1, 2])) == ["start 3 t-2/a"])
        #expect(unsafe looks == 1)
        #expect(bench.want(work("a"), group([2, 3])) == ["cancel 1", "start 4 t-3/rows/row 3"])
        #expect(
            bench.want(work("a"), work("rows")) == ["cancel 2", "cancel 4", "start 5 t-4/rows"])
        #expect(bench.want(group([])) == ["cancel 5", "cancel 3"])
        #expect(bench.table.allowsSleep)
    }

    @Test func `records bring back keys, counts of alarms, and what has ended`() {
        var bench = Bench()
        _ = bench.want(work("a"), work("b"), alarm(0))
        _ = bench.deliver(1, .ended(nil))
        _ = bench.deliver(0, .alarmDue)
        _ = bench.repeatAlarm(3)
        let records = bench.table.currentRecords
        #expect(records.map(\.name) == ["a", "b", "alarm"])
        #expect(records.map(\.hasEnded) == [true, false, false])
        var again = Bench(records: records)
        again.version = 7
        #expect(again.want(work("a"), work("b"), alarm(0)) == ["start 1 t-1/b", "arm 2000"])
        _ = again.want()
        #expect(again.want(work("a"), work("b")) == ["start 3 t-10/a", "start 4 t-10/b"])
    }

    @Test func `records are only for the first list`() {
        let record = WorkRecord(name: "a", version: 3, token: "t3", hasEnded: true)
        var bench = Bench(records: [record])
        #expect(bench.want().isEmpty)
        #expect(bench.want(work("a")) == ["start 1 t-2/a"])
    }

    @Test func `a report knows the principal and the entry that its work began with`() {
        var bench = Bench()
        _ = bench.want(work("a"))
        bench.wait(.seconds(2))
        bench.table.accept(StoreDelivery(run: 1, content: .sent("x")))
        guard case .report(_, let report)? = bench.table.drainSteps().first else {
            Issue.record("Nothing is reported.")
            return
        }
        #expect(report.by == nil)
        #expect(report.causer == Principal("alice"))
        #expect(report.cause?.version == 1)
        #expect(report.cause?.isLate == true)
        #expect(report.origin == .effect)
    }

}
