/// An event as a client dispatches it (WHATWG HTML §9.2.6).
public struct TestEvent: Sendable, Hashable {
    /// The event's name; `message` where the stream names none.
    public var name = "message"
    /// The last id of the stream so far.
    public var id: String?
    /// The lines of data, joined.
    public var data = ""
}

/// A stream of events that a test reads one by one.
public final class TestEvents {
    private let connection: TestConnection
    private var unread: [UInt8] = []
    private var chunks: ChunkReader?
    /// The end of a block begins behind so many bytes of `unread`.
    private var searched = 0
    private var lastID: String?
    /// The head of the answer, once it was read.
    package private(set) var head = ""

    init(_ connection: TestConnection) {
        self.connection = connection
    }

    /// A test waits so long for an event where it says nothing else.
    public static var patience: Duration { .seconds(10) }

    /// Reads the next event; nil at the end of the stream. Throws `timedOut` where none comes in time.
    public func next(within patience: Duration = patience) throws(TestFailure) -> TestEvent? {
        try next(within: patience) { _ in true }
    }

    /// Reads events until one is as wanted; nil at the end of the stream. Throws `timedOut` where
    /// none comes in time, all in all.
    public func next(
        within patience: Duration = patience, where isWanted: (TestEvent) -> Bool
    ) throws(TestFailure) -> TestEvent? {
        let deadline = ContinuousClock.now + patience
        while let lines = try nextBlock(before: deadline) {
            if let event = event(in: lines), isWanted(event) { return event }
        }
        return nil
    }

    /// Reads the next id, with an event or alone; nil at the end of the stream.
    package func nextID() throws(TestFailure) -> String? {
        let deadline = ContinuousClock.now + Self.patience
        while let lines = try nextBlock(before: deadline) {
            _ = event(in: lines)
            if lines.contains(where: { $0.hasPrefix("id:") }) { return lastID }
        }
        return nil
    }

    /// Reads the next line of a stream of `application/x-ndjson`; nil at its end.
    package func nextLine() throws(TestFailure) -> String? {
        let deadline = ContinuousClock.now + Self.patience
        guard try readHead(before: deadline) else { return nil }
        return try take(upTo: [UInt8(ascii: "\n")], deadline)
    }

    private func event(in lines: [Substring]) -> TestEvent? {
        var event = TestEvent()
        var data: [Substring] = []
        for line in lines {
            let sides = line.split(separator: ":", maxSplits: 1)
            let value = sides.count > 1 ? sides[1].drop { $0 == " " } : ""
            switch sides.first {
            case "id": lastID = String(value)
            case "event": event.name = String(value)
            case "data": data.append(value)
            default: break
            }
        }
        event.id = lastID
        event.data = data.joined(separator: "\n")
        return data.isEmpty ? nil : event
    }

    /// Reads the lines up to the next empty one; nil where the stream ends before it.
    private func nextBlock(
        before deadline: ContinuousClock.Instant
    ) throws(TestFailure) -> [Substring]? {
        guard try readHead(before: deadline) else { return nil }
        return try take(upTo: Array("\n\n".utf8), deadline)?.split(separator: "\n")
    }

    /// Reads the answer's head, unless that is done; false where the stream ends before it.
    private func readHead(before deadline: ContinuousClock.Instant) throws(TestFailure) -> Bool {
        guard head.isEmpty else { return true }
        guard let text = try take(upTo: Array("\r\n\r\n".utf8), deadline) else { return false }
        head = text
        if text.lowercased().contains("\r\ntransfer-encoding: chunked") {
            var chunks = ChunkReader()
            let body = unread
            unread = []
            chunks.append(body, to: &unread)
            self.chunks = chunks
        }
        return true
    }

    private func take(
        upTo end: [UInt8], _ deadline: ContinuousClock.Instant
    ) throws(TestFailure) -> String? {
        while true {
            while searched + end.count <= unread.count {
                if unread[searched] == end[0],
                    unread[searched..<searched + end.count].elementsEqual(end)
                {
                    let text = String(decoding: unread[..<searched], as: UTF8.self)
                    unread.removeFirst(searched + end.count)
                    searched = 0
                    return text
                }
                searched += 1
            }
            // A time-out of nothing would be none at all.
            let rest = max(ContinuousClock.now.duration(to: deadline), .milliseconds(1))
            let bytes = try connection.receive(within: rest)
            if bytes.isEmpty { return nil }
            if chunks == nil {
                unread += bytes
            } else {
                chunks?.append(bytes, to: &unread)
            }
        }
    }
}
