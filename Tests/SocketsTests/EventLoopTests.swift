@testable import Sockets
import FaultPlans
import Synchronization
import Testing

@Suite struct EventLoopTests {
    private func withLoop<Result: Sendable>(
        _ body: (EventLoop) async throws -> Result
    ) async throws -> Result {
        let loop = try EventLoop(index: 3)
        try loop.start()
        let result = try await body(loop)
        loop.stop()
        await loop.join()
        return result
    }

    @Test func `a submitted job runs on the loop's thread`() async throws {
        try await withLoop { loop in
            #expect(!loop.executor.isCurrentThread)
            let isCurrent = await withCheckedContinuation { continuation in
                loop.submit { continuation.resume(returning: $0.executor.isCurrentThread) }
            }
            #expect(isCurrent)
            #expect(loop.index == 3)
        }
    }

    @Test func `async code is isolated by the loop's own thread`() async throws {
        try await withLoop { loop in
            #expect(await loop.perform { $0.executor.isCurrentThread })
            await loop.perform { loop in loop.preconditionIsolated() }
        }
    }

    @Test func `a task that waits comes back to the loop's thread`() async throws {
        try await withLoop { loop in
            let wasCurrent = await Self.waitTwice(on: loop)
            #expect(wasCurrent == [true, true, true])
        }
    }

    private static func waitTwice(on loop: isolated EventLoop) async -> [Bool] {
        var seen = [loop.executor.isCurrentThread]
        await Task.yield()
        seen.append(loop.executor.isCurrentThread)
        await withCheckedContinuation { continuation in
            loop.submit { _ in continuation.resume() }
        }
        seen.append(loop.executor.isCurrentThread)
        return seen
    }

