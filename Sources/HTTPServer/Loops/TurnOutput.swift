internal import HTTPMessages
internal import Sockets

/// The owner of all that one loop sends in a turn, in the order of sending:
///
/// 1. The buffer takes the answers of the connection whose requests are being handed out.
/// 2. Those of connections that have only a short answer to send stay there, one behind the other,
///    and are sent in a row. A client's thread that is woken by each answer by itself sleeps again
///    before the next one, and each waking costs the server about as much as the answer; in a row,
///    they find it awake.
/// 3. At the end of the turn the other connections go on that have something queued, or requests
///    left.
///
/// Many sends are made by one system call where the kernel has io_uring(7).
final class TurnOutput {
    /// The buffer keeps this capacity between two uses.
    static let bufferByteCount = 64 * 1024
    /// Longer answers are sent at once.
    static let shortByteCount = 4096
    /// No client waits for more answers than this.
    static let answersCount = 32
    /// The bytes that are sent between two looks at the clock.
    private static let sentByteCount = 4 << 20

    // Nothing is called while it is accessed, so that the compiler need not check that at run time.
    private var buffer: [UInt8] = []
    /// Where the bytes of the writer begin, behind the answers that wait.
    private var start = 0
    /// The connection whose answers the buffer takes.
    private var writer: ObjectIdentifier?
    /// Connections that have only a short answer to send, and its place in the buffer.
    private var answers: [(connection: Connection, range: Range<Int>)] = []
    /// Connections that go on at the end of this turn.
    private var joined: [Connection] = []
    /// Connections that a turn has had no time for: they are the first to go on in the next one.
    private var late: [Connection] = []
    /// Connections whose waiting requests go on in the next turn.
    private var postponed: [Connection] = []
    /// The sends of one system call; empty between two.
    private var sends = SendBatch()
    private let leastCount: Int?

    /// From `leastCount` sends on one system call makes them; for nil, none does.
    init(leastCount: Int?) {
        self.leastCount = leastCount
    }

    /// Nothing is left to send in this turn.
    var isEmpty: Bool { joined.isEmpty ? answers.isEmpty : false }
    /// Something is left for the next turn.
    var isLate: Bool { !late.isEmpty }

    // MARK: The buffer

    /// The count of the bytes that the writer has written.
    var writtenCount: Int { buffer.count - start }

    /// Gives the buffer to a connection, until `end`.
    func begin(for connection: Connection) {
        guard !isWriting(connection) else { return }
        precondition(writer == nil, "One connection writes at a time.")
        precondition(writtenCount == 0, "What was written was sent before.")
        writer = ObjectIdentifier(connection)
        if buffer.capacity == 0 {
            var fresh: [UInt8] = []
            fresh.reserveCapacity(Self.bufferByteCount)
            buffer = fresh
        }
    }

    /// Ends the writing; what was written is sent, kept or moved now.
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

    @inline(__always)
    private func takeBuffer() -> [UInt8] {
        exchange(&buffer, with: [])
    }

    /// Lends what was written, which is then done with.
    func takeWritten(_ body: (Span<UInt8>) -> Void) {
        var taken = takeBuffer()
        body(taken.span.extracting(start...))
        taken.removeLast(taken.count - start)
        putBack(taken)
    }

    /// The buffer's storage is used again, unless it has grown large.
    private func putBack(_ taken: consuming [UInt8]) {
        if taken.capacity <= 16 * Self.bufferByteCount || !taken.isEmpty { buffer = taken }
    }

    // MARK: The end of a turn

    /// Has a connection that has only the short answer to send which it has written do so, soon or at
    /// the end of this turn.
    func joinAnswers(_ connection: Connection, on loop: isolated EventLoop) {
        var taken = exchange(&answers, with: [])
        taken.append((connection, start..<buffer.count))
        answers = taken
        start = buffer.count
        if taken.count == Self.answersCount { sendAnswers(on: loop) }
    }

    /// Has a connection go on at the end of this turn.
    func join(_ connection: Connection) {
        var taken = exchange(&joined, with: [])
        taken.append(connection)
        joined = taken
    }

    /// Has a connection go on in the next turn, which begins at once.
    func postpone(_ connection: Connection, on loop: isolated EventLoop) {
        if postponed.isEmpty { loop.submit { _ in } }
        postponed = postponed + [connection]
    }

