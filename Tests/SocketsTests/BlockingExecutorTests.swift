import Foundation
import FaultPlans
import Glibc
@testable import Sockets
import Testing

/// The threads that blocking work runs on, and how much of it there was.
private final class Threads: Sendable {
    private let seen = Lock<(threads: Set<UInt>, noteCount: Int)>(([], 0))

    func noteCurrent() {
        let thread = UInt(pthread_self())
        seen.withLock {
            $0.threads.insert(thread)
            $0.noteCount += 1
        }
    }

    var count: Int { seen.withLock { $0.threads.count } }
    var noteCount: Int { seen.withLock { $0.noteCount } }
}

/// A door that blocks the threads that come to it until it is opened.
private final class Door: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var arrivals = 0
    }

    private let state = Monitor(State())

    func pass() {
        state.withLock { $0.arrivals += 1 }
        state.wakeAll()
        state.wait { $0.isOpen ? () : nil }
    }

    /// Blocks until so many have come.
    func waitForArrivals(_ count: Int) {
        state.wait { $0.arrivals >= count ? () : nil }
    }

    func open() {
        state.withLock { $0.isOpen = true }
        state.wakeAll()
    }
}

@Suite struct BlockingExecutorTests {
    @Test(arguments: [1, 2, 4])
    func `thousands of pieces of work run on as many threads as allowed, each once`(
        limit: Int
    ) async throws {
        let executor = try BlockingExecutor(threadLimit: limit)
        let threads = Threads()
        await withTaskExecutorPreference(executor) {
            await withTaskGroup { group in
                for _ in 0..<5_000 {
                    group.addTask {
                        threads.noteCurrent()
                        await Task.yield()
                        threads.noteCurrent()
                    }
                }
            }
        }
        #expect(threads.noteCount == 10_000)
        #expect((1...limit).contains(threads.count))
        #expect((1...limit).contains(executor.threadCount))
    }

    @Test func `a thread is added while all are blocked, up to the limit`() async throws {
        let executor = try BlockingExecutor(threadLimit: 3)
        let observer = try BlockingExecutor(threadLimit: 1)
        let door = Door()
        await withTaskGroup { group in
            for _ in 0..<10 {
                group.addTask { await withTaskExecutorPreference(executor) { door.pass() } }
            }
            group.addTask {
                await withTaskExecutorPreference(observer) { door.waitForArrivals(3) }
                #expect(executor.threadCount == 3)
                door.open()
            }
        }
        #expect(executor.threadCount == 3)
    }

    @Test func `a refused first thread is an error that names the call`() {
        let plan = FaultPlan(.failure(.wouldBlock), at: 1, of: .startThread)
        let error = #expect(throws: SystemError.self) {
            _ = try BlockingExecutor(threadLimit: 4, faults: plan.next)
        }
        #expect(error == SystemError(.startThread, .wouldBlock, subject: "blocking"))
    }

    @Test func `all work is done by the first thread where every other one is refused`()
        async throws
    {
        let plan = FaultPlan { call, number in
            call == .startThread && number > 1 ? .failure(.wouldBlock) : nil
        }
        let executor = try BlockingExecutor(threadLimit: 4, faults: plan.next)
        let threads = Threads()
        await withTaskExecutorPreference(executor) {
            await withTaskGroup { group in
                for _ in 0..<1_000 {
                    group.addTask { threads.noteCurrent() }
                }
            }
        }
        #expect(threads.noteCount == 1_000)
        #expect(plan.hitCount > 0)
        #expect(threads.count == 1)
        #expect(executor.threadCount == 1)
    }

    @Test func `an executor that is let go ends its threads`() async throws {
        let start = try Self.threadCount()
        for _ in 0..<20 {
            let executor = try BlockingExecutor(threadLimit: 4)
            await withTaskExecutorPreference(executor) {
                await withTaskGroup { group in
                    for _ in 0..<8 { group.addTask { await Task.yield() } }
                }
            }
        }
        let end = ContinuousClock.now + .seconds(30)
        while try Self.threadCount() > start + 8, ContinuousClock.now < end { await Task.yield() }
        #expect(try Self.threadCount() <= start + 8)
    }

    /// How many threads of this process are called `blocking`.
    private static func threadCount() throws -> Int {
        let system = SystemCalls()
        let tasks = try system.files.openDirectory("/proc/self/task")
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            do throws(SystemError) {
                let file = try system.files.open("\(name)/comm", beneath: tasks)
                let bytes = try system.files.read(file, offset: 0, count: 16)
                if String(decoding: bytes, as: UTF8.self) == "blocking\n" { count += 1 }
            } catch {
                // The thread has ended between the listing and the look.
            }
        }
        return count
    }
}
