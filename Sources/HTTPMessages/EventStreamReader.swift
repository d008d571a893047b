import Bytes

/// Reads server-sent events as a client does (WHATWG HTML §9.2.6).
///
///     var reader = EventStreamReader()
///     try reader.read(bytes) { block in if let event = block.event { … } }
package struct EventStreamReader: Sendable {
    /// An event as a client dispatches it.
    package struct Event: Sendable, Hashable {
        /// `message` where the stream names none.
        package var name: String
        /// The lines of the data, joined.
        package var data: String
        /// The last id so far, this block's included; empty before the first.
        package var lastID: String
    }

    /// The lines up to a blank one.
    package struct Block: Sendable, Hashable {
        /// Nil where the block has no data: nothing is dispatched then.
        package var event: Event?
        /// The id that the block itself gives.
        package var id: String?
    }

    /// The last id, which a client sends when it connects again; empty before the first.
    package private(set) var lastID = ""
    /// The time that a client waits before it connects again, where the stream has said so.
    package private(set) var retryMilliseconds: Int?

    private var parser: EventStreamParser
    private let limit: Int
    private var name = ""
    private var id: String?
    private var data: [UInt8] = []
    private var hasData = false

    /// A reader of lines, and of data in one event, of at most `limit` bytes.
    package init(limit: Int = 64 << 20) {
        self.limit = limit
        parser = EventStreamParser(limit: limit)
    }

    /// Goes on with what came, and hands out each block that has its end. What follows the last
    /// blank line of a stream that ends is no block.
    package mutating func read(
        _ bytes: Span<UInt8>, _ receive: (Block) -> Void
    ) throws(EventStreamParser.LineTooLong) {
        // Taken out, so that what it keeps of a line has one owner.
        var parser = EventStreamParser(limit: limit)
        swap(&parser, &self.parser)
        var isTooLong = false
        try parser.read(bytes) { line, value in
            guard !isTooLong else { return }
            if line == .blank {
                receive(endBlock())
            } else {
                isTooLong = data.count + value.count > limit
                if !isTooLong { add(line, value) }
            }
        }
        self.parser = parser
        if isTooLong { throw EventStreamParser.LineTooLong(limit: limit) }
    }

    private mutating func add(_ line: EventStreamParser.Line, _ value: Span<UInt8>) {
        switch line {
        case .event: name = text(value)
        case .data:
            if hasData { data.append(ByteClass.lineFeed) }
            data.append(copying: value)
            hasData = true
        case .id:
            let text = text(value)
            if !text.utf8.contains(0) { id = text }
        case .retry:
            if let milliseconds = Slice(0..<value.count).decimal(in: value) {
                retryMilliseconds = milliseconds
            }
        case .other, .blank: break
        }
    }

    private mutating func endBlock() -> Block {
        if let id { lastID = id }
        var block = Block(event: nil, id: id)
        if hasData {
            block.event = Event(
                name: name.isEmpty ? "message" : name,
                data: String(decoding: data, as: UTF8.self), lastID: lastID)
        }
        name = ""
        id = nil
        data.removeAll(keepingCapacity: data.capacity <= 64 << 10)
        hasData = false
        return block
    }

    private func text(_ value: Span<UInt8>) -> String {
        Slice(0..<value.count).string(in: value)
    }
}
