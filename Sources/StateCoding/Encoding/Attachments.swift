/// Values that are written by encoders of their own, and put in where a placeholder stands for each.
struct Attachments {
    private var list: [(offset: Int, document: DocumentEncoder)] = []

    var isEmpty: Bool { list.isEmpty }

    /// A placeholder at an offset, behind all others, stands for what an encoder writes.
    mutating func append(_ document: DocumentEncoder, at offset: Int) {
        precondition(list.last.map { $0.offset < offset } ?? true, "Placeholders stand in order.")
        list.append((offset, document))
    }

    /// Bytes were put in at an offset: the placeholders behind it have moved.
    mutating func shift(from offset: Int, by count: Int) {
        for index in list.indices where list[index].offset >= offset { list[index].offset += count }
    }

    /// The bytes with all values in place.
    func applied(to bytes: Span<UInt8>) throws -> [UInt8] {
        try Insertions.apply(list.map { ($0.offset, try $0.document.finish()) }, to: bytes)
    }
}
