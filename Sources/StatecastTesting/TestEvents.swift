import HTTPMessages
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
    private var parser = ResponseParser()
    /// The beginning of the head, before it is whole.
    private var headBytes: [UInt8] = []
    private var body: ResponseBody?
    /// The part of the body that came and was not read yet.
    private var payload: [UInt8] = []
    private var reader = EventStreamReader()
    private var blocks: [EventStreamReader.Block] = []
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
        while let block = try nextBlock(before: deadline) {
            guard let found = block.event else { continue }
            let event = TestEvent(
                name: found.name, id: found.lastID.isEmpty ? nil : found.lastID, data: found.data)
            if isWanted(event) { return event }
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
        while let block = try nextBlock(before: deadline) {
            if let id = block.id { return id }
        }
        return nil
    }

    /// The next line of a stream that was asked for as `application/x-ndjson`; nil at its end.
    public func nextLine() throws(SystemError) -> String? {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            if let end = payload.firstIndex(of: UInt8(ascii: "\n")) {
                defer { payload.removeFirst(end + 1) }
                return String(decoding: payload[..<end], as: UTF8.self)
            }
            guard try receive(before: deadline) == .more else { return nil }
        }
    }

    /// The next block of lines; nil where the stream ends before its end.
    private func nextBlock(
        before deadline: ContinuousClock.Instant
    ) throws(SystemError) -> EventStreamReader.Block? {
        while blocks.isEmpty {
            guard try receive(before: deadline) == .more else { return nil }
            let bytes = payload
            payload = []
            do throws(EventStreamParser.LineTooLong) {
                try reader.read(bytes.span) { blocks.append($0) }
            } catch {
                return nil
            }
        }
        return blocks.removeFirst()
    }

    private enum Arrival {
        case more, end
    }

    /// Takes what comes next into the head or the payload. A stream that cannot be read has ended.
    private func receive(before deadline: ContinuousClock.Instant) throws(SystemError) -> Arrival {
        // A time-out of nothing would be none at all.
        let rest = max(ContinuousClock.now.duration(to: deadline), .milliseconds(1))
        let bytes = try connection.receive(timeout: rest)
        guard !bytes.isEmpty else { return .end }
        do throws(ResponseError) {
            if body == nil {
                try readHead(bytes)
            } else {
                try body?.read(bytes.span, to: &payload)
            }
            return .more
        } catch {
            return .end
        }
    }

    private func readHead(_ bytes: [UInt8]) throws(ResponseError) {
        headBytes += bytes
        let all = headBytes
        guard let found = try parser.parse(all.span) else { return }
        head = String(decoding: all[..<(found.byteCount - 4)], as: UTF8.self)
        var body = ResponseBody(found.body)
        try body.read(all.span.extracting(found.byteCount...), to: &payload)
        self.body = body
        headBytes = []
    }
}
