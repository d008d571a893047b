internal import HTTPMessages
internal import Logging
internal import Sockets

/// What the loops of one server share.
struct ServerShared: Sendable {
    let limits: HTTPLimits
    let logger: Logger
    let tally: AddressTally
    let compression: CompressionTally
    let mailboxes: [LoopMailbox]
    let leastBatchCount: Int?
    let memory: MemoryBudget
    /// The fields of every answer, as they are written.
    let commonLines: [UInt8]

    /// The largest request that is taken now: any that the limits allow, smaller ones where the
    /// memory budget is exceeded, and hardly any where it is far exceeded.
    var largestRequestByteCount: Int {
        switch memory.scarcity {
        case .none: .max
        case .exceeded: limits.scarceBodyByteCount
        case .farExceeded: min(limits.scarceBodyByteCount, Self.smallRequestByteCount)
        }
    }

    /// How much may wait for a client that does not take it: any amount that the limits allow,
    /// little where the memory budget is exceeded.
    var mostUnreadByteCount: Int {
        switch memory.scarcity {
        case .none: .max
        case .exceeded: 256 * 1024
        case .farExceeded: 16 * 1024
        }
    }

    /// Requests up to this size are always taken.
    static let smallRequestByteCount = 4096
}

/// The server's part on one loop: its connections, its handler, and the buffer that all of them
/// write into. Lives on the loop and never leaves it; other threads post to its mailbox.
final class ServerLoop: TurnEndHandler {
    let shared: ServerShared
    let limits: HTTPLimits
    let bounds: RequestBounds
    let leastPace: ReadingPace.Minimum
    let index: Int
    let mailbox: LoopMailbox
    let handler: any RequestHandler
    var connections = ConnectionTable()
    var forwards: [ForwardKey: RemoteRequest] = [:]
    private(set) var isDraining = false

    /// Answers of the connection that is being read, sent in one call when its bytes are used up.
    var output: [UInt8] = []
    /// What was compressed for one stream, on its way into its queue.
    var codingOutput: [UInt8] = []
    /// The connection whose answers `output` takes; 0 while there is none.
    var activeIdentity: UInt64 = 0
    /// Answers of other connections that are sent in a row.
    var batch = AnswerBatch()
    /// What is sent together; empty between two batches.
    var sends = SendBatch()
    private var dirty: [Connection] = []
    /// Connections whose waiting requests go on in the next turn.
    private var postponed: [Connection] = []
    private var orphans: [any StreamSource] = []
    /// Which turn this is; it begins again at 0 after the last number.
    private(set) var turn: UInt32 = 0
    let meter: TurnMeter
    private var slowTurns = SlowTurnLog()
    private var commonLines: [UInt8] = []
    private var dateSecond: Int64 = -1
    private var acceptor: Acceptor?
    private let sweeper: Sweeper
    private var clockOffset: Int64 = 0
    private var drainObservers: [DrainObserver] = []

    init(index: Int, shared: ServerShared, handler: any RequestHandler) {
        self.index = index
        self.shared = shared
        self.handler = handler
        limits = shared.limits
        meter = TurnMeter(limit: shared.limits.turnDuration)
        bounds = RequestBounds(shared.limits)
        leastPace = ReadingPace.Minimum(shared.limits)
        mailbox = shared.mailboxes[index]
        sweeper = Sweeper(period: Sweeper.period(for: shared.limits))
        output.reserveCapacity(Self.outputByteCount)
    }

    /// What `output` keeps between two uses.
    static var outputByteCount: Int { 64 * 1024 }

    /// Begins to serve on the loop.
    func start(_ listener: Listener, on loop: isolated EventLoop) {
        loop.onTurnEnd(self)
        sweeper.server = self
        let acceptor = Acceptor(listener: listener, server: self)
        self.acceptor = acceptor
        acceptor.resume(on: loop)
    }

    /// The time that deadlines are measured by.
    func now(_ loop: isolated EventLoop) -> Instant {
        loop.now.advanced(byNanoseconds: clockOffset)
    }

    // MARK: Output

