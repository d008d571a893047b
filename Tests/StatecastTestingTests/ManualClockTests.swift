import Redux
import StatecastTesting
import Synchronization
import Testing

/// What happened, in its order.
private final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    func write(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

@Suite struct `A manual clock` {
    private let clock = ManualClock()
    private let diary = Diary()

    private func start(_ work: @escaping @Sendable (ManualClock, Diary) async throws -> Void)
        -> Task<Void, any Error>
    {
        let (clock, diary) = (clock, diary)
        return Task(executorPreference: clock.executor) { try await work(clock, diary) }
    }

    private func sleep(_ name: String, _ milliseconds: Int) -> Task<Void, any Error> {
        start { clock, diary in
            try await clock.sleep(for: .milliseconds(milliseconds))
            diary.write("\(name) at \(clock.now.offset / .milliseconds(1))")
        }
    }

    @Test func `wakes nobody before the deadline, and then at once`() {
        _ = sleep("a", 500)
        clock.advance(by: .milliseconds(499))
        #expect(diary.all.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(diary.all == ["a at 500.0"])
    }

    @Test func `wakes by deadlines, then by who came first, and shows the deadline`() {
        for (name, time) in [("c", 30), ("a", 10), ("d", 30), ("b", 20)] { _ = sleep(name, time) }
        clock.advance(by: .seconds(1))
        #expect(diary.all == ["a at 10.0", "b at 20.0", "c at 30.0", "d at 30.0"])
        #expect(clock.now.offset == .seconds(1))
    }

    @Test func `runs what a wake starts before the next wake`() {
        _ = start { clock, diary in
            for round in 1...3 {
                try await clock.sleep(for: .milliseconds(10))
                async let child: Void = diary.write("child \(round)")
                await child
                await Task.yield()
                diary.write("round \(round)")
            }
        }
        _ = sleep("other", 15)
        clock.advance(by: .milliseconds(30))
        #expect(
            diary.all == [
                "child 1", "round 1", "other at 15.0", "child 2", "round 2", "child 3", "round 3",
            ])
    }

    @Test func `lets a cancelled sleep throw at once`() async {
        let asleep = sleep("a", 10)
        clock.advance()
        #expect(clock.timeToNextWake == .milliseconds(10))
        asleep.cancel()
        let early = sleep("b", 10)
        early.cancel()
        clock.advance()
        #expect(clock.timeToNextWake == nil)
        await #expect(throws: CancellationError.self) { try await asleep.value }
        await #expect(throws: CancellationError.self) { try await early.value }
    }

    @Test func `leaves nobody behind who falls asleep while it is moved`() async throws {
        for _ in 0..<20_000 {
            let deadline = clock.now.advanced(by: .seconds(1))
            let sleepers = (0..<4).map { _ in
                Task { [clock] in try await clock.sleep(until: deadline) }
            }
            clock.advance(by: .seconds(1))
            let isLeft = clock.timeToNextWake != nil
            clock.advance()
            for sleeper in sleepers { try await sleeper.value }
            try #require(!isLeft, "somebody sleeps past the deadline")
        }
    }

    @Test func `does not wait for what is over`() {
        _ = sleep("a", 0)
        _ = sleep("b", -5)
        clock.advance()
        #expect(diary.all == ["a at 0.0", "b at 0.0"])
    }

    @Test func `runs from wake to wake until nobody sleeps`() {
        _ = start { clock, diary in
            for _ in 0..<3 { try await clock.sleep(for: .seconds(3_600)) }
            diary.write("done")
        }
        #expect(clock.run())
        #expect(diary.all == ["done"])
        #expect(clock.now.offset == .seconds(3 * 3_600))
    }

    @Test func `says that a timer has no end`() {
        let timer = start { clock, _ in
            while true { try await clock.sleep(for: .seconds(1)) }
        }
        #expect(!clock.run(atMost: 10))
        #expect(clock.now.offset == .seconds(10))
        timer.cancel()
        #expect(clock.run(atMost: 0))
    }

    @Test func `gives an environment in which nothing is left to chance`() {
        let environment = clock.environment(startingAt: .init(milliseconds: 1_000))
        #expect([environment.makeSeed(), environment.makeSeed()] == [Seed(1), Seed(2)])
        clock.advance(by: .microseconds(2_999_999))
        #expect(environment.now().milliseconds == 3_999)
    }
}
