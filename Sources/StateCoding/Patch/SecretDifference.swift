import Bytes
import Redux

/// Writes the operations for secrets that belong to a patch: `replace` for each secret inside of a
/// value that the patch writes, and for each that is another one than stands at its place once the
/// patch is applied.
///
///     {"name":"Ada","password":"<redacted>"} → the same with another password: no patch, but
///     [{"op":"replace","path":"/password","value":"open sesame"}]
struct SecretDifference {
    private var writer = PatchWriter()

    /// A state that it can go back to.
    var mark: PatchWriter.Mark { writer.mark }

    /// Strikes the operations behind a mark.
    mutating func strike(since mark: PatchWriter.Mark) { writer.strike(since: mark) }

    /// The operations; nil where there are none.
    consuming func finish() -> Secret<JSONPatch>? {
        let operations = writer.finish()
        return operations.isEmpty ? nil : Secret(JSONPatch(operations: operations))
    }

    /// Writes all secrets of a value that the patch writes at the place of its writer.
    mutating func writeAll(in value: FormSlice, at place: PatchWriter) {
        guard value.holes.contains(where: \.holdsSecrets) else { return }
        writer.write(at: place) { Self.writeAll(in: value, to: &$0) }
    }

    /// One of two values that are shown alike is a secret, and the other perhaps a text that reads as
    /// one.
    static func isSwap(_ old: FormSlice, for new: FormSlice) -> Bool {
        (old.isSecret || new.isSecret) && old.shown() == new.shown()
    }

    /// Writes what stands in place of a secret, or the secret in place of something else, where both
    /// are shown alike.
    mutating func writeSwap(_ old: FormSlice, for new: FormSlice, at place: PatchWriter) {
        let present = new.shown(opening: true)
        if old.shown(opening: true) != present {
            writer.write(at: place) { $0.replace { $0 += present } }
        }
    }

    /// Writes the secrets that differ between two values that are shown alike.
    mutating func writeChanged(from old: FormSlice, to new: FormSlice, at place: PatchWriter) {
        guard Self.mayDiffer(old, new) else { return }
        writer.write(at: place) { Self.writeChanged(from: old, to: new, to: &$0) }
    }

    /// Writes the secrets that differ between so many elements of two collections, from one of each
    /// on, that are shown alike.
    mutating func writeChanged(
        from old: FormNode, _ here: Int, to new: FormNode, _ there: Int, count: Int,
        at place: PatchWriter
    ) {
        guard old.holdsSecrets || new.holdsSecrets else { return }
        writer.write(at: place) {
            Self.writeChanged(from: old, here, to: new, there, count: count, to: &$0)
        }
    }

    /// Calls with the index of each collection and secret in a value, in their order, with the writer
    /// at its place.
    ///
    /// - Complexity: the text of the value, without what stands in its collections, times the depth
    ///   of the values that hold them.
    private static func forEachHole(
        in value: FormSlice, _ writer: inout PatchWriter,
        _ body: (inout PatchWriter, Int) -> Void
    ) {
        guard value.hole == nil else { return body(&writer, value.firstHole) }
        guard value.holeCount > 0 else { return }
        let isObject = value.opening == UInt8(ascii: "{")
        var reader = ItemReader(value)
        var index = 0
        while let item = reader.next() {
            if item.slice.holeCount > 0 {
                enter(item.slice, at: index, isMember: isObject, &writer) {
                    forEachHole(in: $0, &$1, body)
                }
            }
            index += 1
        }
    }

    // MARK: All

    private static func writeAll(in value: FormSlice, to writer: inout PatchWriter) {
        forEachHole(in: value, &writer) { writer, hole in
            switch value.text.holes[hole] {
            case .collection(let node): writeAll(in: node, to: &writer)
            case .secret(let json): writer.replace { $0 += json.value }
            }
        }
    }

    private static func writeAll(in node: FormNode, to writer: inout PatchWriter) {
        for (piece, start) in zip(node.pieces, node.starts) where piece.holdsSecrets {
            for offset in 0..<piece.count
            where !piece.holeRange(of: offset..<offset + 1).isEmpty {
                enter(piece[offset], at: start + offset, isMember: node.isObject, &writer) {
                    value, writer in
                    writeAll(in: value, to: &writer)
                }
            }
        }
    }

    /// Calls with an element, or the value of a member, with the writer at its place.
    private static func enter(
        _ item: FormSlice, at index: Int, isMember: Bool, _ writer: inout PatchWriter,
        _ body: (FormSlice, inout PatchWriter) -> Void
    ) {
        let place = isMember ? writer.enter(member: item) : writer.enter(index: index)
        body(isMember ? item.memberValue : item, &writer)
        writer.leave(place)
    }

    // MARK: What differs

    /// The secrets of two values, which are shown alike, may be others.
    private static func mayDiffer(_ old: FormSlice, _ new: FormSlice) -> Bool {
        !zip(old.holes, new.holes).allSatisfy { $0.hasSameSecrets(as: $1) }
    }

    private static func writeChanged(
        from old: FormSlice, to new: FormSlice, to writer: inout PatchWriter
    ) {
        guard mayDiffer(old, new) else { return }
        forEachHole(in: new, &writer) { writer, hole in
            let former = old.text.holes[old.firstHole + hole - new.firstHole]
            switch (former, new.text.holes[hole]) {
            case (.secret(let old), .secret(let new)):
                if old != new { writer.replace { $0 += new.value } }
            case (.collection(let old), .collection(let new)):
                if old !== new {
                    writeChanged(from: old, 0, to: new, 0, count: new.count, to: &writer)
                }
            case (.secret, .collection), (.collection, .secret):
                preconditionFailure("Values that are shown alike have the same placeholders.")
            }
        }
    }

    private static func writeChanged(
        from old: FormNode, _ here: Int, to new: FormNode, _ there: Int, count: Int,
        to writer: inout PatchWriter
    ) {
        var done = 0
        while done < count {
            let (one, other) = (old.locate(here + done), new.locate(there + done))
            let (former, piece) = (old.pieces[one.piece], new.pieces[other.piece])
            let run = min(count - done, former.count - one.offset, piece.count - other.offset)
            let isShared = former === piece && one.offset == other.offset
            if !isShared, former.holdsSecrets || piece.holdsSecrets {
                for step in 0..<run {
                    writeChanged(
                        from: former[one.offset + step], to: piece[other.offset + step],
                        at: there + done + step, of: new, &writer)
                }
            }
            done += run
        }
    }

    /// Compares one element or member of two collections.
    private static func writeChanged(
        from old: FormSlice, to new: FormSlice, at index: Int, of node: FormNode,
        _ writer: inout PatchWriter
    ) {
        guard mayDiffer(old, new) else { return }
        enter(new, at: index, isMember: node.isObject, &writer) { value, writer in
            writeChanged(from: node.isObject ? old.memberValue : old, to: value, to: &writer)
        }
    }
}
