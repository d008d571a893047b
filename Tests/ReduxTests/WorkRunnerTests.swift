import StatecastTesting
import Synchronization
import Testing

@testable import Redux

@Suite struct `Running works` {
    private struct Offline: Error, CustomStringConvertible {
        var description: String { "offline" }
    }

    private let answers = ManualAnswers<String, String>()

    private func asking(
        _ question: String, name: String = "ask", _ policy: WorkPolicy = WorkPolicy()
    ) -> Work<Answer<String>> {
        Work(name, for: question, policy: policy, { [answers] in try await answers.answer(to: $0) })
        { $0 }
    }

    @Test func `an answer is reported once, caused by the entry that wanted it`() {
        let bench = WorkBench<Answer<String>>()
        bench.want(asking("a"))
        bench.want(asking("a"))
        #expect(answers.asked == ["a"])
        #expect(bench.runner.works.map(\.name) == ["ask"])
        #expect(bench.runner.works.map(\.attempt) == [1])
        #expect(bench.runner.table.holds(root: 1))
        #expect(!bench.runner.table.allowsSleep)
        answers.succeed("a", with: "A")
        bench.advance()
        #expect(bench.actions == [.value("A")])
        #expect(bench.reports.map(\.cause?.version) == [1])
        #expect(bench.runner.works.isEmpty)
        #expect(!bench.runner.table.holds(root: 1))
        #expect(bench.runner.table.drainReleasedRoots() == [1])
        #expect(bench.runner.table.allowsSleep)
        bench.want(asking("a"))
        #expect(answers.asked == ["a"])
    }

    @Test func `another value cancels the one before, and work that is gone ends`() {
        let bench = WorkBench<Answer<String>>()
        bench.want(asking("a"))
        bench.want(asking("b"))
        #expect(answers.cancelled == ["a"])
        #expect(answers.waiting == ["b"])
        bench.want()
        #expect(answers.cancelled == ["a", "b"])
        #expect(bench.actions.isEmpty)
        #expect(bench.diagnostics.isEmpty)
    }

    @Test func `an answer that comes after its work was cancelled is dropped`() {
        let stubborn = ManualAnswers<String, String>(ignoresCancellation: true)
        let bench = WorkBench<Answer<String>>()
        for question in ["a", "b"] {
            bench.want(Work("ask", for: question, { try await stubborn.answer(to: $0) }) { $0 })
        }
        stubborn.succeed("a", with: "A")
        bench.advance()
        #expect(bench.actions.isEmpty)
        stubborn.succeed("b", with: "B")
        bench.advance()
        #expect(bench.actions == [.value("B")])
    }

    @Test func `work begins once its value has rested`() {
        let bench = WorkBench<Answer<String>>()
        let policy = WorkPolicy.debounced(.milliseconds(300))
        bench.want(asking("b", policy))
        bench.advance(by: .milliseconds(299))
        bench.want(asking("br", policy))
        bench.advance(by: .milliseconds(299))
        #expect(answers.asked.isEmpty)
        #expect(bench.runner.works.map(\.attempt) == [0])
        bench.advance(by: .milliseconds(1))
        #expect(answers.asked == ["br"])
        answers.succeed("br", with: "")
    }

    @Test func `a throttled one runs at once first, and for the last value at the end`() {
        let bench = WorkBench<Answer<String>>()
        let policy = WorkPolicy.throttled(.seconds(1))
        for question in ["a", "b", "c"] { bench.want(asking(question, policy)) }
        #expect(answers.asked == ["a"])
        #expect(answers.cancelled == ["a"])
        bench.advance(by: .milliseconds(999))
        #expect(answers.asked == ["a"])
        bench.advance(by: .milliseconds(1))
        #expect(answers.asked == ["a", "c"])
        answers.succeed("c", with: "C")
        bench.advance(by: .seconds(1))
        bench.want(asking("d", policy))
        #expect(answers.asked == ["a", "c", "d"])
        answers.succeed("d", with: "D")
        bench.advance()
        #expect(bench.actions == [.value("C"), .value("D")])
    }

    @Test func `a problem is said once, when no try is left`() {
        let bench = WorkBench<Answer<String>>()
        bench.want(asking("a", .retrying(3)))
        for (attempt, pause) in [0, 100, 200, 400].enumerated() {
            bench.advance(by: .milliseconds(pause))
            #expect(bench.runner.works.map(\.attempt) == [attempt + 1])
            answers.fail("a", with: Offline())
            bench.advance()
        }
        #expect(answers.asked == ["a", "a", "a", "a"])
        #expect(bench.actions == [.problem(.failed)])
        #expect(bench.errors == ["offline"])
        #expect(bench.diagnostics.isEmpty)
        bench.advance(by: .seconds(10))
        #expect(answers.waiting.isEmpty)
    }

