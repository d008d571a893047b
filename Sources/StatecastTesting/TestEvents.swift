import ClientWire
import HTTPMessages
package import Sockets

/// An event as a client dispatches it (WHATWG HTML §9.2.6).
public struct TestEvent: Sendable, Hashable {
    /// The event's name; `message` where the stream names none.
    public var name = "message"
    /// The last id of the stream so far.
    public var id: String?
    /// The lines of data, joined.
    public var data = ""

    init(_ event: EventStreamReader.Event) {
        name = event.name
        id = event.lastID.isEmpty ? nil : event.lastID
        data = event.data
    }
}

/// A stream of events that a test reads one by one.
public final class TestEvents {
    private let connection: BlockingConnection
    /// The head of the answer, once it was read.
    package private(set) var head = ""
    private var parser = ResponseParser()
    /// What takes the framing off, once the head is whole.
    private var body: ResponseBody?
    /// What came and was not read yet.
    private var payload: [UInt8] = []
    private var reader = EventStreamReader()
    private var blocks: ArraySlice<EventStreamReader.Block> = []

    package init(_ connection: BlockingConnection) {
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
        while let event = try next(before: deadline, patience) {
            if isWanted(event) { return event }
        }
        return nil
    }

    /// Reads the next event.
    ///
    /// - Parameters:
    ///   - patience: the time to the deadline in all, for the failure.
    ///   - latest: what has come so far, for the failure.
    func next(
        before deadline: ContinuousClock.Instant, _ patience: Duration, latest: String = "none"
    ) throws(TestFailure) -> TestEvent? {
        while let block = try read(
            nextBlock, before: deadline, patience, latest: latest)
        {
            if let event = block.event { return TestEvent(event) }
        }
        return nil
    }

    /// Reads the next id, with an event or alone; nil at the end of the stream.
    package func nextID() throws(TestFailure) -> String? {
        let deadline = ContinuousClock.now + Self.patience
        while let block = try read(nextBlock, before: deadline) {
            if let id = block.id { return id }
        }
        return nil
    }

    /// Reads the next line of a stream of `application/x-ndjson`; nil at its end.
    package func nextLine() throws(TestFailure) -> String? {
        try read(line, before: .now + Self.patience)
    }

    /// What the stream brings next; nil where it ends before, or cannot be read.
    private func read<Value>(
        _ taken: () throws -> Value?, before deadline: ContinuousClock.Instant,
        _ patience: Duration = patience, latest: String = "none"
    ) throws(TestFailure) -> Value? {
        do {
            while true {
                if let value = try taken() { return value }
                // A time-out of nothing would be none at all.
                let rest = max(ContinuousClock.now.duration(to: deadline), .milliseconds(1))
                let bytes = try orFailing(patience, latest) { () throws(SystemError) in
                    try connection.receive(timeout: rest)
                }
                guard !bytes.isEmpty else { return nil }
                try take(bytes)
            }
        } catch let failure as TestFailure {
            throw failure
        } catch {
            return nil
        }
    }

    private func take(_ bytes: [UInt8]) throws(ResponseError) {
        guard body == nil else {
            try body?.read(bytes.span, to: &payload)
            return
        }
        payload += bytes
        let all = payload
        guard let found = try parser.parse(all.span) else { return }
        payload = []
        head = String(decoding: all[..<(found.byteCount - 4)], as: UTF8.self)
        body = ResponseBody(found.body)
        try body?.read(all.span.extracting(found.byteCount...), to: &payload)
    }

    /// The next block of lines of a stream of events; nil where none is whole.
    private func nextBlock() throws(EventStreamParser.LineTooLong) -> EventStreamReader.Block? {
        guard body != nil else { return nil }
        let bytes = payload
        payload = []
        try reader.read(bytes.span) { blocks.append($0) }
        return blocks.popFirst()
    }

    /// The next line of a stream of lines; nil where none is whole.
    private func line() -> String? {
        guard body != nil, let end = payload.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { payload.removeFirst(end + 1) }
        return String(decoding: payload[..<end], as: UTF8.self)
    }
}
