/// Writes one answer: status line, fields, then the body or the end of the head.
///
///     var writer = ResponseWriter(buffer)
///     writer.status(200)
///     writer.field("Content-Type", "application/json")
///     writer.body(bytes.span)
///     buffer = writer.bytes
@usableFromInline
package struct ResponseWriter {
    /// All that is written.
    @usableFromInline package var bytes: [UInt8]
    /// Whether the body is left out, its length told all the same: the answer to a HEAD.
    package var omitsBody = false
    /// Whether the head has its end.
    package private(set) var hasEndedHead = false

    /// Goes on behind what `bytes` holds, in its storage.
    package init(_ bytes: consuming [UInt8] = []) {
        self.bytes = bytes
    }

    /// The status line; first.
    package mutating func status(_ code: Int) {
        if code == 200 {
            bytes.append(copying: "HTTP/1.1 200 OK\r\n")
        } else {
            bytes.append(contentsOf: StatusLine.bytes(code))
        }
    }

    /// A field. Name and value are the server's own, or were checked: no control characters.
    package mutating func field(_ name: String, _ value: String) {
        field(name, value.utf8.span)
    }

    /// A field whose value is bytes.
    package mutating func field(_ name: String, _ value: Span<UInt8>) {
        let name = name.utf8.span
        bytes.append(addingCapacity: name.count + value.count + 4) { output in
            output.append(copying: name)
            output.append(Bytes.colon)
            output.append(Bytes.space)
            output.append(copying: value)
            output.append(Bytes.carriageReturn)
            output.append(Bytes.lineFeed)
        }
    }

    /// A field whose value is a number.
    package mutating func field(_ name: String, _ value: Int) {
        let digits = Digits(value)
        field(name, digits.storage.span.extracting(digits.start...))
    }

    /// A field whose value is written in place.
    @inlinable
    package mutating func field(_ name: String, _ write: (inout [UInt8]) -> Void) {
        begin(name)
        write(&bytes)
        lineEnd()
    }

    /// Whole lines, each with its end, made before.
    package mutating func lines(_ lines: [UInt8]) {
        bytes.append(contentsOf: lines)
    }

    /// The end of a head whose body is written by others, or does not exist.
    package mutating func endHead() {
        hasEndedHead = true
        lineEnd()
    }

    /// The field Content-Length, the end of the head, and the body; last.
    package mutating func body(_ body: Span<UInt8>) {
        hasEndedHead = true
        let digits = Digits(body.count)
        let length = digits.storage.span.extracting(digits.start...)
        let written = omitsBody ? body.extracting(0..<0) : body
        bytes.append(addingCapacity: written.count + length.count + 20) { output in
            output.append(copying: "Content-Length: ".utf8.span)
            output.append(copying: length)
            output.append(copying: "\r\n\r\n".utf8.span)
            output.append(copying: written)
        }
    }

    /// As `body`, of an array.
    package mutating func body(_ body: [UInt8]) {
        self.body(body.span)
    }

    /// Appends bytes.
    package mutating func append(_ span: Span<UInt8>) {
        bytes.append(copying: span)
    }

    /// Appends a number in decimal digits.
    package static func append(_ value: Int, to bytes: inout [UInt8]) {
        let digits = Digits(value)
        bytes.append(copying: digits.storage.span.extracting(digits.start...))
    }

    /// A number in decimal digits, at the end of `storage`.
    private struct Digits {
        var storage = InlineArray<20, UInt8>(repeating: UInt8(ascii: "-"))
        var start = 20

        @inline(__always)
        init(_ value: Int) {
            var rest = value.magnitude
            repeat {
                start &-= 1
                storage[start] = UInt8(truncatingIfNeeded: 0x30 &+ rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 { start &-= 1 }
        }
    }

    @usableFromInline
    mutating func begin(_ name: String) {
        let name = name.utf8.span
        bytes.append(addingCapacity: name.count + 2) { output in
            output.append(copying: name)
            output.append(Bytes.colon)
            output.append(Bytes.space)
        }
    }

    @usableFromInline
    mutating func lineEnd() {
        bytes.append(addingCapacity: 2) { output in
            output.append(Bytes.carriageReturn)
            output.append(Bytes.lineFeed)
        }
    }
}