    /// The shared output with what stands in it, to be put back.
    @inline(__always)
    func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    /// The output has been sent: its storage is used again, unless it has grown large.
    @inline(__always)
    func recycle(_ sent: consuming [UInt8]) {
        guard sent.capacity <= 16 * Self.outputByteCount else {
            output.reserveCapacity(Self.outputByteCount)
            return
        }
        sent.removeAll(keepingCapacity: true)
        output = sent
    }

    /// The fields of every answer that is made now, Date among them (RFC 9110 §6.6.1): made once
    /// a second.
    func commonLines(on loop: isolated EventLoop) -> [UInt8] {
        let second = loop.wallClockMilliseconds / 1000
        if second != dateSecond {
            dateSecond = second
            let text = HTTPDate.format(secondsSince1970: Int(second))
            commonLines = [UInt8]("Date: \(text)\r\n".utf8) + shared.commonLines
        }
        return commonLines
    }

    // MARK: Connections

    /// Takes in a connection that was accepted or handed over; nil when it cannot be watched.
    @discardableResult
    func open(
        _ descriptor: consuming Descriptor, from address: IPAddress, on loop: isolated EventLoop
    ) -> Connection? {
        guard shared.tally.enter(address) else { return nil }
        let connection = Connection(
            descriptor, from: address, server: self, now: now(loop))
        if let age = limits.connectionAge {
            connection.state.expiry = now(loop).advanced(by: jittered(age))
        }
        return admit(connection, on: loop)
    }

    /// As `open`, for a connection that is counted already.
    func admit(_ connection: Connection, on loop: isolated EventLoop) -> Connection? {
        connection.key = connections.insert(connection)
        do throws(SystemError) {
            try connection.register(on: loop)
        } catch {
            shared.logger.error("A connection cannot be watched: \(error)")
            forget(connection)
            return nil
        }
        sweeper.begin(on: loop)
        return connection
    }

    /// A connection is gone, or has left for another loop.
    func forget(_ connection: Connection, leavesServer: Bool = true) {
        connections.remove(connection.key)
        if leavesServer, shared.tally.leave(connection.address) {
            for mailbox in shared.mailboxes {
                mailbox.post { server, loop in server.acceptor?.resume(on: loop) }
            }
        } else if acceptor?.isPaused == true {
            mailbox.post { server, loop in server.acceptor?.resume(on: loop) }
        }
        noteProgressOfDrain()
    }

    /// A duration, longer or shorter by up to the configured share.
    func jittered(_ duration: Duration) -> Duration {
        duration * (1 + Double.random(in: -1...1) * min(max(limits.jitter, 0), 1))
    }

    // MARK: The end of a turn

    /// Has the connection's queue sent, and its waiting requests read, at the end of the turn.
    func markDirty(_ connection: Connection) {
        guard !connection.state.flags.contains(.isDirty) else { return }
        connection.state.flags.insert(.isDirty)
        dirty.append(connection)
    }

    /// Tells a source at the end of the turn that its stream never came to be.
    func closeLater(_ source: any StreamSource) {
        orphans.append(source)
    }

    /// Hands out the waiting requests of a connection in the next turn, which begins at once.
    func postpone(_ connection: Connection, on loop: isolated EventLoop) {
        guard !connection.state.flags.contains(.isPostponed) else { return }
        connection.state.flags.insert(.isPostponed)
        if postponed.isEmpty { loop.submit { _ in } }
        postponed.append(connection)
    }

    /// The end of a turn, in the order that answers rely on:
    ///
    /// 1. Other threads have their say: what other loops and the handler's own helpers have sent.
    ///    Pipelines that were cut in the last turn go on.
    /// 2. The handler gives the answers that have become due.
    /// 3. All that is written is sent; requests that have waited behind it are handed out.
    ///
    /// 2 and 3 are repeated as long as something is left to send. So all that an action leads to
    /// leaves in its turn, also where it was forwarded or has waited in a pipeline. 1 happens
    /// once, and a connection goes on once, so that the other connections have their turn.
    func turnEnded(on loop: isolated EventLoop) {
        noteWork("timers and jobs", on: loop)
        if !mailbox.isEmpty {
            for errand in mailbox.takeAll() { errand(self, loop) }
        }
        handler.takeMessages(on: loop)
        noteWork("messages of other threads", on: loop)
        resumePostponed()
        while true {
            handler.giveDueAnswers(on: loop)
            while let source = orphans.popLast() { source.streamClosed(on: loop) }
            if dirty.isEmpty, batch.isEmpty { break }
            sendBatch(on: loop)
            flushDirty(on: loop)
        }
        turn &+= 1
        let slow = meter.turnEnded(at: .readCoarse(), since: loop.now, "answers and events")
        if let slow { report(slow, on: loop) }
    }

