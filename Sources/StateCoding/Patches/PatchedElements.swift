/// The elements of an opened array, in chunks, so that one is put in or taken out of a long array
/// without moving the others.
struct PatchedElements: Sendable {
    private static let chunkLimit = 1024

    /// What an element takes, about.
    static let byteCount = 32

    private var chunks: [[PatchedNode]] = [[]]
    /// The number of elements of each chunk.
    private var sizes = [0]
    private(set) var count = 0

    mutating func append(_ node: PatchedNode) {
        insert(node, at: count)
    }

    mutating func insert(_ node: PatchedNode, at index: Int) {
        precondition((0...count).contains(index), "An element goes between others, or to an end.")
        var (chunk, offset) = locate(index)
        if sizes[chunk] == Self.chunkLimit { (chunk, offset) = split(chunk, offset) }
        chunks[chunk].insert(node, at: offset)
        sizes[chunk] += 1
        count += 1
    }

    mutating func remove(at index: Int) -> PatchedNode {
        precondition((0..<count).contains(index), "An element that is there is removed.")
        let (chunk, offset) = locate(index)
        sizes[chunk] -= 1
        count -= 1
        let node = chunks[chunk].remove(at: offset)
        if sizes[chunk] == 0, chunks.count > 1 {
            chunks.remove(at: chunk)
            sizes.remove(at: chunk)
        }
        return node
    }

    subscript(index: Int) -> PatchedNode {
        get {
            precondition((0..<count).contains(index), "An index is within the array.")
            let (chunk, offset) = locate(index)
            return chunks[chunk][offset]
        }
        set {
            precondition((0..<count).contains(index), "An index is within the array.")
            let (chunk, offset) = locate(index)
            chunks[chunk][offset] = newValue
        }
    }

    /// Calls with each element in order.
    func forEach(_ body: (PatchedNode) -> Void) {
        for chunk in chunks {
            for node in chunk { body(node) }
        }
    }

    /// The chunk of an element; behind the last one the end of the last chunk.
    private func locate(_ index: Int) -> (chunk: Int, offset: Int) {
        let last = sizes.count - 1
        if index >= count - sizes[last] { return (last, index - (count - sizes[last])) }
        var chunk = 0
        var offset = index
        while offset >= sizes[chunk] {
            offset -= sizes[chunk]
            chunk += 1
        }
        return (chunk, offset)
    }

    /// Cuts a full chunk; one that grows at its end stays full.
    private mutating func split(_ chunk: Int, _ offset: Int) -> (chunk: Int, offset: Int) {
        let cut = offset == sizes[chunk] ? offset : sizes[chunk] / 2
        let tail = Array(chunks[chunk][cut...])
        chunks[chunk].removeSubrange(cut...)
        sizes[chunk] = cut
        chunks.insert(tail, at: chunk + 1)
        sizes.insert(tail.count, at: chunk + 1)
        return offset >= cut ? (chunk + 1, offset - cut) : (chunk, offset)
    }
}
