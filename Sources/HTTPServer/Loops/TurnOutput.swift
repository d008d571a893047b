internal import HTTPMessages
internal import Sockets

/// The owner of all that one loop sends in a turn, in the order of sending:
///
/// 1. The buffer takes the answers of the connection whose requests are being handed out.
/// 2. Those whose connections have only a short answer to send are sent in a row. A client's thread
///    that is woken by each answer by itself sleeps again before the next one, and each waking costs
///    the server about as much as the answer; in a row, they find it awake.
/// 3. At the end of the turn the other connections go on that have something queued, or requests
///    left.
///
/// Many sends are made by one system call where the kernel has io_uring(7).
final class TurnOutput {
    /// The buffer keeps this capacity between two uses.
    static var bufferByteCount: Int { 64 * 1024 }
    /// Longer answers are sent at once, without a copy.
    static var shortByteCount: Int { 4096 }
    /// No client waits for more answers than this.
    static var answersCount: Int { 32 }

    // Nothing is called while it is accessed, so that the compiler need not check that at run time.
    private var buffer: [UInt8]
    /// The connection whose answers the buffer takes.
    private var writer: ObjectIdentifier?
    /// Connections that have only a short answer to send.
    private var answered: [Connection] = []
    /// Connections that go on at the end of this turn.
    private var joined: [Connection] = []
    /// Connections whose waiting requests go on in the next turn.
    private var postponed: [Connection] = []
    /// The storage of a list that was gone through.
    private var spare: [Connection] = []
    /// The sends of one system call; empty between two.
    private var sends = SendBatch()
    private let leastCount: Int?

    /// From `leastCount` sends on one system call makes them; for nil, none does.
    init(leastCount: Int?) {
        self.leastCount = leastCount
        buffer = Self.makeBuffer()
    }

    private static func makeBuffer() -> [UInt8] {
        var fresh: [UInt8] = []
        fresh.reserveCapacity(bufferByteCount)
        return fresh
    }

    /// Nothing is left to send.
    var isEmpty: Bool { joined.isEmpty && answered.isEmpty }

    // MARK: The buffer

    var isBufferEmpty: Bool { buffer.isEmpty }
    var bufferCount: Int { buffer.count }

    /// Gives the buffer to a connection, until `end`.
    func begin(for connection: Connection) {
        let connection = ObjectIdentifier(connection)
        precondition(writer == nil || writer == connection, "One connection writes at a time.")
        precondition(writer != nil || buffer.isEmpty, "The buffer was sent before.")
        writer = connection
    }

    /// Ends the writing; what was written is taken or moved now.
    func end() {
        writer = nil
    }

    @inline(__always)
    func isWriting(_ connection: Connection) -> Bool {
        writer == ObjectIdentifier(connection)
    }

    func write(_ bytes: Span<UInt8>) {
        var taken = takeBuffer()
        taken.append(copying: bytes)
        buffer = taken
    }

    /// Writes an answer, in the buffer's storage.
    @inline(__always)
    func answer(
        _ status: Int, _ traits: RequestTraits, lines: [UInt8],
        _ fill: (inout ResponseWriter) -> Void
    ) {
        buffer = traits.answer(status, lines: lines, behind: takeBuffer(), fill)
    }

    /// Takes the buffer out with what stands in it, to be recycled.
    @inline(__always)
    func takeBuffer() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &buffer)
        return taken
    }

    /// The bytes have been sent: their storage is used again, unless it has grown large.
    @inline(__always)
    func recycle(_ sent: consuming [UInt8]) {
        guard sent.capacity <= 16 * Self.bufferByteCount else {
            buffer = Self.makeBuffer()
            return
        }
        sent.removeAll(keepingCapacity: true)
        buffer = sent
    }

    /// Moves what stands in the buffer to a queue, so that more can follow it there.
    func moveBuffer(to queue: inout WriteQueue) {
        let bytes = takeBuffer()
        queue.append(copying: bytes.span)
        recycle(bytes)
    }

    // MARK: The end of a turn

    /// Has a connection that has only a short answer to send do so, soon or at the end of this turn.
    func joinAnswers(_ connection: Connection, on loop: isolated EventLoop) {
        answered.append(connection)
        if answered.count == Self.answersCount { sendAnswers(on: loop) }
    }

    /// Has a connection go on at the end of this turn.
    func join(_ connection: Connection) {
        joined.append(connection)
    }

    /// Has a connection go on in the next turn, which begins at once.
    func postpone(_ connection: Connection, on loop: isolated EventLoop) {
        if postponed.isEmpty { loop.submit { _ in } }
        postponed.append(connection)
    }

    /// The connections go on that were put off to this turn.
    func resumePostponed() {
        guard !postponed.isEmpty else { return }
        for connection in postponed { connection.nextTurnCame() }
        postponed.removeAll(keepingCapacity: postponed.count <= 1024)
    }

    /// Sends all: short answers, then the queues of the connections that joined, which go on.
    func flush(on loop: isolated EventLoop) {
        sendAnswers(on: loop)
        var connections = takeSpare()
        swap(&connections, &joined)
        goOn(connections, on: loop)
    }

    func sendAnswers(on loop: isolated EventLoop) {
        var connections = takeSpare()
        swap(&connections, &answered)
        goOn(connections, on: loop)
    }

    private func takeSpare() -> [Connection] {
        var taken: [Connection] = []
        swap(&taken, &spare)
        return taken
    }

    /// Sends what waits in the queues of these connections together, if they are enough for that;
    /// then those go on with which anything else is to be done.
    private func goOn(_ connections: consuming [Connection], on loop: isolated EventLoop) {
        let isDone = sendTogether(connections, on: loop)
        for place in connections.indices where isDone.isEmpty || !isDone[place] {
            connections[place].turnEnded(on: loop)
        }
        connections.removeAll(keepingCapacity: connections.count <= 16 * 1024)
        spare = connections
    }

    /// Makes the first send of each connection by few system calls.
    ///
    /// - Returns: for each connection whether that was all; empty where nothing is sent together.
    private func sendTogether(
        _ connections: [Connection], on loop: isolated EventLoop
    ) -> [Bool] {
        guard let leastCount, connections.count >= leastCount, loop.ring.failure == nil else {
            return []
        }
        var isDone = Array(repeating: false, count: connections.count)
        var sends = SendBatch()
        swap(&sends, &self.sends)
        var staged: [Int] = []
        staged.reserveCapacity(min(connections.count, SendBatch.capacity))
        for place in connections.indices {
            if connections[place].stage(in: &sends) { staged.append(place) }
            let isLast = place == connections.count - 1
            guard sends.isFull || isLast && staged.count >= leastCount else { continue }
            loop.send(&sends)
            let now = connections[place].context.now(loop)
            // The queues stand as they stood until all results are taken over.
            for (position, place) in staged.enumerated() {
                isDone[place] = connections[place].noteSent(sends.result(at: position), at: now)
            }
            sends.removeAll()
            staged.removeAll(keepingCapacity: true)
        }
        sends.removeAll()
        swap(&sends, &self.sends)
        return isDone
    }
}
