internal import Logging
package import Sockets

/// The server's part on one loop: it accepts connections, orders the end of a turn, and ends what
/// is overdue. It lives on the loop and never leaves it; other threads post to its mailbox.
final class LoopServer: TurnEndHandler {
    let context: LoopContext
    private let mailbox: LoopMailbox<LoopServer>
    /// For clients, and for other servers where there are any.
    private let acceptors: [Acceptor]
    private let sweeper: Sweeper
    private var drainObservers: [DrainObserver] = []

    init(_ context: LoopContext, _ listener: Listener, inner: Listener?) {
        self.context = context
        mailbox = context.shared.mailboxes[context.index]
        acceptors =
            [Acceptor(listener, context)]
            + (inner.map { [Acceptor($0, context, isInner: true)] } ?? [])
        sweeper = Sweeper(context)
    }

    /// Begins to serve on the loop.
    func start(isAccepting: Bool, on loop: isolated EventLoop) {
        loop.onTurnEnd(self)
        loop.deliveryNanoseconds = context.meter.longTime
        let logger = context.shared.configuration.logger
        loop.ring.onFailure = { failure in
            logger.info("Each socket is sent to and received from by itself: \(failure)")
        }
        // From two connections on one system call for all pays, as measured.
        loop.input.receiveTogether(
            from: context.shared.configuration.leastBatchCount.map { min($0, 2) })
        if isAccepting { accept(on: loop) }
    }

    /// Takes connections, as far as there is room.
    func accept(on loop: isolated EventLoop) {
        for acceptor in acceptors where acceptor.isPaused { acceptor.resume(on: loop) }
    }

    /// The end of a turn, in the order that answers rely on:
    ///
    /// 1. Other threads have their say: first what other loops have sent, in the order of posting,
    ///    then what the handler's own helpers have left. Pipelines that were cut in the last turn
    ///    go on.
    /// 2. The handler gives the answers that have become due.
    /// 3. All that is written is sent; requests that have waited behind it are handed out.
    /// 4. One of the requests goes on that take milliseconds.
    ///
    /// 2 and 3 are repeated as long as something is left to send, and there is time. So all that an
    /// action leads to leaves in its turn, also where it was forwarded or has waited in a pipeline. 1 and
    /// 4 happen once, and a connection goes on once, so that the other connections have their turn.
    func turnEnded(on loop: isolated EventLoop) {
        context.meter.workEnded(inTurnSince: loop.now, "timers and jobs")
        for job in mailbox.jobs.takeAll() { job(self, loop) }
        context.handler.takeMessages(on: loop)
        context.meter.workEnded(inTurnSince: loop.now, "messages of other threads")
        context.output.resumePostponed()
        var hasGoneOn = false
        while true {
            context.handler.giveDueAnswers(on: loop)
            context.closeOrphans(on: loop)
            guard context.output.isEmpty else {
                context.output.flush(on: loop)
                continue
            }
            guard !hasGoneOn, let route = context.handler.goOnWithCostly(on: loop) else { break }
            hasGoneOn = true
            context.meter.workEnded(inTurnSince: loop.now, route)
        }
        context.forgetEncoded()
        context.turn &+= 1
        if context.hasOtherConnections { noteConnections(on: loop) }
        let slow = context.meter.turnEnded(
            at: .readCoarse(), since: loop.now, "answers and events")
        if let slow { report(slow, on: loop) }
    }

    /// Deadlines are looked at from the first connection on; where one has gone, there is room for
    /// another, or the drain is over.
    private func noteConnections(on loop: isolated EventLoop) {
        context.hasOtherConnections = false
        if context.connectionCount > 0 { sweeper.begin(on: loop) }
        accept(on: loop)
        guard context.isDraining, context.connectionCount == 0 else { return }
        for observer in drainObservers { observer.loopIsEmpty() }
        drainObservers = []
    }

    // MARK: The time of a turn

    private func report(_ turn: String, on loop: isolated EventLoop) {
        context.handler.turnWasSlow(on: loop)
        let line = context.meter.line(about: turn, ofLoop: context.index, at: loop.now)
        if let line { context.shared.configuration.logger.warning("\(line)") }
    }

    // MARK: Draining and time

    /// Takes no more connections, closes the idle ones, and has the others end.
    func drain(_ observer: DrainObserver, on loop: isolated EventLoop) {
        context.isDraining = true
        context.hasOtherConnections = true
        for acceptor in acceptors { acceptor.end(on: loop) }
        drainObservers.append(observer)
        for slot in 0..<loop.slotCount { (loop.handler(at: slot) as? Connection)?.drain(on: loop) }
    }

