import HTTPMessages

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
    private var parser = ResponseParser()
    /// The beginning of the head, before it is whole.
    private var headBytes: [UInt8] = []
    private var body: ResponseBody?
    /// The part of the body that came and was not read yet.
    private var payload: [UInt8] = []
    private var reader = EventStreamReader()
    private var blocks: [EventStreamReader.Block] = []
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
        while let block = try nextBlock(before: deadline) {
            guard let found = block.event else { continue }
            let event = TestEvent(
                name: found.name, id: found.lastID.isEmpty ? nil : found.lastID, data: found.data)
            if isWanted(event) { return event }
        }
        return nil
    }

    /// Reads the next id, with an event or alone; nil at the end of the stream.
    package func nextID() throws(TestFailure) -> String? {
        let deadline = ContinuousClock.now + Self.patience
        while let block = try nextBlock(before: deadline) {
            if let id = block.id { return id }
        }
        return nil
    }

    /// Reads the next line of a stream of `application/x-ndjson`; nil at its end.
    package func nextLine() throws(TestFailure) -> String? {
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
    ) throws(TestFailure) -> EventStreamReader.Block? {
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
    private func receive(before deadline: ContinuousClock.Instant) throws(TestFailure) -> Arrival {
        // A time-out of nothing would be none at all.
        let rest = max(ContinuousClock.now.duration(to: deadline), .milliseconds(1))
        let bytes = try connection.receive(within: rest)
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
