package import HTTPMessages

/// An answer without an end as a client reads it, of events (WHATWG HTML §9.2.6) or of lines.
///
///     try stream.read(bytes)                  // as a connection brings them
///     while let block = try stream.nextBlock() { … }
///     ClientRequest.events(of: session, behind: stream.lastID)        // goes on after a break
package struct ClientStream: Sendable {
    /// The head of the answer, once it is whole.
    package private(set) var head = ""
    /// The number of the answer; nil before its head is whole.
    package private(set) var status: Int?
    private var parser = ResponseParser()
    private var headBytes: [UInt8] = []
    private var body: ResponseBody?
    /// The part of the body that came and was not read yet.
    private var payload: [UInt8] = []
    private var reader = EventStreamReader()
    private var blocks: ArraySlice<EventStreamReader.Block> = []

    package init() {}

    /// The id behind which another stream goes on; nil before the first.
    package var lastID: String? { reader.lastID.isEmpty ? nil : reader.lastID }

    /// The time to wait before another stream is asked for, where this one has said so.
    package var pause: Duration? { reader.retryMilliseconds.map { .milliseconds($0) } }

    /// Takes what comes next.
    package mutating func read(_ bytes: [UInt8]) throws(ResponseError) {
        guard body == nil else {
            try body?.read(bytes.span, to: &payload)
            return
        }
        headBytes += bytes
        let all = headBytes
        guard let found = try parser.parse(all.span) else { return }
        head = String(decoding: all[..<(found.byteCount - 4)], as: UTF8.self)
        status = found.status
        var body = ResponseBody(found.body)
        try body.read(all.span.extracting(found.byteCount...), to: &payload)
        self.body = body
        headBytes = []
    }

    /// The next block of lines of a stream of events; nil where none is whole.
    package mutating func nextBlock() throws(EventStreamParser.LineTooLong)
        -> EventStreamReader.Block?
    {
        if blocks.isEmpty, !payload.isEmpty {
            var found: [EventStreamReader.Block] = []
            let bytes = payload
            payload = []
            try reader.read(bytes.span) { found.append($0) }
            blocks = found[...]
        }
        return blocks.popFirst()
    }

    /// The next line of a stream of lines (`application/x-ndjson`); nil where none is whole.
    package mutating func nextLine() -> String? {
        guard let end = payload.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { payload.removeFirst(end + 1) }
        return String(decoding: payload[..<end], as: UTF8.self)
    }
}
