import Bytes

/// Writes server-sent events (WHATWG HTML §9.2.5), field by field:
///
///     event: snapshot
///     id: k3f9-42
///     data: {"todos":[]}
///
/// The callers' values are one line by construction: JSON without line breaks, and tokens of the
/// server's own alphabets. The encoder does not rely on it: it takes line breaks out of a value, so
/// that no value can end its line and begin another field. JSON stays the same JSON by that.
package enum EventStreamEncoder {
    /// Tells how long a client waits before it connects again.
    package static func retry(milliseconds: Int, into bytes: inout [UInt8]) {
        bytes.append(copying: "retry: ")
        bytes.append(decimal: milliseconds)
        bytes.append(copying: "\n\n")
    }

    /// Names the event; one without a name is a `message`.
    package static func name(_ name: String, into bytes: inout [UInt8]) {
        line("event: ", into: &bytes) { $0.append(copying: name) }
    }

    /// Gives the event the id that `write` appends. Without data it is no event: the client takes
    /// the id over and dispatches nothing.
    package static func id(into bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        line("id: ", into: &bytes, write)
    }

    /// Gives the event its data.
    package static func data(_ json: [UInt8], into bytes: inout [UInt8]) {
        bytes.append(copying: "data: ")
        SingleLine.append(json, to: &bytes)
        bytes.append(ByteClass.lineFeed)
    }

    /// Ends the event.
    package static func end(into bytes: inout [UInt8]) {
        bytes.append(ByteClass.lineFeed)
    }

    private static func line(
        _ field: String, into bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void
    ) {
        bytes.append(copying: field)
        let start = bytes.count
        write(&bytes)
        SingleLine.keep(from: start, in: &bytes)
        bytes.append(ByteClass.lineFeed)
    }
}
