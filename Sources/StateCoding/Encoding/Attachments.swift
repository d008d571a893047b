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

    /// The bytes with all values in place, whose secrets come among those of the document.
    func applied(to bytes: [UInt8], _ secrets: inout [FormHole]) throws -> [UInt8] {
        let values = try list.map { ($0.offset, try $0.document.finish()) }
        let text = FormText(bytes: bytes, holes: secrets)
        var holes: [FormHole] = []
        var (position, hole) = (0, 0)
        for (offset, document) in list {
            let count = text.holeCount(in: position..<offset)
            holes += secrets[hole..<hole + count]
            holes += document.secrets.holes
            (position, hole) = (offset, hole + count)
        }
        secrets = holes + secrets[hole...]
        return Insertions.apply(values, to: bytes.span)
    }
}
