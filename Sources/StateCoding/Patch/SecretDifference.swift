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
        (old.isSecret || new.isSecret) && old.copy.isShown(like: new.copy)
    }

    /// Writes what stands in place of a secret, or the secret in place of something else, where both
    /// are shown alike.
    mutating func writeSwap(_ old: FormSlice, for new: FormSlice, at place: PatchWriter) {
        var (former, present): ([UInt8], [UInt8]) = ([], [])
        old.append(to: &former, opening: true)
        new.append(to: &present, opening: true)
        if former != present { writer.write(at: place) { $0.replace { $0 += present } } }
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

    // MARK: All

    private static func writeAll(in value: FormSlice, to writer: inout PatchWriter) {
        HoleWalk.forEach(in: value, &writer) { writer, hole in
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
                enter(piece[offset], at: start + offset, of: node, &writer) { value, writer in
                    writeAll(in: value, to: &writer)
                }
            }
        }
    }

    /// Calls with an element, or the value of a member, with the writer at its place.
    private static func enter(
        _ element: FormSlice, at index: Int, of node: FormNode, _ writer: inout PatchWriter,
        _ body: (FormSlice, inout PatchWriter) -> Void
    ) {
        guard node.isObject else {
            let place = writer.enter(index: index)
            body(element, &writer)
            return writer.leave(place)
        }
        let place = writer.enter(name: element.text.bytes.span.extracting(element.nameRange))
        body(element.memberValue, &writer)
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
        HoleWalk.forEach(in: new, &writer) { writer, hole in
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
        enter(new, at: index, of: node, &writer) { value, writer in
            writeChanged(from: node.isObject ? old.memberValue : old, to: value, to: &writer)
        }
    }
}

/// Leads the writer of a patch to the places at which placeholders stand in a text.
enum HoleWalk {
    /// An object or array that is open.
    private struct Level {
        let isObject: Bool
        /// The index of the present element.
        var index = 0
        /// The way to the present member or element.
        var place: PatchWriter.Place?
    }

    /// Calls with the index of each hole in a value, in their order, with the writer at its place.
    ///
    /// - Parameter writer: at the place of the value; it is there again behind this.
    /// - Complexity: linear in the text of the value, without what stands in its collections.
    static func forEach(
        in value: FormSlice, _ writer: inout PatchWriter,
        _ body: (inout PatchWriter, Int) -> Void
    ) {
        guard !value.text.holes.isEmpty else { return }
        let bytes = value.text.bytes.span
        var scanner = JSONScanner()
        scanner.position = value.range.lowerBound
        var levels: [Level] = []
        var hole = value.firstHole
        while scanner.position < value.range.upperBound {
            let byte = bytes[scanner.position]
            switch byte {
            case FormText.placeholder:
                body(&writer, hole)
                hole += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                levels.append(Level(isObject: byte == UInt8(ascii: "{")))
                enter(&levels, &writer)
            case UInt8(ascii: ","):
                leave(&levels, &writer)
                enter(&levels, &writer)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                leave(&levels, &writer)
                _ = levels.popLast()
            case UInt8(ascii: "\""):
                skipString(bytes, &scanner, &levels, &writer)
                continue
            default: break
            }
            scanner.position += 1
        }
    }

    /// Goes on to the next element; to a member once its name is read.
    private static func enter(_ levels: inout [Level], _ writer: inout PatchWriter) {
        guard let top = levels.indices.last, !levels[top].isObject else { return }
        levels[top].place = writer.enter(index: levels[top].index)
        levels[top].index += 1
    }

    private static func leave(_ levels: inout [Level], _ writer: inout PatchWriter) {
        guard let top = levels.indices.last, let place = levels[top].place else { return }
        writer.leave(place)
        levels[top].place = nil
    }

    /// Passes over a string, and goes on to a member where it is its name.
    private static func skipString(
        _ bytes: Span<UInt8>, _ scanner: inout JSONScanner, _ levels: inout [Level],
        _ writer: inout PatchWriter
    ) {
        guard let (range, _) = scanner.string(bytes) else {
            preconditionFailure("A text of ours ends its strings.")
        }
        guard let top = levels.indices.last, levels[top].isObject, levels[top].place == nil else {
            return
        }
        levels[top].place = writer.enter(name: bytes.extracting(range))
    }
}
