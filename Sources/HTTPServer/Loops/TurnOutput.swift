internal import HTTPMessages
internal import Sockets

/// The owner of all that one loop sends in a turn, in the order of sending:
///
/// 1. The buffer takes the answers of the connection whose requests are being handed out.
/// 2. Short ones are kept, and sent in a row with those of other connections.
/// 3. At the end of the turn the connections go on that have something queued, or requests left.
///
/// Many sends are made by one system call where the kernel has io_uring(7).
final class TurnOutput {
    /// The buffer keeps this capacity between two uses.
    static var bufferByteCount: Int { 64 * 1024 }

    // Nothing is called while it is accessed, so that the compiler need not check that at run time.
    private var buffer: [UInt8]
    /// The connection whose answers the buffer takes; 0 while there is none.
    private var writerIdentity: UInt64 = 0
    /// Lent to compressed streams: what was compressed, on its way into a queue.
    var codingBuffer: [UInt8] = []
    private var answers = TurnAnswers()
    /// The sends of one system call; empty between two.
    private var sends = SendBatch()
    /// Connections that go on at the end of this turn.
    private var joined: [ConnectionKey] = []
    /// Connections whose waiting requests go on in the next turn.
    private var postponed: [ConnectionKey] = []
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
    var isEmpty: Bool { joined.isEmpty && answers.isEmpty }

    // MARK: The buffer

    var isBufferEmpty: Bool { buffer.isEmpty }
    var isBufferShort: Bool { buffer.count <= TurnAnswers.byteCountPerAnswer }
    var bufferCount: Int { buffer.count }

    /// Gives the buffer to a connection, until `end`.
    func begin(for key: ConnectionKey) {
        precondition(
            writerIdentity == 0 || writerIdentity == key.identity,
            "One connection writes at a time.")
        precondition(writerIdentity != 0 || buffer.isEmpty, "The buffer was sent before.")
        writerIdentity = key.identity
    }

    /// Ends the writing; what was written is taken or kept now.
    func end() {
        writerIdentity = 0
    }

    @inline(__always)
    func isWriting(_ key: ConnectionKey) -> Bool {
        writerIdentity == key.identity
    }

    func write(_ bytes: Span<UInt8>) {
        var taken = takeBuffer()
        taken.append(copying: bytes)
        buffer = taken
    }

