@testable import HTTPMessages
import Testing

@Suite struct EventStreamReaderTests {
    private func blocks(_ bytes: [UInt8], step: Int) throws -> [EventStreamReader.Block] {
        var reader = EventStreamReader()
        var blocks: [EventStreamReader.Block] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            let end = min(start + step, bytes.count)
            try reader.read(bytes.span.extracting(start..<end)) { blocks.append($0) }
        }
        return blocks
    }

    private static func event(
        _ data: String, name: String = "message", lastID: String = ""
    ) -> EventStreamReader.Event {
        EventStreamReader.Event(name: name, data: data, lastID: lastID)
    }

    /// The examples of WHATWG HTML §9.2.6, and the form of each line.
    static let table: [(String, [EventStreamReader.Event])] = [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third\n\n",
            [
                event("first event", lastID: "1"), event("second event"), event(" third"),
            ]
        ),
        ("data\n\ndata\ndata\n\ndata:", [event(""), event("\n")]),
        ("data:test\n\ndata: test\n\n", [event("test"), event("test")]),
        (
            "event: add\rdata: 1\r\revent: remove\r\ndata: 2\r\n\r\n",
            [
                event("1", name: "add"), event("2", name: "remove"),
            ]
        ),
        ("\u{FEFF}data: 1\n\n\u{FEFF}data: 2\n\n", [event("1")]),
        ("event: lone\n\ndata: 1\n\n", [event("1")]),
        ("id: 1\u{0}\ndata: 1\n\n", [event("1")]),
        ("Data: 1\ndatas: 2\ndat: 3\n\n", []),
        ("id: 7\n\ndata: 1\n\n", [event("1", lastID: "7")]),
    ]

    @Test(arguments: table)
    func `events are the same however the stream is cut`(
        stream: String, wanted: [EventStreamReader.Event]
    ) throws {
        let bytes = Array(stream.utf8)
        for step in 1...bytes.count {
            #expect(try blocks(bytes, step: step).compactMap(\.event) == wanted, "by \(step)")
        }
    }

    @Test func `a block without data tells its id`() throws {
        let found = try blocks(Array("id: k3f9-43\n\ndata: 1\n\n".utf8), step: 5)
        #expect(found.map(\.id) == ["k3f9-43", nil])
        #expect(found.map { $0.event != nil } == [false, true])
    }

    @Test func `a time to wait is a number of digits`() throws {
        var reader = EventStreamReader()
        for (line, wanted) in [("retry: 1500\n", 1500), ("retry: 1.5\n", 1500), ("retry:\n", 1500)]
        {
            let bytes = Array(line.utf8)
            try reader.read(bytes.span) { _ in }
            #expect(reader.retryMilliseconds == wanted)
        }
    }

    @Test func `what the encoder writes is read back`() throws {
        var bytes: [UInt8] = []
        EventStreamEncoder.retry(milliseconds: 250, into: &bytes)
        EventStreamEncoder.name("snapshot", into: &bytes)
        EventStreamEncoder.id(into: &bytes) { $0.append(contentsOf: "k3f9-42".utf8) }
        EventStreamEncoder.data(into: &bytes) { $0.append(contentsOf: "{\"a\":1}".utf8) }
        EventStreamEncoder.end(into: &bytes)
        let events = try blocks(bytes, step: 3).compactMap(\.event)
        #expect(events == [Self.event("{\"a\":1}", name: "snapshot", lastID: "k3f9-42")])
    }

    @Test func `a line or an event beyond the limit is refused`() {
        let line = Array("data: 0123456789\n".utf8)
        var reader = EventStreamReader(limit: 20)
        #expect(throws: EventStreamParser.LineTooLong(limit: 20)) {
            for _ in 0..<3 { try reader.read(line.span) { _ in } }
        }
        var parser = EventStreamParser(limit: 10)
        #expect(throws: EventStreamParser.LineTooLong(limit: 10)) {
            try parser.read(line.span) { _, _ in }
        }
    }

    @Test func `a line is handed out up to its kept beginning, however it is cut`() throws {
        let stream = Array("id: 12345678901\n: of no use\ndata: x\n\nid: 7\n".utf8)
        for step in 1...stream.count {
            var parser = EventStreamParser(keeping: 8)
            var lines: [String] = []
            for start in stride(from: 0, to: stream.count, by: step) {
                let piece = stream[start..<min(start + step, stream.count)]
                try parser.read(Array(piece).span) { line, value in
                    let text = String(decoding: value.indices.map { value[$0] }, as: UTF8.self)
                    lines.append("\(line) \(text)")
                }
            }
            #expect(lines == ["id 1234", "other of no ", "data x", "blank ", "id 7"])
        }
    }

    @Test func `a line's end is found at every place`() throws {
        for count in 0...40 {
            for end in ["\n", "\r", "\r\n"] {
                let stream = "data:" + String(repeating: "x", count: count) + end + end
                let found = try blocks(Array(stream.utf8), step: 100)
                #expect(found.compactMap(\.event?.data.utf8.count) == [count])
            }
        }
    }
}
