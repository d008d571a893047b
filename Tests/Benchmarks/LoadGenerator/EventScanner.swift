import HTTPMessages

/// Finds the events in an event stream, however it is cut.
///
///     event: patch
///     id: k3f9-44
///     data: {"from":42,"version":44,"ops":[…]}
///
/// The head of the answer and the sizes of chunks are lines as well, of which none is an id: each
/// event stands in chunks of its own, so that no chunk begins within a line. The scanner keeps the
/// beginnings of lines alone: a state of a megabyte passes a thousand streams at once.
struct EventScanner {
    private var parser = EventStreamParser(keeping: 128)
    private var kind = LoadEvent.Kind.state
    private var version: Int?
    private var from: Int?

    /// Goes on with what came, and calls `found` with each event that has its end and names a version.
    mutating func scan(
        _ bytes: Span<UInt8>, _ found: (LoadEvent) -> Void
    ) throws(EventStreamParser.LineTooLong) {
        try parser.read(bytes) { line, value in
            switch line {
            case .event: kind = Self.kind(value)
            case .id: version = Self.version(in: value)
            case .data: if kind == .patch { from = Self.from(in: value) }
            case .blank:
                if let version { found(LoadEvent(kind: kind, version: version, from: from)) }
                (kind, version, from) = (.state, nil, nil)
            case .retry, .other: break
            }
        }
    }

    private static func kind(_ name: Span<UInt8>) -> LoadEvent.Kind {
        if name.elementsEqual("patch") { return .patch }
        return name.elementsEqual("snapshot") ? .snapshot : .state
    }

    /// The digits behind the last hyphen of an id: `k3f9-42`.
    private static func version(in id: Span<UInt8>) -> Int {
        var version = 0
        for index in id.indices { version = number(version, before: id[index]) ?? 0 }
        return version
    }

    /// The number behind `{"from":`, with which the data of a patch begins; nil where it does not.
    private static func from(in data: Span<UInt8>) -> Int? {
        let name: StaticString = "{\"from\":"
        guard data.extracting(first: name.utf8CodeUnitCount).elementsEqual(name) else { return nil }
        var version = 0
        for index in name.utf8CodeUnitCount..<data.count {
            guard let longer = number(version, before: data[index]) else { break }
            version = longer
        }
        return version
    }

    /// A number with one digit more; nil where the byte is none.
    private static func number(_ number: Int, before byte: UInt8) -> Int? {
        guard (0x30...0x39).contains(byte) else { return nil }
        return number &* 10 &+ Int(byte &- 0x30)
    }
}

extension Span<UInt8> {
    fileprivate func elementsEqual(_ text: StaticString) -> Bool {
        let text = text.description.utf8.span
        guard count == text.count else { return false }
        for index in indices where self[index] != text[index] { return false }
        return true
    }
}