    // MARK: The time of a turn

    /// A request has been handled: what a slow turn is perhaps due to.
    @inline(__always)
    func noteHandled(_ head: RequestHead, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let now = Instant.readCoarse()
        guard meter.hasMoved(now) else { return }
        meter.workEnded(at: now, inTurnSince: loop.now, handler.route(of: head, in: bytes))
    }

    private func noteWork(_ work: String, on loop: isolated EventLoop) {
        let now = Instant.readCoarse()
        if meter.hasMoved(now) { meter.workEnded(at: now, inTurnSince: loop.now, work) }
    }

    private func report(_ turn: TurnMeter.SlowTurn, on loop: isolated EventLoop) {
        handler.turnWasSlow(on: loop)
        guard let line = slowTurns.line(about: turn, ofLoop: index, at: loop.now) else { return }
        shared.logger.warning("\(line)")
    }

    private func resumePostponed() {
        guard !postponed.isEmpty else { return }
        for connection in postponed {
            connection.state.flags.remove(.isPostponed)
            markDirty(connection)
        }
        postponed.removeAll(keepingCapacity: postponed.count <= 1024)
    }

    private func flushDirty(on loop: isolated EventLoop) {
        var batch: [Connection] = []
        swap(&batch, &dirty)
        sendTogether(batch, on: loop)
        for connection in batch {
            connection.state.flags.remove(.isDirty)
            connection.resume(on: loop)
        }
        guard dirty.isEmpty else { return }
        batch.removeAll(keepingCapacity: batch.count <= 16 * 1024)
        swap(&batch, &dirty)
    }

    // MARK: Draining and time

    /// Takes no more connections, closes the idle ones, and has the others end.
    func drain(_ observer: DrainObserver, on loop: isolated EventLoop) {
        isDraining = true
        acceptor?.end(on: loop)
        drainObservers.append(observer)
        for slot in 0..<connections.slotCount {
            connections[slot]?.drain(on: loop)
        }
        noteProgressOfDrain()
    }

    /// Closes everything at once.
    func closeAll(on loop: isolated EventLoop) {
        isDraining = true
        acceptor?.end(on: loop)
        for request in forwards.values { request.cancel(on: loop) }
        for slot in 0..<connections.slotCount { connections[slot]?.close(on: loop) }
        sweeper.end(on: loop)
    }

    private func noteProgressOfDrain() {
        guard isDraining, connections.count == 0 else { return }
        for observer in drainObservers { observer.loopIsEmpty() }
        drainObservers = []
    }

    /// Lets this much time pass at once, for deadlines: what tests turn instead of waiting.
    func advance(by duration: Duration, on loop: isolated EventLoop) {
        clockOffset += duration.nanoseconds
        sweep(0..<connections.slotCount, on: loop)
    }

    /// Looks for what is overdue among some of the slots. Returns how many bytes of output their
    /// connections hold.
    @discardableResult
    func sweep(_ slots: Range<Int>, on loop: isolated EventLoop) -> Int {
        let now = now(loop)
        let mostOutput = shared.mostUnreadByteCount
        var byteCount = 0
        for slot in slots where slot < connections.slotCount {
            guard let connection = connections[slot] else { continue }
            let isFat = connection.queue.byteCount > mostOutput
            if let overdue = connection.state.overdue(at: now, limits, waitsTooMuch: isFat) {
                connection.expire(overdue, on: loop)
            }
            byteCount += connection.outputByteCount
        }
        return byteCount
    }
}
