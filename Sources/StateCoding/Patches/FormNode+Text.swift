import Bytes

extension FormNode {
    /// The array or object that a value is, with its elements found: read where it stands in the
    /// text. Nil for another value.
    static func reading(_ value: FormSlice) -> FormNode? {
        if let node = value.node { return node }
        switch value.opening {
        case UInt8(ascii: "{"): return make(value, isObject: true)
        case UInt8(ascii: "["): return make(value, isObject: false)
        default: return nil
        }
    }

    private static func make(_ value: FormSlice, isObject: Bool) -> FormNode? {
        guard value.range.count >= 2 else { return nil }
        let inside = value.range.lowerBound + 1..<value.range.upperBound - 1
        guard !inside.isEmpty else { return FormNode(isObject: isObject, pieces: [], source: nil) }
        let bytes = value.text.bytes.span.extracting(inside)
        guard let ends = elementEnds(in: bytes, isObject: isObject) else { return nil }
        let holes = Array(value.holes)
        let text = FormText(bytes: [UInt8](copying: bytes), holes: holes)
        let piece = FormPiece(
            text: text, ends: ends, holeEnds: holes.isEmpty ? [] : holeEnds(of: ends, in: text))
        return FormNode(isObject: isObject, pieces: [piece], source: nil)
    }

    /// The offset behind each element; nil where the text is not what it should be.
    private static func elementEnds(in bytes: Span<UInt8>, isObject: Bool) -> [Int]? {
        var ends: [Int] = []
        var scanner = JSONScanner()
        while true {
            if isObject {
                guard scanner.string(bytes) != nil, scanner.skip(UInt8(ascii: ":"), bytes) else {
                    return nil
                }
            }
            guard scanner.value(bytes) != nil else { return nil }
            ends.append(scanner.position)
            guard scanner.position < bytes.count else { break }
            guard scanner.skip(UInt8(ascii: ","), bytes) else { return nil }
        }
        return ends.last == bytes.count ? ends : nil
    }

    private static func holeEnds(of ends: [Int], in text: FormText) -> [Int] {
        var result: [Int] = []
        var (start, count) = (0, 0)
        for end in ends {
            count += text.holeCount(in: start..<end)
            result.append(count)
            start = end
        }
        return result
    }

    /// The names of members, as they stand in the text.
    func names(of members: Range<Int>) -> [[UInt8]] {
        precondition(isObject, "Only members have names.")
        return members.map { member in
            let slice = self[member]
            return [UInt8](copying: slice.text.bytes.span.extracting(slice.nameRange))
        }
    }

    /// Two members have the same name.
    var repeatsName: Bool {
        guard isObject, source == nil else { return false }
        return Set(names(of: 0..<count)).count < count
    }
}

extension FormSlice {
    /// The name of the member that the slice is, without quotes.
    var nameRange: Range<Int> {
        var scanner = JSONScanner()
        scanner.position = range.lowerBound
        return scanner.string(text.bytes.span)?.range ?? range.lowerBound..<range.lowerBound
    }

    /// The value of the member that the slice is.
    var memberValue: FormSlice {
        let start = nameRange.upperBound + 2
        precondition(start < range.upperBound, "Behind a name stands a value.")
        return FormSlice(text: text, range: start..<range.upperBound, firstHole: firstHole)
    }
}
