internal import Sockets

/// Answers of several connections that are sent one after the other, once the requests of a turn
/// are read.
///
/// A client's thread that is woken by each answer by itself sleeps again before the next one, and
/// each waking costs the server about as much as the answer. Sent in a row, or by one system call
/// when they are many, they find it awake.
struct AnswerBatch {
    private struct Item {
        let connection: Connection
        let end: Int
    }

    /// Nobody waits for more answers than this.
    private static let itemCount = 32
    /// Longer answers are not copied.
    private static let answerByteCount = 4096

    private var bytes: [UInt8] = []
    private var items: [Item] = []

    var count: Int { items.count }
    var isEmpty: Bool { items.isEmpty }
    var isFull: Bool { items.count >= Self.itemCount }

    /// Adds an answer, unless it is long.
    mutating func append(_ answer: [UInt8], of connection: Connection) -> Bool {
        guard answer.count <= Self.answerByteCount else { return false }
        bytes.append(contentsOf: answer)
        items.append(Item(connection: connection, end: bytes.count))
        return true
    }

    /// Adds to what is sent together all answers whose connections have nothing to send before
    /// them; where each stands there.
    func stage(in sends: inout SendBatch) -> [Int?] {
        var start = 0
        return items.map { item in
            defer { start = item.end }
            guard item.connection.canSendAtOnce else { return nil }
            sends.add(bytes, start..<item.end, to: item.connection.descriptor)
            return sends.count - 1
        }
    }

    /// Sends all, in the order in which they came, or goes on from what came of them.
    func send(on loop: isolated EventLoop, after results: [IOResult?]) {
        var start = 0
        for (position, item) in items.enumerated() {
            item.connection.sendBatched(
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

extension ServerLoop {
    /// Takes the shared output over as a connection's answer, to be sent with those of others.
    func batchOutput(of connection: Connection, on loop: isolated EventLoop) -> Bool {
        guard batch.append(output, of: connection) else { return false }
        output.removeAll(keepingCapacity: true)
        if batch.isFull { sendBatch(on: loop) }
        return true
    }

    /// Sends the answers that have been collected.
    func sendBatch(on loop: isolated EventLoop) {
        guard !batch.isEmpty else { return }
        var sent = AnswerBatch()
        swap(&sent, &batch)
        sent.send(on: loop, after: sendTogether(sent, on: loop))
        sent.removeAll()
        if batch.isEmpty { swap(&sent, &batch) }
    }
}
