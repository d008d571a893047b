/// Writes server-sent events (WHATWG HTML §9.2.5).
///
///     id: k3f9-42
///     event: snapshot
///     data: {"todos":[]}
///
/// Values are one line by construction: JSON without line breaks, and tokens of the server's own
/// alphabets; a line break in a value ends the process in a debug build and is dropped in others.
public enum EventStreamEncoder {
    /// How long a client waits before it connects again.
    public static func retry(milliseconds: Int, into bytes: inout [UInt8]) {
        bytes.append(contentsOf: "retry: ".utf8)
        ResponseWriter.append(milliseconds, to: &bytes)
        bytes.append(contentsOf: "\n\n".utf8)
    }

    /// An event: its name (absent: `message`), its id, its data.
    public static func event(
        _ name: String? = nil, id: String? = nil, data: [UInt8], into bytes: inout [UInt8]
    ) {
        if let name { line("event: ", name.utf8, into: &bytes) }
        if let id { line("id: ", id.utf8, into: &bytes) }
        line("data: ", data, into: &bytes)
        bytes.append(Bytes.lineFeed)
    }

    /// An id without an event: the client takes it over and dispatches nothing.
    public static func id(_ id: String, into bytes: inout [UInt8]) {
        line("id: ", id.utf8, into: &bytes)
        bytes.append(Bytes.lineFeed)
    }

    private static func line(
        _ field: String, _ value: some Collection<UInt8>, into bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: field.utf8)
        let isOneLine = !value.contains(Bytes.lineFeed) && !value.contains(Bytes.carriageReturn)
        assert(isOneLine, "A value of an event is one line.")
        if isOneLine {
            bytes.append(contentsOf: value)
        } else {
            let breaks: Set<UInt8> = [Bytes.lineFeed, Bytes.carriageReturn]
            bytes.append(contentsOf: value.filter { !breaks.contains($0) })
        }
        bytes.append(Bytes.lineFeed)
    }
}
