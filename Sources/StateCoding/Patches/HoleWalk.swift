import Bytes

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
