import HTTPMessages

/// Finds the versions in an event stream, however it is cut: the digits behind the last hyphen of
/// each line `id: k3f9-42`.
///
/// The head of the answer and the sizes of chunks are lines as well, of which none is an id: each
/// event stands in chunks of its own, so that no chunk begins within a line.
struct EventScanner {
    private var parser = EventStreamParser()

    /// Goes on with what came; throws where a line is too long.
    mutating func scan(
        _ bytes: Span<UInt8>, _ found: (Int) -> Void
    ) throws(EventStreamParser.LineTooLong) {
        try parser.read(bytes) { line, value in
            if line == .id { found(Self.version(in: value)) }
        }
    }

    private static func version(in id: Span<UInt8>) -> Int {
        var version = 0
        for index in id.indices {
            let byte = id[index]
            version = (0x30...0x39).contains(byte) ? version &* 10 &+ Int(byte &- 0x30) : 0
        }
        return version
    }
}
