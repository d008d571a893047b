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
        bytes.append(copying: "retry: ")
        ResponseWriter.append(milliseconds, to: &bytes)
        bytes.append(copying: "\n\n")
    }

    /// An event: its name (absent: `message`), its id, its data.
    public static func event(
        _ name: String? = nil, id: String? = nil, data: [UInt8], into bytes: inout [UInt8]
    ) {
        if let name { line("event: ", name.utf8.span, into: &bytes) }
        if let id { line("id: ", id.utf8.span, into: &bytes) }
        line("data: ", data.span, into: &bytes)
        bytes.append(Bytes.lineFeed)
    }

    /// An id without an event: the client takes it over and dispatches nothing.
    public static func id(_ id: String, into bytes: inout [UInt8]) {
        line("id: ", id.utf8.span, into: &bytes)
        bytes.append(Bytes.lineFeed)
    }

    private static func line(_ field: String, _ value: Span<UInt8>, into bytes: inout [UInt8]) {
        bytes.append(copying: field)
        let isOneLine = value.hasNoLineBreak
        assert(isOneLine, "A value of an event is one line.")
        if isOneLine {
            bytes.append(copying: value)
        } else {
            for index in value.indices where !value.isLineBreak(at: index) {
                bytes.append(value[index])
            }
        }
        bytes.append(Bytes.lineFeed)
    }
}

extension Span<UInt8> {
    fileprivate func isLineBreak(at index: Int) -> Bool {
        self[index] == Bytes.lineFeed || self[index] == Bytes.carriageReturn
    }

    fileprivate var hasNoLineBreak: Bool {
        var index = 0
        while index <= count &- 8 {
            let word = word(at: index)
            let breaks =
                Words.bytes(word, equal: Bytes.lineFeed)
                | Words.bytes(word, equal: Bytes.carriageReturn)
            guard breaks == 0 else { return false }
            index &+= 8
        }
        while index < count {
            guard !isLineBreak(at: index) else { return false }
            index &+= 1
        }
        return true
    }
}