    /// Closes everything at once.
    func closeAll(on loop: isolated EventLoop) {
        context.isDraining = true
        for acceptor in acceptors { acceptor.end(on: loop) }
        for request in context.forwards.values { request.cancel(on: loop) }
        for slot in 0..<loop.slotCount { (loop.handler(at: slot) as? Connection)?.close(on: loop) }
        sweeper.end(on: loop)
    }

    /// Lets this much time pass at once: what tests turn instead of waiting.
    func advance(by duration: Duration, on loop: isolated EventLoop) {
        loop.advance(by: duration)
        sweeper.sweepAll(on: loop)
    }
}

/// The door through which other threads reach an object that lives on one loop, is not Sendable
/// and never leaves it.
///
/// The jobs that are left in one turn are done together at the end of a turn of the loop, in the
/// order of posting; only the first post wakes the loop.
package struct LoopMailbox<Resident>: Sendable {
    /// A piece of work for the resident, on its loop.
    package typealias Job = @Sendable (Resident, isolated EventLoop) -> Void

    package let loop: EventLoop
    /// Those that were left.
    package let jobs: Mailbox<Job>

    package init(loop: EventLoop) {
        self.loop = loop
        jobs = Mailbox { loop.submit { _ in } }
    }

    /// Leaves a job; from any thread.
    package func post(_ job: @escaping Job) {
        jobs.post(job)
    }
}

/// Waits until every loop has let go of its last connection, or a timer of one of them says that it
/// is too late.
final class DrainObserver: TimerHandler, Sendable {
    private typealias Wait = (
        loopsLeft: Int, hasGivenUp: Bool, continuation: CheckedContinuation<Bool, Never>?
    )

    private let state: Lock<Wait>

    init(loopCount: Int) {
        state = Lock((loopCount, false, nil))
    }

    /// One loop has no connection any more.
    func loopIsEmpty() {
        update { $0.loopsLeft -= 1 }
    }

    /// Lets `wait` return although connections are left.
    func giveUp() {
        update { $0.hasGivenUp = true }
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        giveUp()
    }

    /// Returns true when the loops are empty, false after `giveUp`. For one caller.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            update { $0.continuation = continuation }
        }
    }

    private func update(_ change: (inout Wait) -> Void) {
        let (ready, isEmpty) = state.withLock { wait in
            change(&wait)
            let isEmpty = wait.loopsLeft <= 0
            return (isEmpty || wait.hasGivenUp ? wait.continuation.take() : nil, isEmpty)
        }
        ready?.resume(returning: isEmpty)
    }
}

/// Looks through the connections of a loop for what is overdue, a part of them at each tick, so
/// that deadlines cost nothing where requests are answered: no timer is moved for them.
final class Sweeper: TimerHandler {
    private let context: LoopContext
    private let interval: Duration
    private var timer = Timer.none
    private var isRunning = false
    /// A round goes through the slots in so many slices, so that no turn is long.
    static let sliceCount = 16
    private var slice = 0
    /// The bytes that wait for the clients, by slices, and of them those that wait for each client.
    private var outputs = [Held](repeating: (0, [:]), count: sliceCount)
    private typealias Held = (uncounted: Int, byClients: [Accounts.Client: Int])
    /// Fewer bytes are on no client's account.
    private static let leastByteCount = 16 * 1024

    init(_ context: LoopContext) {
        self.context = context
        interval = Self.period(for: context.limits) / Self.sliceCount
    }

    /// The time of a round: a second, or less when a limit is shorter.
    private static func period(for limits: HTTPLimits) -> Duration {
        let shortest = [
            limits.headDuration, limits.bodyDuration, limits.idleDuration,
            limits.writeProgressDuration, limits.leastRateDuration, limits.lingerDuration,
        ].reduce(.seconds(4), min)
        return max(shortest / 4, .milliseconds(16))
    }

    /// Ticks from now on, while there are connections.
    func begin(on loop: isolated EventLoop) {
        guard !isRunning else { return }
        isRunning = true
        timer = loop.schedule(after: interval, self)
    }

    /// Ticks no more.
    func end(on loop: isolated EventLoop) {
        loop.cancel(timer)
        isRunning = false
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        guard context.connectionCount > 0 else {
            isRunning = false
            for slice in 0..<Self.sliceCount { note((0, [:]), ofSlice: slice) }
            return
        }
        sweepSlice(on: loop)
        self.timer = loop.schedule(after: interval, self)
    }

    /// Looks through all connections at once.
    func sweepAll(on loop: isolated EventLoop) {
        for _ in 0..<Self.sliceCount { sweepSlice(on: loop) }
    }

    private func sweepSlice(on loop: isolated EventLoop) {
        note(sweep(Self.slots(ofSlice: slice, of: loop.slotCount), on: loop), ofSlice: slice)
        slice = (slice + 1) % Self.sliceCount
    }

