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
            if hasData { data.append(.lineFeed) }
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

/// Cuts an event stream into its lines (WHATWG HTML §9.2.6), however it arrives.
///
///     id: k3f9-42\n
///     data: {"todos":[]}\n
///     \n
///
/// A line that arrives in one piece is lent as it lies; the beginning of one that does not is
/// copied. Lines end with LF, CRLF or CR.
package struct EventStreamParser: Sendable {
    /// One line, without its end.
    package enum Line: Sendable, Hashable {
        case event, data, id, retry
        /// A comment, or a field that no reader knows.
        case other
        /// The end of a block: what it says counts from here on.
        case blank
    }

    /// A line is longer than the reader takes, in bytes.
    package struct LineTooLong: Error, Sendable, Hashable {
        package let limit: Int
    }

    private let limit: Int
    /// The bytes of a line that are kept; those behind them are passed over.
    private let kept: Int
    /// The beginning of the line that has no end yet.
    private var partial: [UInt8] = []
    /// The last byte was CR: an LF right behind it belongs to the same line end.
    private var isBehindReturn = false
    private var isFirstLine = true

    /// A parser for lines of at most `limit` bytes.
    package init(limit: Int = 64 << 20) {
        self.limit = limit
        kept = limit
    }

    /// A parser that hands out no more than the beginning of each line, of so many bytes, and takes
    /// lines of any length: for readers of ids and sizes.
    package init(keeping kept: Int) {
        limit = .max
        self.kept = kept
    }

    /// Goes on with what came, and calls `receive` with each line that has its end, and the value
    /// of its field.
    package mutating func read(
        _ bytes: Span<UInt8>, _ receive: (_ line: Line, _ value: Span<UInt8>) -> Void
    ) throws(LineTooLong) {
        var start = 0
        if isBehindReturn, !bytes.isEmpty {
            isBehindReturn = false
            if bytes[0] == .lineFeed { start = 1 }
        }
        while start < bytes.count {
            let end = bytes.nextLineEnd(from: start)
            guard partial.count + end - start <= limit else { throw LineTooLong(limit: limit) }
            guard end < bytes.count else {
                keep(bytes.extracting(start...))
                return
            }
            if partial.isEmpty {
                handOut(bytes.extracting(start..<end).extracting(first: kept), receive)
            } else {
                keep(bytes.extracting(start..<end))
                handOut(partial.span, receive)
                partial.removeAll(keepingCapacity: partial.capacity <= 64 << 10)
            }
            isFirstLine = false
            start = end + 1
            guard bytes[end] == .carriageReturn else { continue }
            if start == bytes.count {
                isBehindReturn = true
            } else if bytes[start] == .lineFeed {
                start += 1
            }
        }
    }

    private mutating func keep(_ bytes: Span<UInt8>) {
        partial.append(copying: bytes.extracting(first: kept - partial.count))
    }

    private func handOut(
        _ line: Span<UInt8>, _ receive: (_ line: Line, _ value: Span<UInt8>) -> Void
    ) {
        var line = line
        if isFirstLine, line.count >= 3, line[0] == 0xEF, line[1] == 0xBB, line[2] == 0xBF {
            line = line.extracting(3...)
        }
        guard !line.isEmpty else { return receive(.blank, line) }
        var colon = 0
        while colon < line.count, line[colon] != .colon { colon += 1 }
        var value = min(colon + 1, line.count)
        if value < line.count, line[value] == .space { value += 1 }
        receive(Self.field(Slice(0..<colon), in: line), line.extracting(value...))
    }

    /// Names are compared as they are: `Data` is no field.
    private static func field(_ name: Slice, in line: Span<UInt8>) -> Line {
        switch name.length {
        case 2 where name.bytesEqual("id", in: line): .id
        case 4 where name.bytesEqual("data", in: line): .data
        case 5 where name.bytesEqual("event", in: line): .event
        case 5 where name.bytesEqual("retry", in: line): .retry
        default: .other
        }
    }
}

extension Slice {
    fileprivate func bytesEqual(_ text: StaticString, in bytes: Span<UInt8>) -> Bool {
        let text = text.description.utf8.span
        return bytes.extracting(range).elementsEqual(text)
    }
}
