import Sockets
import Testing

@Suite struct TimerTests {
    @Test func `a timer fires on the loop, after its time, once`() async throws {
        let loop = try EventLoop(index: 0)
        try loop.start()
        let late: Duration = await withCheckedContinuation { continuation in
            loop.submit { loop in
                let due = loop.now.advanced(by: .milliseconds(5))
                let alarm = Alarm { _, _, loop in
                    continuation.resume(returning: due.duration(to: loop.now))
                    return nil
                }
                _ = loop.schedule(after: .milliseconds(5), alarm)
            }
        }
        #expect(late >= .zero)
        #expect(await loop.timerCount == 0)
        loop.stop()
        await loop.join()
    }

    @Test func `thousands of timers fire, the cancelled ones excepted`() async throws {
        let loop = try EventLoop(index: 0)
        let fired = TurnCounter.Box()
        try loop.start()
        await withCheckedContinuation { continuation in
            loop.submit { loop in
                let alarm = Alarm { _, _, _ in
                    fired.add()
                    return nil
                }
                for number in 0..<9000 {
                    let timer = loop.schedule(after: .microseconds(number), alarm)
                    if number % 3 == 0 { loop.cancel(timer) }
                }
                let last = Alarm { _, _, _ in
                    continuation.resume()
                    return nil
                }
                _ = loop.schedule(after: .milliseconds(20), last)
            }
        }
        #expect(fired.value == 6000)
        loop.stop()
        await loop.join()
    }

    @Test func `a deadline is put off, and scheduled anew from its own firing`() async throws {
        let loop = try EventLoop(index: 0)
        try loop.start()
        await withCheckedContinuation { continuation in
            loop.submit { loop in
                var deadline = Timer.none
                let alarm = Alarm { count, timer, loop in
                    guard count == 3 else { return loop.now.advanced(by: .milliseconds(1)) }
                    continuation.resume()
                    return nil
                }
                loop.rearm(&deadline, at: loop.now.advanced(by: .seconds(3600)), alarm)
                let first = deadline
                loop.rearm(&deadline, at: loop.now, alarm)
                #expect(first == deadline)
                #expect(loop.timerCount == 1)
            }
        }
        #expect(await loop.timerCount == 0)
        loop.stop()
        await loop.join()
    }

    @Test func `a timer set for now fires in the next turn, however many others there are`()
        async throws
    {
        let loop = try EventLoop(index: 0)
        try loop.start()
        let turns: Int = await withCheckedContinuation { continuation in
            loop.submit { loop in
                let counter = TurnCounter()
                loop.onTurnEnd(counter)
                for _ in 0..<9 {
                    _ = loop.schedule(after: .seconds(3600), Alarm { _, _, _ in nil })
                }
                let box = counter.box
                let alarm = Alarm { count, _, loop in
                    if count == 5 { continuation.resume(returning: box.value) }
                    return count == 5 ? nil : loop.now
                }
                _ = loop.schedule(after: .zero, alarm)
            }
        }
        #expect(turns >= 4)
        loop.stop()
        await loop.join()
    }

    @Test func `a timer that is always due does not keep the loop from its jobs`() async throws {
        let loop = try EventLoop(index: 0)
        try loop.start()
        await loop.perform { loop in
            _ = loop.schedule(after: .zero, Alarm { _, _, loop in loop.now })
        }
        for _ in 0..<10 { #expect(await loop.timerCount == 1) }
        loop.stop()
        await loop.join()
    }
}

/// Calls a closure when it fires, with how often it has, and schedules itself for the time it
/// answers.
private final class Alarm: TimerHandler {
    private let body: (Int, Timer, isolated EventLoop) -> Instant?
    private var count = 0

    init(_ body: @escaping @Sendable (Int, Timer, isolated EventLoop) -> Instant?) {
        self.body = body
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        count += 1
        guard let next = body(count, timer, loop) else { return }
        _ = loop.schedule(at: next, self)
    }
}
