internal import CLinux
internal import Glibc

/// One thread around `epoll_wait`, as an actor: what runs on it is isolated by the compiler.
///
/// A turn is: wait; events, several sockets read ahead in one call; timers that are due; jobs of other threads;
/// turn-end handlers. Handlers run on the loop's thread, one at a time, and must not block. Objects
/// of a loop are plain classes whose methods take `on loop: isolated EventLoop`.
///
///     let loop = try EventLoop(index: 0)
///     try loop.start()
///     loop.submit { loop in … }          // from any thread
///     loop.stop()
///     await loop.join()
@usableFromInline @safe package final actor EventLoop {
    /// The most events that one turn takes.
    static let eventsPerTurn = 512
    /// The events that are delivered before a turn first looks at the time.
    private static let firstCount = 4
    /// The stack of a loop's thread, unless another size is asked for.
    package static let defaultStackByteCount = NamedThread.defaultStackByteCount

    /// Which of the server's loops this is, from 0.
    package nonisolated let index: Int
    /// The system calls of this loop, failing as its fault plan says.
    package nonisolated let system: SystemCalls
    /// The loop's own thread is its executor.
    @usableFromInline package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    nonisolated let executor: LoopExecutor
    private let stackByteCount: Int
    let epoll: Descriptor
    // Safety: an event holds a union with a pointer, of which only the number is used.
    private let events = unsafe OwnedBuffer<epoll_event>(capacity: EventLoop.eventsPerTurn)
    /// What handlers receive.
    package let input = LoopInput()
    /// A turn that has lasted so long leaves further events to the next one, where the kernel tells of
    /// them again, before those that are new.
    package var deliveryNanoseconds: Int64 {
        get { longestDelivery }
        set { longestDelivery = newValue }
    }
    // Stored for this module alone, so that the run time need not check each access.
    private var longestDelivery: Int64 = 10_000_000
    /// The last turn has left events.
    private var isLate = false
    /// The registration whose event is being delivered.
    private(set) var delivered = Registration.none

    var slots: [Slot] = []
    /// By the slots of their registrations.
    var handlers: [(any ReadinessHandler)?] = []
    var firstFreeSlot = Slot.none
    private let timers = TimerHeap<any TimerHandler>()
    private var turnEndHandlers: [any TurnEndHandler] = []
    private var jobs: [Job] = []
    private var wallClock: Int64 = 0
    /// Makes transfers together.
    package let ring = LoopRing()
    /// The number of sends that batches made.
    package internal(set) var batchedSendCount = 0
    /// The number of receives that were made together, also of those that brought nothing.
    package internal(set) var batchedReceiveCount = 0
    /// The monotonic clock as it stood when this turn began.
    package var now: Instant { turnStart }
    private var turnStart: Instant
    /// The time that tests have let pass at once, in nanoseconds.
    private var clockOffset: Int64 = 0

    /// A loop that stands still until `start()`. What is submitted before waits for that.
    ///
    /// - Parameters:
    ///   - stackByteCount: the stack of its thread, whole pages of memory.
    ///   - faults: makes its system calls fail, in tests.
    package init(
        index: Int, stackByteCount: Int = EventLoop.defaultStackByteCount,
        faults: SystemCalls.Faults? = nil
    ) throws(SystemError) {
        self.index = index
        self.stackByteCount = stackByteCount
        system = SystemCalls(faults: faults)
        executor = try LoopExecutor()
        epoll = try SystemCalls().open(.epollCreate) { epoll_create1(O_CLOEXEC) }
        turnStart = .read()
        executor.attach(self)
        try SystemCalls().control(
            epoll, EPOLL_CTL_ADD, executor.wakeDescriptor.rawValue,
            events: EPOLLIN.rawValue | EPOLLET.rawValue, userData: Slot.wakeUserData)
    }

    // MARK: From any thread

    deinit {
        executor.retire()
    }

    /// Starts the thread; a second call does nothing. Throws a `SystemError` where the system
    /// refuses a thread: the loop then stands as before, and may be started again.
    package nonisolated func start() throws(SystemError) {
        guard executor.beginRunning(self) else { return }
        let executor = executor
        do throws(SystemError) {
            try system.startThread(name: "loop-\(index)", stackByteCount: stackByteCount) {
                while let loop = executor.nextService() { loop.runOnThread() }
            }
        } catch {
            executor.refuseRunning()
            throw error
        }
    }

    /// Asks the loop to end after its turn. It then runs what was submitted until then, and lets
    /// go of all handlers and timers. Its thread stays, asleep, as long as the loop is kept: what
    /// is submitted later still runs there, one job at a time, so that no task waits for ever.
    package nonisolated func stop() { executor.stop() }

    /// Waits until the loop has ended. Only for a loop that was started and asked to stop.
    package nonisolated func join() async {
        await executor.waitForEnd()
    }

    /// Leaves a job for the loop: its inbox, open to every thread. Jobs of one thread run in their
    /// order, each once, after the events of a turn; those left by jobs run in the next turn.
    package nonisolated func submit(_ job: @escaping @Sendable (isolated EventLoop) -> Void) {
        executor.leave(.work(job))
    }

    // MARK: On the loop

    /// The wall clock in milliseconds since 1970, read once a turn and only when asked for.
    package var wallClockMilliseconds: Int64 {
        if wallClock == 0 { wallClock = Instant.readWallClock() }
        return wallClock
    }

    /// Runs a closure on the loop, for async code that waits for its result:
    /// `try await loop.perform { loop in … }`.
    package func perform<Result: Sendable, Failure: Error>(
        _ body: @Sendable (isolated EventLoop) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try body(self)
    }

    /// Calls the handler at the end of every turn, in the order of adding, until the loop ends.
    package func onTurnEnd(_ handler: any TurnEndHandler) {
        turnEndHandlers = turnEndHandlers + [handler]
    }

    // MARK: Timers

    /// The number of timers that are scheduled.
    package var timerCount: Int { timers.count }

    /// Calls the handler once, after at least this time has passed since `now`; precise to 1 ms.
    /// The loop holds the handler until then.
    package func schedule(after duration: Duration, _ handler: any TimerHandler) -> Timer {
        schedule(at: now.advanced(by: duration), handler)
    }

    /// Calls the handler once, not before `instant`.
    package func schedule(at instant: Instant, _ handler: any TimerHandler) -> Timer {
        timers.schedule(at: instant, handler)
    }

    /// Moves a timer to another time without allocating, or schedules it anew when it has fired
    /// or was cancelled: what a deadline that is often put off uses.
    package func rearm(_ timer: inout Timer, at instant: Instant, _ handler: any TimerHandler) {
        if !timers.reschedule(timer, at: instant) { timer = schedule(at: instant, handler) }
    }

    /// Cancels a timer and lets go of its handler; nothing happens when it has fired.
    package func cancel(_ timer: Timer) {
        _ = timers.cancel(timer)
    }

    /// Lets time pass at once: what tests turn instead of waiting.
    package func advance(by duration: Duration) {
        clockOffset += duration.nanoseconds
        turnStart = turnStart.advanced(by: duration)
    }

    // MARK: The thread

    private nonisolated func runOnThread() {
        repeat {
            executor.enter()
            // The only place that assumes isolation. The one thread that `start` starts is the only
            // caller; the executor is told before that it is its thread, and after that none is.
            assumeIsolated { $0.run() }
            executor.leaveThread()
        } while !executor.endService()
    }

    private func run() {
        while !executor.isStopping { turn() }
        releaseEverything()
        runJobs()
    }

    private func turn() {
        let count = waitForEvents()
        turnStart = .read().advanced(byNanoseconds: clockOffset)
        wallClock = 0
        deliverEvents(0..<count)
        if let next = timers.next, next <= turnStart { fireTimers() }
        if executor.mayHaveJobs { runJobs() }
        for handler in turnEndHandlers { handler.turnEnded(on: self) }
    }

    /// Delivers events, as many as there is time for: one at least. What was received ahead is delivered
    /// in the same turn.
    private func deliverEvents(_ all: Range<Int>) {
        // What is late is received one by one, so that the time is looked at after each: what the kernel has
        // told last and what it has told first by turns, each once at least, so that those who come next do
        // not wait for all who came at once. And of what comes, few at first.
        var count = isLate ? 1 : Self.firstCount
        var (rest, late, isLast) = (all, false, isLate)
        while !rest.isEmpty, !late {
            let chunk = isLast ? rest.suffix(count) : rest.prefix(count)
            if isLast { rest.removeLast(chunk.count) } else { rest.removeFirst(chunk.count) }
            receiveAhead(chunk)
            for position in chunk { deliverEvent(at: position) }
            guard !rest.isEmpty else { break }
            let time = Instant.read().nanoseconds - turnStart.nanoseconds
            late = !isLast && time >= longestDelivery
            isLast = isLate && !isLast
            if isLate { continue }
            count = Self.count(after: all.count - rest.count, in: time, of: longestDelivery)
        }
        isLate = late
        input.batch.removeAll()
        delivered = .none
    }

    /// The events that are delivered before the next look at the time, where so many have taken a time of
    /// all that there is: as many as there will be time for, at that pace.
    static func count(after count: Int, in time: Int64, of all: Int64) -> Int {
        let time = max(time, 1)
        return Int(min(max(Int64(count) * (all - time) / time, 1), Int64(ReceiveBatch.capacity)))
    }

    private func deliverEvent(at position: Int) {
        let (readiness, registration) = event(at: position)
        input.batch.begin(registration)
        delivered = registration
        handler(of: registration)?.ready(readiness, on: self)
        assert(
            !input.batch.isLeft || slot(of: registration) == nil,
            "A handler receives in each of its events with `.read`.")
    }

    /// One of the events that the last wait has brought.
    func event(at position: Int) -> (readiness: Readiness, registration: Registration) {
        let event = unsafe events.pointer[position]
        return unsafe (
            Readiness(rawValue: event.events),
            Registration(
                slot: UInt32(truncatingIfNeeded: event.data.u64),
                generation: UInt32(truncatingIfNeeded: event.data.u64 >> 32))
        )
    }

    private func waitForEvents() -> Int {
        guard executor.fallAsleep() else {
            return unsafe system.wait(
                on: epoll, into: events.pointer, timeoutMilliseconds: 0)
        }
        defer { executor.awake() }
        // Until the first timer is due, rounded up; -1 without timers.
        var timeout: Int32 = -1
        if let next = timers.next {
            let now = Instant.read().advanced(byNanoseconds: clockOffset)
            let left = next.nanoseconds - now.nanoseconds
            timeout = left > 0 ? Int32(clamping: (left - 1) / 1_000_000 + 1) : 0
        }
        return unsafe system.wait(on: epoll, into: events.pointer, timeoutMilliseconds: timeout)
    }

    private func runJobs() {
        executor.takeJobs(into: &jobs)
        for job in jobs {
            switch job {
            case .work(let body): body(self)
            case .task(let task):
                unsafe task.runSynchronously(on: executor.asUnownedSerialExecutor())
            }
        }
        jobs.removeAll(keepingCapacity: jobs.count <= 1024)
    }

    /// At most as many as there were. One that schedules itself for now has its turn next time: for these it
    /// is a nanosecond later.
    private func fireTimers() {
        let start = turnStart
        turnStart = start.advanced(byNanoseconds: 1)
        for _ in 0..<timers.count {
            guard let due = timers.popDue(at: start) else { break }
            due.payload.timerFired(due.timer, on: self)
        }
    }

    private func releaseEverything() {
        removeAllRegistrations()
        timers.removeAll()
        turnEndHandlers = []
        ring.close()
    }
}

/// Takes the end of each turn.
package protocol TurnEndHandler: AnyObject {
    /// Called once a turn, after all its events, timers and jobs: what the turn has gathered is
    /// written here.
    func turnEnded(on loop: isolated EventLoop)
}