    @Test func `an error thrown on the loop reaches the one who waits`() async throws {
        try await withLoop { loop in
            _ = await #expect(throws: SystemError.self) {
                try await loop.perform { _ throws(SystemError) in
                    throw SystemError(.bind, .addressInUse)
                }
            }
        }
    }

    @Test func `jobs of many threads run once each, and those of one thread in their order`()
        async throws
    {
        let (writers, jobsEach) = (8, 2000)
        let ledger = Ledger()
        try await withLoop { loop in
            await withTaskGroup { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0..<jobsEach {
                            loop.submit { _ in ledger.note(writer, number) }
                        }
                    }
                }
            }
            await loop.perform { _ in }
        }
        #expect(ledger.lines.count == writers)
        for (_, numbers) in ledger.lines { #expect(numbers == Array(0..<jobsEach)) }
    }

    @Test func `a job left by a job runs in a later turn`() async throws {
        try await withLoop { loop in
            let counter = await loop.perform { loop in
                let counter = TurnCounter()
                loop.onTurnEnd(counter)
                return counter.box
            }
            let turns: (Int, Int) = await withCheckedContinuation { continuation in
                loop.submit { _ in
                    let first = counter.value
                    loop.submit { _ in
                        continuation.resume(returning: (first, counter.value))
                    }
                }
            }
            #expect(turns.1 == turns.0 + 1)
        }
    }

    @Test func `the turn's end comes after the turn's jobs, in the order of adding`() async throws {
        let ledger = Ledger()
        try await withLoop { loop in
            await withCheckedContinuation { continuation in
                loop.submit { loop in
                    loop.onTurnEnd(Note { ledger.note(0, 2) })
                    loop.onTurnEnd(
                        Note {
                            ledger.note(0, 3)
                            if ledger.lines[0]?.count == 3 { continuation.resume() }
                        })
                    ledger.note(0, 1)
                }
            }
        }
        #expect(ledger.lines[0]?.prefix(3) == [1, 2, 3])
    }

    @Test func `the clock stands still within a turn`() async throws {
        try await withLoop { loop in
            await loop.perform { loop in
                let (now, wall) = (loop.now, loop.wallClockMilliseconds)
                while Instant.read() <= now.advanced(by: .milliseconds(2)) {}
                #expect(loop.now == now)
                #expect(loop.wallClockMilliseconds == wall)
                #expect(abs(wall - Instant.readWallClock()) < 60_000)
            }
        }
    }

    @Test func `what was submitted before the start runs after it`() async throws {
        let loop = try EventLoop(index: 0)
        let ledger = Ledger()
        loop.submit { _ in ledger.note(0, 1) }
        #expect(ledger.lines.isEmpty)
        try loop.start()
        try loop.start()
        await loop.perform { _ in }
        #expect(ledger.lines[0] == [1])
        loop.stop()
        await loop.join()
    }

    @Test func `stopping runs what was submitted until then`() async throws {
        let loop = try EventLoop(index: 0)
        let ledger = Ledger()
        for number in 0..<100 { loop.submit { _ in ledger.note(0, number) } }
        loop.stop()
        try loop.start()
        await loop.join()
        #expect(ledger.lines[0] == Array(0..<100))
    }

    @Test func `a job that comes after the end runs all the same, isolated`() async throws {
        let loop = try EventLoop(index: 0)
        try loop.start()
        loop.stop()
        await loop.join()
        for _ in 0..<20 { #expect(await loop.perform { $0.executor.isCurrentThread }) }
        await loop.join()
    }

    @Test func `a loop that gets no thread says so, and may be started again`() async throws {
        let plan = FaultPlan(.failure(.wouldBlock), at: 1, of: .startThread)
        let loop = try EventLoop(index: 3, faults: plan.next)
        let ledger = Ledger()
        loop.submit { _ in ledger.note(0, 1) }
        let error = #expect(throws: SystemError.self) { try loop.start() }
        #expect(error == SystemError(.startThread, .wouldBlock, subject: "loop-3"))
        #expect(ledger.lines.isEmpty)
        try loop.start()
        await loop.perform { _ in }
        #expect(ledger.lines[0] == [1])
        loop.stop()
        await loop.join()
    }

    @Test func `a job that comes after the end needs no other thread`() async throws {
        let plan = FaultPlan { call, number in
            call == .startThread && number > 1 ? .failure(.wouldBlock) : nil
        }
        let loop = try EventLoop(index: 0, faults: plan.next)
        try loop.start()
        loop.stop()
        await loop.join()
        for _ in 0..<20 {
            #expect(await loop.perform { $0.executor.isCurrentThread })
            await loop.join()
        }
        #expect(plan.count(of: .startThread) == 1)
    }

    @Test func `stopping lets go of handlers, timers and turn ends, and frees the loop`()
        async throws
    {
        weak var gone: EventLoop?
        let ledger = Ledger()
        do {
            let loop = try EventLoop(index: 0)
            gone = loop
            let listener = try Listener(host: "127.0.0.1", port: 0)
            try loop.start()
            try await loop.perform { loop throws in
                let guest = Guest { ledger.note(0, 1) }
                _ = try loop.add(listener.descriptor, interest: .read, handler: guest)
                _ = loop.schedule(after: .seconds(3600), guest)
                loop.onTurnEnd(guest)
            }
            #expect(ledger.lines.isEmpty)
            loop.stop()
            await loop.join()
            #expect(ledger.lines[0] == [1])
        }
        // The loop's thread lets go of it a moment after the end.
        let end = ContinuousClock.now + .seconds(120)
        while gone != nil, ContinuousClock.now < end { await Task.yield() }
        #expect(gone == nil)
    }
}

/// Numbers by writer, from any thread.
final class Ledger: Sendable {
    private let storage = Lock<[Int: [Int]]>([:])

    func note(_ writer: Int, _ number: Int) {
        storage.withLock { $0[writer, default: []].append(number) }
    }

    var lines: [Int: [Int]] {
        storage.withLock { $0 }
    }
}

/// Counts turns.
final class TurnCounter: TurnEndHandler {
    final class Box: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func add() { count.wrappingAdd(1, ordering: .relaxed) }
    }

    let box = Box()

    func turnEnded(on loop: isolated EventLoop) {
        box.add()
    }
}

/// Calls a closure at each turn's end.
final class Note: TurnEndHandler {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func turnEnded(on loop: isolated EventLoop) {
        body()
    }
}

/// Takes everything, does nothing, and tells when it ends.
final class Guest: ReadinessHandler, TimerHandler, TurnEndHandler {
    private let ended: () -> Void

    init(_ ended: @escaping () -> Void) {
        self.ended = ended
    }

    deinit {
        ended()
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {}

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {}

    func turnEnded(on loop: isolated EventLoop) {}
}
