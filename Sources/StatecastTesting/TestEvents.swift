public import Sockets

/// An event as a client dispatches it (WHATWG HTML §9.2.6).
public struct TestEvent: Sendable, Hashable {
    /// `message` where the stream names none.
    public var name = "message"
    /// The last id so far.
    public var id: String?
    /// The data, lines joined.
    public var data = ""
}

/// A stream of events, read one by one.
public final class TestEvents {
    private let connection: BlockingConnection
    private var unread: [UInt8] = []
    private var chunks: ChunkReader?
    /// How far the end of a block was looked for in vain.
    private var searched = 0
    private var lastID: String?
    /// The head of the answer, once read.
    public private(set) var head = ""

    init(_ connection: BlockingConnection) {
        self.connection = connection
    }

    /// How long one waits for an event where nothing else is said.
    public static var patience: Duration { .seconds(10) }

    /// The next event; nil at the end of the stream. Throws `timedOut` when none comes in time.
    public func next(within patience: Duration = patience) throws(SystemError) -> TestEvent? {
        try next(within: patience) { _ in true }
    }

    /// The next event that is as wanted, however many others come before it; nil at the end of the
    /// stream. Throws `timedOut` when none comes in time, all in all.
    public func next(
        within patience: Duration = patience, where isWanted: (TestEvent) -> Bool
    ) throws(SystemError) -> TestEvent? {
        let deadline = ContinuousClock.now + patience
        while let lines = try nextBlock(before: deadline) {
            if let event = event(in: lines), isWanted(event) { return event }
        }
        return nil
    }

    /// The next event of a name.
    public func next(named name: String) throws(SystemError) -> TestEvent? {
        try next { $0.name == name }
    }

    /// The next id, with an event or alone; nil at the end of the stream.
    public func nextID() throws(SystemError) -> String? {
        let deadline = ContinuousClock.now + Self.patience
        while let lines = try nextBlock(before: deadline) {
            _ = event(in: lines)
            if lines.contains(where: { $0.hasPrefix("id:") }) { return lastID }
        }
        return nil
    }

    /// The next line of a stream that was asked for as `application/x-ndjson`; nil at its end.
    public func nextLine() throws(SystemError) -> String? {
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

    /// The lines up to the next empty one; nil where the stream ends before it.
    private func nextBlock(
        before deadline: ContinuousClock.Instant
    ) throws(SystemError) -> [Substring]? {
        guard try readHead(before: deadline) else { return nil }
        return try take(upTo: Array("\n\n".utf8), deadline)?.split(separator: "\n")
    }

    /// Reads the answer's head, unless that is done; false where the stream ends before it.
    private func readHead(before deadline: ContinuousClock.Instant) throws(SystemError) -> Bool {
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
    ) throws(SystemError) -> String? {
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
            let bytes = try connection.receive(timeout: rest)
            if bytes.isEmpty { return nil }
            if chunks == nil {
                unread += bytes
            } else {
                chunks?.append(bytes, to: &unread)
            }
        }
    }
}