    @Test(arguments: [WorkPolicy(), .timingOut(after: .seconds(5))])
    func `a try that takes too long is timed out, after a minute without a rule`(
        _ policy: WorkPolicy
    ) {
        let bench = WorkBench<Answer<String>>()
        bench.want(asking("a", policy))
        bench.advance(by: (policy.timeout ?? .seconds(60)) - .milliseconds(1))
        #expect(bench.actions.isEmpty)
        bench.advance(by: .milliseconds(1))
        #expect(bench.actions == [.problem(.timedOut)])
        #expect(answers.cancelled == ["a"])
    }

    @Test func `a problem that is thrown is shown as it is`() {
        let bench = WorkBench<Answer<String>>()
        let declined = Problem("card-declined", "Use another one.")
        bench.want(asking("a"))
        answers.fail("a", with: declined)
        bench.advance()
        #expect(bench.actions == [.problem(declined)])
        #expect(bench.errors.isEmpty)
    }

    @Test func `a try that is under way may end before the newest value begins`() {
        let bench = WorkBench<Answer<String>>()
        for question in ["a", "b", "c"] { bench.want(asking(question, .finishing.retrying(3))) }
        #expect(answers.asked == ["a"])
        #expect(bench.runner.works.map(\.stage) == [.finishing])
        answers.fail("a", with: Offline())
        bench.advance()
        #expect(answers.asked == ["a", "c"])
        answers.fail("c", with: Offline())
        bench.advance(by: .milliseconds(50))
        bench.want(asking("d", .finishing.retrying(3)))
        #expect(answers.asked == ["a", "c", "d"])
        answers.succeed("d", with: "D")
        bench.advance()
        #expect(bench.actions == [.value("D")])
    }

    @Test func `work while somebody watches pauses with the last watcher`() {
        let bench = WorkBench<String>()
        let work = Work<String>.subscription("feed", for: 1, policy: .whileWatched) {
            try await $1.send("\($0)")
            try await $1.sleep(for: .seconds(100_000))
        }
        bench.want(work)
        #expect(bench.actions.isEmpty)
        #expect(bench.runner.works.map(\.stage) == [.paused])
        #expect(bench.runner.table.allowsSleep)
        bench.watch(true)
        #expect(bench.actions == ["1"])
        #expect(!bench.runner.table.allowsSleep)
        bench.watch(false)
        bench.watch(true)
        #expect(bench.actions == ["1", "1"])
        bench.cancelAll()
    }

    @Test func `a subscription reports until it is cancelled, and nothing waits for its end`() {
        let bench = WorkBench<Int>()
        let work = Work<Int>.subscription("ticks", for: 0) { start, context in
            var number = start
            while true {
                try await context.send(number)
                try await context.sleep(for: .seconds(1))
                number += 1
            }
        }
        bench.want(work)
        bench.advance(by: .seconds(2))
        #expect(bench.actions == [0, 1, 2])
        #expect(!bench.runner.table.holds(root: 1))
        #expect(!bench.runner.table.allowsSleep)
        #expect(bench.reports.map(\.cause?.isLate) == [false, true, true])
        bench.want()
        bench.advance(by: .seconds(2))
        #expect(bench.actions == [0, 1, 2])
        #expect(bench.clock.timeToNextWake == nil)
    }

    @Test func `a subscription that sends too fast waits until its actions are taken`() {
        let bench = WorkBench<Int>()
        let sends = Sent()
        let size = WorkRunner<Int>.windowSize
        let work = Work<Int>.subscription("flood", for: 0) { _, context in
            for number in 1...3 * size {
                try await context.send(number)
                sends.count.withLock { $0 += 1 }
            }
        }
        bench.want([work], handingOver: false)
        #expect(sends.count.withLock { $0 } == size)
        bench.advance()
        #expect(bench.actions == Array(1...3 * size))
    }

    private final class Sent: Sendable {
        let count = Mutex(0)
        let errors = Mutex<[String]>([])
    }

    @Test func `sending throws once the work was cancelled or is over`() {
        let bench = WorkBench<Int>()
        let seen = Sent()
        let work = Work<Int>.subscription("flood", for: 0) { _, context in
            do {
                while true { try await context.send(1) }
            } catch {
                seen.errors.withLock { $0.append("\(error is CancellationError)") }
            }
            do {
                try await context.send(2)
            } catch {
                seen.errors.withLock { $0.append("\(error is CancellationError)") }
            }
        }
        bench.want([work], handingOver: false)
        bench.want()
        #expect(seen.errors.withLock { $0 } == ["true", "true"])
        #expect(bench.actions.isEmpty)
    }

    @Test func `a failure without an action is told to operators`() {
        let bench = WorkBench<Int>()
        bench.want(Work<Int>.subscription("feed", for: 0) { _, _ in throw Offline() })
        #expect(bench.diagnostics == [.failed(name: "feed", error: "offline")])
        bench.want(
            Work<Int>.subscription("feed", for: 1) { _, _ in
                throw Offline()
            } catch: {
                $0 == .failed ? 1 : 0
            })
        #expect(bench.actions == [1])
    }