    /// Writes an answer, in the buffer's storage.
    @inline(__always)
    func answer(
        _ status: Int, _ framing: AnswerFraming, lines: [UInt8],
        _ fill: (inout ResponseWriter) -> Void
    ) {
        buffer = framing.answer(status, lines: lines, behind: takeBuffer(), fill)
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

    /// Moves what stands in the buffer to a queue, so that frames can follow it there.
    func moveBuffer(to queue: inout WriteQueue) {
        let bytes = takeBuffer()
        queue.append(copying: bytes.span)
        recycle(bytes)
    }

    // MARK: Answers

    /// Keeps what stands in the buffer, a connection's short answer, to be sent with others.
    func keepAnswer(of connection: Connection, on loop: isolated EventLoop) {
        let bytes = takeBuffer()
        let count = answers.append(bytes, of: connection)
        recycle(bytes)
        if count == TurnAnswers.itemCount { sendAnswers(on: loop) }
    }

    /// Sends the answers that were kept.
    func sendAnswers(on loop: isolated EventLoop) {
        guard !answers.isEmpty else { return }
        var sent = TurnAnswers()
        swap(&sent, &answers)
        sent.send(on: loop, after: sendTogether(sent, on: loop))
        sent.removeAll()
        if answers.isEmpty { swap(&sent, &answers) }
    }

    /// The result of each answer, nil for those that were not sent; empty when none was.
    private func sendTogether(_ answers: TurnAnswers, on loop: isolated EventLoop) -> [IOResult?] {
        guard canSendTogether(answers.count, on: loop) else { return [] }
        var sends = SendBatch()
        swap(&sends, &self.sends)
        let places = answers.stage(in: &sends)
        loop.send(&sends)
        let results = places.map { place in place.flatMap { sends.result(at: $0) } }
        sends.removeAll()
        swap(&sends, &self.sends)
        return results
    }

    // MARK: The end of a turn

    /// Has a connection go on at the end of this turn.
    func join(_ key: ConnectionKey) {
        joined.append(key)
    }

    /// Has a connection go on in the next turn, which begins at once.
    func postpone(_ key: ConnectionKey, on loop: isolated EventLoop) {
        if postponed.isEmpty { loop.submit { _ in } }
        postponed.append(key)
    }

    /// The connections go on that were put off to this turn.
    func resumePostponed(_ find: (ConnectionKey) -> Connection?) {
        guard !postponed.isEmpty else { return }
        for key in postponed { find(key)?.nextTurnCame() }
        postponed.removeAll(keepingCapacity: postponed.count <= 1024)
    }

    /// Sends all: the answers that were kept, then the queues of the connections that joined, which
    /// go on. `find` knows the connections that are open.
    func flush(on loop: isolated EventLoop, _ find: ([ConnectionKey]) -> [Connection]) {
        sendAnswers(on: loop)
        var keys: [ConnectionKey] = []
        swap(&keys, &joined)
        let connections = find(keys)
        let isAtRest = sendTogether(connections, on: loop)
        for place in connections.indices where isAtRest.isEmpty || !isAtRest[place] {
            connections[place].turnEnded(on: loop)
        }
        guard joined.isEmpty else { return }
        keys.removeAll(keepingCapacity: keys.count <= 16 * 1024)
        swap(&keys, &joined)
    }

    /// Sends what waits in the queues of these connections together, if they are enough for that.
    ///
    /// Bytes that cannot be sent stay in their queue, to be sent in the ordinary way. So do those
    /// that wait for room already.
    ///
    /// - Returns: for each connection whether that was all, and it has left the turn; empty where
    ///   nothing is sent together.
    private func sendTogether(
        _ connections: [Connection], on loop: isolated EventLoop
    ) -> [Bool] {
        guard let leastCount, canSendTogether(connections.count, on: loop) else { return [] }
        var isAtRest = Array(repeating: false, count: connections.count)
        var sends = SendBatch()
        swap(&sends, &self.sends)
        var staged: [Int] = []
        staged.reserveCapacity(min(connections.count, SendBatch.capacity))
        for place in connections.indices {
            let connection = connections[place]
            connection.exchanges.stage(in: &sends, to: connection.socket.descriptor)
            guard sends.count > staged.count else { continue }
            staged.append(place)
            guard sends.isFull else { continue }
            send(&sends, to: connections, at: staged, &isAtRest, on: loop)
            staged.removeAll(keepingCapacity: true)
        }
        if staged.count >= leastCount {
            send(&sends, to: connections, at: staged, &isAtRest, on: loop)
        }
        sends.removeAll()
        swap(&sends, &self.sends)
        return isAtRest
    }

    private func canSendTogether(_ count: Int, on loop: isolated EventLoop) -> Bool {
        guard let leastCount else { return false }
        return count >= leastCount && loop.ring.failure == nil
    }

    /// The queues stand as they stood until all results are taken over.
    ///
    /// - Parameter places: those of the connections that the sends are of, in their order.
    private func send(
        _ sends: inout SendBatch, to connections: [Connection], at places: [Int],
        _ isAtRest: inout [Bool], on loop: isolated EventLoop
    ) {
        loop.send(&sends)
        // All connections of a loop have one context.
        guard let context = connections.first?.context else { return }
        let now = context.now(loop)
        for (position, place) in places.enumerated() {
            let leaving = connections[place].exchanges.noteSent(
                sends.result(at: position), at: now, context.leastPace,
                isDraining: context.isDraining)
            isAtRest[place] = leaving == .atRest
        }
        sends.removeAll()
    }
}

/// Short answers of several connections that are sent one after the other, once the requests of a
/// turn are read.
///
/// A client's thread that is woken by each answer by itself sleeps again before the next one, and
/// each waking costs the server about as much as the answer. Sent in a row, or by one system call
/// when they are many, they find it awake.
struct TurnAnswers {
    private struct Item {
        let connection: Connection
        let end: Int
    }

    /// No client waits for more answers than this.
    static let itemCount = 32
    /// Longer answers are not copied.
    static let byteCountPerAnswer = 4096

    private var bytes: [UInt8] = []
    private var items: [Item] = []

    var count: Int { items.count }
    var isEmpty: Bool { items.isEmpty }
    var isFull: Bool { items.count >= Self.itemCount }

    /// Adds a short answer. Returns the number of answers.
    mutating func append(_ answer: [UInt8], of connection: Connection) -> Int {
        precondition(!isFull, "Answers that are enough are sent first.")
        precondition(answer.count <= Self.byteCountPerAnswer, "A long answer is not copied.")
        bytes.append(contentsOf: answer)
        items.append(Item(connection: connection, end: bytes.count))
        return items.count
    }

    /// Adds to what is sent together all answers whose connections have nothing to send before
    /// them. Returns the place of each there.
    func stage(in sends: inout SendBatch) -> [Int?] {
        var start = 0
        return items.map { item in
            defer { start = item.end }
            let place = sends.count
            let connection = item.connection
            guard connection.exchanges.placeOfAnswer() == .joined else { return nil }
            sends.add(bytes, start..<item.end, to: connection.socket.descriptor)
            return place
        }
    }

    /// Sends all, in the order in which they came, or goes on from what came of them.
    func send(on loop: isolated EventLoop, after results: [IOResult?]) {
        precondition(results.isEmpty || results.count == items.count, "Each answer has a result.")
        var start = 0
        for (position, item) in items.enumerated() {
            item.connection.sendAnswer(
                bytes.span.extracting(start..<item.end),
                after: results.isEmpty ? nil : results[position], on: loop)
            start = item.end
        }
    }

    /// Forgets all, and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        items.removeAll(keepingCapacity: true)
    }
}
