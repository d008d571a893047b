import Bytes

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
            if bytes[0] == ByteClass.lineFeed { start = 1 }
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
            guard bytes[end] == ByteClass.carriageReturn else { continue }
            if start == bytes.count {
                isBehindReturn = true
            } else if bytes[start] == ByteClass.lineFeed {
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
        while colon < line.count, line[colon] != ByteClass.colon { colon += 1 }
        var value = min(colon + 1, line.count)
        if value < line.count, line[value] == ByteClass.space { value += 1 }
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

extension Span<UInt8> {
    /// The place of the next LF or CR, or the end.
    fileprivate func nextLineEnd(from start: Int) -> Int {
        var index = start
        while index <= count &- 8 {
            let word = word(at: index)
            let found =
                Words.bytes(word, equal: ByteClass.lineFeed)
                | Words.bytes(word, equal: ByteClass.carriageReturn)
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count, self[index] != ByteClass.lineFeed,
            self[index] != ByteClass.carriageReturn
        {
            index &+= 1
        }
        return index
    }
}