    /// The connections go on that were put off to this turn.
    func resumePostponed() {
        if !late.isEmpty { joined = exchange(&late, with: []) + joined }
        guard !postponed.isEmpty else { return }
        let connections = postponed
        postponed = []
        for connection in connections { connection.nextTurnCame() }
    }

    /// Sends the short answers that wait, together where they are enough for that.
    func sendAnswers(on loop: isolated EventLoop) {
        guard !answers.isEmpty else { return }
        var taken = exchange(&answers, with: [])
        var bytes = takeBuffer()
        if start < bytes.count { buffer = Array(bytes[start...]) }
        start = 0
        var sends: SendBatch?
        if isEnough(taken.count, on: loop) {
            var batch = exchange(&self.sends, with: SendBatch())
            for (connection, range) in taken { batch.add(bytes, range, to: connection.descriptor) }
            loop.send(&batch)
            sends = batch
        }
        for (position, answer) in taken.enumerated() {
            answer.connection.sendAnswer(
                bytes.span.extracting(answer.range), sends?.result(at: position), on: loop)
        }
        if var batch = sends.take() {
            batch.removeAll()
            self.sends = batch
        }
        // Requests that were handed out meanwhile have written into a buffer of their own.
        guard answers.isEmpty, writtenCount == 0 else { return }
        // One by one: to remove all of an array of pairs takes the long way through their types.
        while taken.popLast() != nil {}
        answers = taken
        bytes.removeAll(keepingCapacity: true)
        buffer = []
        putBack(bytes)
    }

    private func isEnough(_ count: Int, on loop: isolated EventLoop) -> Bool {
        guard let leastCount, count >= leastCount else { return false }
        return loop.ring.failure == nil
    }

    /// Sends short answers, then the queues of the connections that joined, which go on: as many as
    /// there is time for, and the others in the next turn.
    func flush(on loop: isolated EventLoop) {
        sendAnswers(on: loop)
        var connections = exchange(&joined, with: [])
        guard !connections.isEmpty else { return }
        let end = Instant.read().advanced(byNanoseconds: loop.deliveryNanoseconds)
        var rest = connections[...]
        repeat {
            let some = rest.prefix(Self.count(of: rest))
            rest.removeFirst(some.count)
            let isDone = sendTogether(some, on: loop)
            for place in some.indices where isDone.isEmpty || !isDone[place - some.startIndex] {
                some[place].turnEnded(on: loop)
            }
        } while !rest.isEmpty && Instant.read() < end
        if !rest.isEmpty {
            if late.isEmpty { loop.submit { _ in } }
            late += rest
        }
        rest = []
        guard joined.isEmpty else { return }
        connections.removeAll(keepingCapacity: connections.count <= 16 * 1024)
        joined = connections
    }

    /// So many connections go on before the clock is looked at: what they send takes some
    /// milliseconds.
    private static func count(of connections: ArraySlice<Connection>) -> Int {
        var (count, byteCount) = (0, 0)
        for connection in connections.prefix(SendBatch.capacity) where byteCount < sentByteCount {
            count += 1
            byteCount += connection.unsentByteCount
        }
        return count
    }

    /// Makes the first send of each connection by one system call, if they are enough for that.
    ///
    /// - Returns: for each connection whether that was all; empty where nothing is sent together.
    private func sendTogether(
        _ connections: ArraySlice<Connection>, on loop: isolated EventLoop
    ) -> [Bool] {
        guard isEnough(connections.count, on: loop) else { return [] }
        var isDone = Array(repeating: false, count: connections.count)
        var sends = SendBatch()
        swap(&sends, &self.sends)
        var staged: [Int] = []
        staged.reserveCapacity(connections.count)
        for place in connections.indices where connections[place].stage(in: &sends) {
            staged.append(place)
        }
        if isEnough(staged.count, on: loop) {
            loop.send(&sends)
            let now = loop.now
            // The queues stand as they stood until all results are taken over.
            for (position, place) in staged.enumerated() {
                isDone[place - connections.startIndex] = connections[place].noteSent(
                    sends.result(at: position), at: now)
            }
        }
        sends.removeAll()
        swap(&sends, &self.sends)
        return isDone
    }
}
