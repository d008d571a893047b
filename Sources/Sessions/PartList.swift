import Bytes
import StateCoding

/// The parts of one projection that have clients, for one search in all of its JSON.
struct PartList {
    private var parts: [(part: Projection, pointer: JSONPointer)] = []
    /// The pointers; nil when they have changed.
    private var tree: PointerTree?

    var isEmpty: Bool { parts.isEmpty }

    var all: [Projection] { parts.map(\.part) }

    mutating func add(_ part: Projection, _ pointer: JSONPointer) {
        parts.append((part, pointer))
        tree = nil
    }

    mutating func remove(_ part: Projection) {
        parts.removeAll { $0.part === part }
        tree = nil
    }

    /// Finds all parts in new JSON at once, gives those that differ their new bytes, and returns
    /// them.
    ///
    /// - Parameter json: nil where the projection is out of scope, and so are its parts.
    mutating func update(in json: SharedBytes?, at version: UInt64) -> [Projection] {
        guard !isEmpty else { return [] }
        let bytes = json?.bytes ?? []
        let ranges = json == nil ? nil : currentTree().ranges(in: bytes.span)
        var changed: [Projection] = []
        for (index, (part, _)) in parts.enumerated() {
            let range = ranges?[index]
            let isSame =
                if let range, let old = part.json {
                    isEqual(old.bytes, bytes, range)
                } else {
                    range == nil && part.json == nil
                }
            if isSame {
                part.stayed(at: version)
            } else {
                part.encoded(range.map { SharedBytes(Array(bytes[$0])) }, at: version)
                changed.append(part)
            }
        }
        return changed
    }

    private mutating func currentTree() -> PointerTree {
        if let tree { return tree }
        let made = PointerTree(parts.map(\.pointer))
        tree = made
        return made
    }

    private func isEqual(_ part: [UInt8], _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        part.count == range.count && part[...] == bytes[range]
    }
}