    @Test func `the key stays the same over tries and restarts`() {
        let work = Work<String>(["post", "7"], for: "x", policy: .retrying(1)) { _, context in
            if context.attempt == 1 { throw Offline() }
            return "\(context.session) \(context.attempt) \(context.key)"
        } then: {
            $0.value ?? ""
        }
        let bench = WorkBench<String>()
        bench.want()
        bench.want(work.map(in: "rows") { $0 })
        let records = bench.runner.table.currentRecords
        bench.advance(by: .milliseconds(100))
        #expect(bench.actions == ["s1 2 t-2/rows/post/7"])
        let again = WorkBench<String>(records: records)
        again.want(work.map(in: "rows") { $0 })
        again.advance(by: .milliseconds(100))
        #expect(again.actions == ["s1 2 t-2/rows/post/7"])
        #expect(again.reports.map(\.cause?.version) == [2])
    }

    @Test func `a child's work reports through its parent`() {
        let bench = WorkBench<[String]>()
        let child = Work<Int>.subscription("feed", for: 1) { number, context in
            try await context.send(number)
            throw Problem("over", "")
        } catch: {
            $0.code.count
        }
        let alarm = Work<Int>.alarm("alarm", at: Timestamp(milliseconds: 0), send: 9)
        let group = Work<Int>.group("group", of: 3) { part in
            Work("member", for: part, { $0 }) { $0.value ?? 0 }
        }
        bench.want(
            [child, alarm, group].map(in: "outer") { "\($0)" }.map(in: "outest") { [$0] })
        #expect(Set(bench.actions) == [["1"], ["4"], ["9"], ["3"]])
        #expect(
            Set(bench.reports.map(\.effect)) == [
                "outest/outer/feed", "outest/outer/alarm", "outest/outer/group/member",
            ])
    }

    @Test func `an alarm is never early, and comes at once when its time is past`() {
        let bench = WorkBench<String>()
        bench.want(
            .alarm("late", at: Timestamp(milliseconds: 2_000), send: "late"),
            .alarm("early", at: Timestamp(milliseconds: 1_000), send: "early"))
        #expect(bench.runner.table.nextAlarm == Timestamp(milliseconds: 1_000))
        #expect(bench.runner.table.allowsSleep)
        bench.advance(by: .milliseconds(999))
        #expect(bench.actions.isEmpty)
        bench.advance(by: .milliseconds(1))
        #expect(bench.actions == ["early"])
        #expect(!bench.runner.table.allowsSleep)
        bench.want(.alarm("late", at: Timestamp(milliseconds: 500), send: "past"))
        #expect(bench.actions == ["early", "past"])
        #expect(bench.reports.map(\.origin) == [.alarm, .alarm])
        bench.want()
        #expect(bench.clock.timeToNextWake == nil)
        #expect(bench.diagnostics.isEmpty)
    }

    @Test func `an alarm that the state still wants comes again, after twice the time`() {
        let bench = WorkBench<Int>()
        bench.want(.alarm("turn", at: Timestamp(milliseconds: 0), send: 1))
        for (number, pause) in [1, 2, 4, 8].enumerated() {
            #expect(bench.actions.count == number + 1)
            bench.repeatAlarm(bench.reports[number].run ?? 0)
            bench.repeatAlarm(bench.reports[number].run ?? 0)
            bench.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(bench.actions.count == number + 1)
            bench.advance(by: .milliseconds(1))
        }
        #expect(
            bench.diagnostics == (1...4).map { .alarmRepeats(name: "turn", count: $0) })
        #expect(bench.runner.table.currentRecords.map(\.alarmCount) == [4])
        let again = WorkBench<Int>(records: bench.runner.table.currentRecords)
        again.want(.alarm("turn", at: Timestamp(milliseconds: 0), send: 1))
        again.advance(by: .milliseconds(7_999))
        #expect(again.actions.isEmpty)
        again.advance(by: .milliseconds(1))
        #expect(again.actions == [1])
    }

    @Test(arguments: [Int64.min, -1, .max])
    func `an alarm may have any time`(_ milliseconds: Int64) {
        let bench = WorkBench<Int>()
        bench.want(.alarm("turn", at: Timestamp(milliseconds: milliseconds), send: 1))
        #expect(bench.actions == (milliseconds < 0 ? [1] : []))
        bench.cancelAll()
    }

    @Test func `a runner that goes away cancels what runs`() {
        var bench: WorkBench<Answer<String>>? = WorkBench()
        let clock = bench?.clock
        bench?.want(
            [asking("a"), .alarm("turn", at: Timestamp(milliseconds: 9), send: .value(""))])
        #expect(answers.waiting == ["a"])
        bench = nil
        clock?.advance()
        #expect(answers.cancelled == ["a"])
        #expect(clock?.timeToNextWake == nil)
    }
}