    private func note(_ held: Held, ofSlice slice: Int) {
        let former = exchange(&outputs[slice], with: held)
        let memory = context.shared.memory
        memory.update(.output, of: context.index, outputs.reduce(0) { $0 + $1.uncounted })
        guard !former.byClients.isEmpty || !held.byClients.isEmpty else { return }
        memory.withAccounts { accounts in
            for (client, count) in former.byClients { accounts.add(-count, .bytes, of: client) }
            for (client, count) in held.byClients { accounts.add(count, .bytes, of: client) }
        }
    }

    static func slots(ofSlice slice: Int, of count: Int) -> Range<Int> {
        (slice * count / sliceCount)..<((slice + 1) * count / sliceCount)
    }

    /// Looks for what is overdue among some of the slots. Returns how many bytes of output their
    /// connections hold, and how many bytes in all each client has the server hold by them.
    ///
    /// Where memory becomes short, the connections of those go first who hold more than their share; where
    /// that is not enough, everybody's.
    private func sweep(_ slots: Range<Int>, on loop: isolated EventLoop) -> Held {
        let now = loop.now
        let greedy = context.shared.greedyClients
        let areSpared = !greedy.isEmpty && context.shared.memory.scarcity != .farExceeded
        let most = areSpared ? .max : context.shared.mostUnreadByteCount
        var held: Held = (0, [:])
        for slot in slots {
            guard let connection = loop.handler(at: slot) as? Connection else { continue }
            let client = connection.heldByteCount > Self.leastByteCount ? connection.payer : 0
            let isGreedy = greedy.contains(client)
            connection.tick(
                at: now, holding: isGreedy ? Self.leastByteCount : most, on: loop)
            held.uncounted += connection.uncountedByteCount
            if client > 0 { held.byClients[client, default: 0] += connection.heldByteCount }
        }
        return held
    }
}

/// Finds the turns of one loop that take too long, and of each the work that took longest.
///
/// The times are those of the coarse clock, which costs a load from memory and moves every few
/// milliseconds. Most pieces of work end before it has moved, and are passed over by one
/// comparison; one that takes tens of milliseconds is found.
///
/// A class, so that this comparison is one: an access to a value that another class holds, and
/// that has methods which change it, is checked for exclusivity each time.
final class TurnMeter {
    private let limit: Int64
    /// From here on a turn is long: a fifth of what it may take.
    let longTime: Int64
    /// When the last piece of work ended.
    private var last = Instant(nanoseconds: 0)
    private var longest: (work: String, time: Int64) = ("", 0)

    init(limit: Duration) {
        self.limit = limit.nanoseconds
        longTime = limit.nanoseconds / 5
    }

    /// Answers true where the clock has moved since the last piece of work.
    @inline(__always)
    func hasMoved(_ now: Instant) -> Bool {
        now != last
    }

    /// The turn that began at `start` has lasted so long that no connection
    /// should have a second request handled in it.
    @inline(__always)
    func isLong(since start: Instant) -> Bool {
        last.nanoseconds - start.nanoseconds > longTime
    }

    /// A piece of work has ended just now, as far as that can be seen.
    @inline(__always)
    func workEnded(inTurnSince start: Instant, _ work: String) {
        let now = Instant.readCoarse()
        if hasMoved(now) { workEnded(at: now, since: start, work) }
    }

    /// A piece of work has ended, in a turn that began at `start`.
    func workEnded(at now: Instant, since start: Instant, _ work: String) {
        let time = now.nanoseconds - max(last, start).nanoseconds
        last = now
        if time > longest.time { longest = (work, time) }
    }

    /// A turn has ended, with the piece of work that is named so. Where it took too long, this tells
    /// how long, and which piece of work took longest: `took 60 ms; 40 ms of it: POST /counter/…`.
    func turnEnded(at now: Instant, since start: Instant, _ work: String) -> String? {
        guard hasMoved(now) || longest.time > 0 else { return nil }
        workEnded(at: now, since: start, work)
        let longest = longest
        self.longest = ("", 0)
        let time = now.nanoseconds - start.nanoseconds
        guard time >= limit else { return nil }
        return "took \(time / 1_000_000) ms; \(longest.time / 1_000_000) ms of it: \(longest.work)"
    }

    // MARK: The log

    private static let pause = Duration.seconds(10)
    private var nextLine = Instant(nanoseconds: .min)
    private var unreportedCount = 0

    /// The log's line about a turn that ended at `now`; nil where it is only counted, since there is
    /// one in ten seconds at most.
    func line(about turn: String, ofLoop index: Int, at now: Instant) -> String? {
        guard now >= nextLine else {
            unreportedCount += 1
            return nil
        }
        defer {
            nextLine = now.advanced(by: Self.pause)
            unreportedCount = 0
        }
        let others =
            unreportedCount > 0 ? " (\(unreportedCount) more since the last such line)" : ""
        return "A turn of loop \(index) \(turn)\(others)"
    }
}
