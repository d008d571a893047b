/// Writes one answer: status line, fields, then the body or the end of the head.
///
///     var writer = ResponseWriter(buffer)
///     writer.status(200)
///     writer.field("Content-Type", "application/json")
///     writer.body(bytes.span)
///     buffer = writer.bytes
public struct ResponseWriter {
    /// All that is written.
    public var bytes: [UInt8]
    /// Whether the body is left out, its length told all the same: the answer to a HEAD.
    public var omitsBody = false
    /// Whether the head has its end.
    public private(set) var hasEndedHead = false

    /// Goes on behind what `bytes` holds, in its storage.
    public init(_ bytes: consuming [UInt8] = []) {
        self.bytes = bytes
    }

    /// The status line; first.
    public mutating func status(_ code: Int) {
        bytes.append(contentsOf: StatusLine.bytes(code))
    }

    /// A field. Name and value are the server's own, or were checked: no control characters.
    public mutating func field(_ name: String, _ value: String) {
        begin(name)
        bytes.append(contentsOf: value.utf8)
        lineEnd()
    }

    /// A field whose value is bytes.
    public mutating func field(_ name: String, _ value: Span<UInt8>) {
        begin(name)
        append(value)
        lineEnd()
    }

    /// A field whose value is a number.
    public mutating func field(_ name: String, _ value: Int) {
        begin(name)
        Self.append(value, to: &bytes)
        lineEnd()
    }

    /// A field whose value is written in place.
    public mutating func field(_ name: String, _ write: (inout [UInt8]) -> Void) {
        begin(name)
        write(&bytes)
        lineEnd()
    }

    /// Whole lines, each with its end, made before.
    public mutating func lines(_ lines: [UInt8]) {
        bytes.append(contentsOf: lines)
    }

    /// The end of a head whose body is written by others, or does not exist.
    public mutating func endHead() {
        hasEndedHead = true
        lineEnd()
    }

    /// The field Content-Length, the end of the head, and the body; last.
    public mutating func body(_ body: Span<UInt8>) {
        field("Content-Length", body.count)
        endHead()
        if !omitsBody { append(body) }
    }

    /// As `body`, of an array.
    public mutating func body(_ body: [UInt8]) {
        field("Content-Length", body.count)
        endHead()
        if !omitsBody { bytes.append(contentsOf: body) }
    }

    /// Appends bytes.
    public mutating func append(_ span: Span<UInt8>) {
        bytes.append(addingCapacity: span.count) { output in
            for index in span.indices { output.append(span[index]) }
        }
    }

    /// Appends a number in decimal digits.
    public static func append(_ value: Int, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let magnitude = value.magnitude
        var divisor: UInt = 1
        while magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(truncatingIfNeeded: 0x30 + magnitude / divisor % 10))
            divisor /= 10
        }
    }

    private mutating func begin(_ name: String) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(Bytes.colon)
        bytes.append(Bytes.space)
    }

    private mutating func lineEnd() {
        bytes.append(Bytes.carriageReturn)
        bytes.append(Bytes.lineFeed)
    }
}
