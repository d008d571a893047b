internal import Sockets

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
