import Bytes

/// Writes one answer: status line, fields, then the body or the end of the head.
///
///     var writer = ResponseWriter(buffer)
///     writer.status(200)
///     writer.field("Content-Type", "application/json")
///     writer.body(bytes)
///     buffer = writer.bytes
@usableFromInline
package struct ResponseWriter {
    /// All that is written.
    @usableFromInline package var bytes: [UInt8]
    /// The body is left out, its length told all the same: the answer to a HEAD.
    package var omitsBody: Bool
    /// The answer depends on the field Origin, whatever else it depends on: Vary says so, at the
    /// latest at the end of the head.
    package var variesByOrigin: Bool
    /// The head has its end.
    package private(set) var hasEndedHead: Bool

    /// Goes on behind what `bytes` holds, in its storage.
    package init(_ bytes: consuming [UInt8] = []) {
        self.bytes = bytes
        omitsBody = false
        variesByOrigin = false
        hasEndedHead = false
    }

    private static let okLine = [UInt8]("HTTP/1.1 200 OK\r\n".utf8)
    private static let originLine = [UInt8]("Vary: Origin\r\n".utf8)
    private static let lengthStart = [UInt8]("Content-Length: ".utf8)

    /// The status line; first.
    package mutating func status(_ code: Int) {
        if code == 200 {
            bytes.append(contentsOf: Self.okLine)
        } else {
            bytes.append(contentsOf: ResponseHead.statusLine(code))
        }
    }

    /// A field. Name and value are the server's own, or were checked: no control characters. A line break in
    /// a value that was not is a space all the same.
    package mutating func field(_ name: String, _ value: String) {
        field(name, value.utf8.span)
    }

    /// A field whose value is bytes.
    package mutating func field(_ name: String, _ value: Span<UInt8>) {
        let name = name.utf8.span
        bytes.append(addingCapacity: name.count + value.count + 4) { output in
            output.append(copying: name)
            output.append(.colon)
            output.append(.space)
            let isBreak = { $0 == UInt8.carriageReturn || $0 == .lineFeed }
            if value.indices.contains(where: { isBreak(value[$0]) }) {
                for index in value.indices {
                    output.append(isBreak(value[index]) ? .space : value[index])
                }
            } else {
                output.append(copying: value)
            }
            output.append(.carriageReturn)
            output.append(.lineFeed)
        }
    }

    /// A field whose value is a number.
    package mutating func field(_ name: String, _ value: Int) {
        field(name) { $0.append(decimal: value) }
    }

    /// The field Vary (RFC 9110 §12.5.5): the names of the fields that the answer depends on,
    /// besides those of every answer. Once at most.
    package mutating func vary(by names: String) {
        guard variesByOrigin else { return field("Vary", names) }
        variesByOrigin = false
        field("Vary") { $0.append(contentsOf: "Origin, \(names)".utf8) }
    }

    /// A field whose value is written in place.
    @inlinable
    package mutating func field(_ name: String, _ write: (inout [UInt8]) -> Void) {
        begin(name)
        write(&bytes)
        lineEnd()
    }

    /// Whole lines, each with its end, made before.
    @inlinable
    @inline(__always)
    package mutating func lines(_ lines: [UInt8]) {
        bytes.append(contentsOf: lines)
    }

    /// The end of a head whose body is written by others, or does not exist.
    package mutating func endHead() {
        endFields()
        lineEnd()
    }

    /// The field Content-Length, the end of the head, and the body; last.
    package mutating func body(_ body: [UInt8]) {
        endFields()
        bytes.append(contentsOf: Self.lengthStart)
        bytes.append(addingCapacity: DecimalDigits.capacity + 4) { output in
            output.append(decimal: body.count)
            output.append(.carriageReturn)
            output.append(.lineFeed)
            output.append(.carriageReturn)
            output.append(.lineFeed)
        }
        if !omitsBody { bytes.append(contentsOf: body) }
    }

    private mutating func endFields() {
        hasEndedHead = true
        guard variesByOrigin else { return }
        variesByOrigin = false
        lines(Self.originLine)
    }

    @usableFromInline
    mutating func begin(_ name: String) {
        let name = name.utf8.span
        bytes.append(addingCapacity: name.count + 2) { output in
            output.append(copying: name)
            output.append(.colon)
            output.append(.space)
        }
    }

    @usableFromInline
    mutating func lineEnd() {
        bytes.append(addingCapacity: 2) { output in
            output.append(.carriageReturn)
            output.append(.lineFeed)
        }
    }
}
