import Reflection

/// Sets and dictionaries, whose order is that of their texts.
extension CollectionFormWriter {
    /// Writes a set, anew unless it holds what it held.
    func write<Element: Encodable>(_ set: Set<Element>) throws {
        try write(set, as: .array) { assembly, former in
            let bits = document.traits(of: Element.self).bits
            if let former, Self.areEqual(former.value, set, { bits.areEqual($0, $1) }) {
                assembly.copy(0..<former.node.count)
                return []
            }
            for item in try SortedWriter(document: document).sortedItems(of: set) {
                try assembly.append(after: nil) { document.writer.append(raw: item.span) }
            }
            return []
        }
    }

    /// Writes a dictionary, of which its former value tells what has not changed.
    func write<Key: Encodable, Value: Encodable>(_ dictionary: [Key: Value]) throws {
        guard JSONOrder.hasText(Key.self) else { return try writePairs(dictionary) }
        try write(dictionary, as: .object) { assembly, former in
            if let former, let changed = changedValues(from: former.value, to: dictionary) {
                let order = former.node.source?.order ?? []
                try write(changed, in: order, to: &assembly)
                return order
            }
            return try writeMerged(dictionary, after: former, to: &assembly)
        }
    }

    /// Writes the array of keys and values that stands for a dictionary whose keys have no text.
    private func writePairs<Key: Encodable, Value: Encodable>(_ pairs: [Key: Value]) throws {
        try write(pairs, as: .array) { assembly, former in
            let keys = document.traits(of: Key.self).bits
            let values = document.traits(of: Value.self).bits
            let areEqual = { (one: (key: Key, value: Value), other: (key: Key, value: Value)) in
                keys.areEqual(one.key, other.key) && values.areEqual(one.value, other.value)
            }
            if let former, Self.areEqual(former.value, pairs, areEqual) {
                assembly.copy(0..<former.node.count)
                return []
            }
            for (key, value) in try SortedWriter(document: document).sortedPairs(of: pairs) {
                try assembly.append(after: nil) { document.writer.append(raw: key.span) }
                try assembly.append(after: nil) { try document.encodeValue(value) }
            }
            return []
        }
    }

    /// Both hold equal elements in the same order of iteration, as copies of one value do.
    private static func areEqual<Values: Collection>(
        _ one: Values, _ other: Values, _ areEqual: (Values.Element, Values.Element) -> Bool
    ) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy(areEqual)
    }

    // MARK: Dictionaries in step

    /// A value that has changed, at an offset in the order of iteration.
    private typealias Changed<Key, Value> = (offset: Int, key: Key, value: Value)

    /// The values that have changed under the same keys; nil where the keys are not the same, or
    /// come in another order.
    private func changedValues<Key: Hashable, Value>(
        from former: [Key: Value], to present: [Key: Value]
    ) -> [Changed<Key, Value>]? {
        guard former.count == present.count else { return nil }
        let keys = document.traits(of: Key.self).bits
        let values = document.traits(of: Value.self).bits
        var changed: [Changed<Key, Value>] = []
        var offset = 0
        for (old, new) in zip(former, present) {
            guard keys.areEqual(old.key, new.key) else { return nil }
            if !values.areEqual(old.value, new.value) {
                changed.append((offset, new.key, new.value))
            }
            offset += 1
        }
        return changed
    }

    private func write<Key, Value: Encodable>(
        _ changed: [Changed<Key, Value>], in order: [Int], to assembly: inout PieceAssembly
    ) throws {
        let places = Self.places(of: changed.map(\.offset), in: order)
        var copied = 0
        for (place, index) in places {
            assembly.copy(copied..<place)
            try write(
                JSONOrder.text(of: changed[index].key), changed[index].value, place, &assembly)
            copied = place + 1
        }
        assembly.copy(copied..<order.count)
    }

    /// The places in the text of some offsets, which ascend, with their indices, in the order of
    /// the text.
    private static func places(
        of offsets: [Int], in order: [Int]
    ) -> [(place: Int, index: Int)] {
        guard !offsets.isEmpty else { return [] }
        var indices = [Int?](repeating: nil, count: order.count)
        for (index, offset) in offsets.enumerated() { indices[offset] = index }
        return order.enumerated().compactMap { place, offset in
            indices[offset].map { (place, $0) }
        }
    }

    private func write<Value: Encodable>(
        _ name: String, _ value: Value, _ former: Int?, _ assembly: inout PieceAssembly
    ) throws {
        try assembly.append(after: former) {
            document.writer.append(name)
            document.writer.bytes.append(UInt8(ascii: ":"))
            try document.encodeValue(value)
        }
    }

    // MARK: Dictionaries with other keys

    /// Writes a dictionary whose keys have changed; answers with its order of iteration.
    private func writeMerged<Key: Encodable, Value: Encodable>(
        _ dictionary: [Key: Value], after former: FormerCollection<[Key: Value]>?,
        to assembly: inout PieceAssembly
    ) throws -> [Int] {
        let entries = Array(dictionary)
        let (names, order) = JSONOrder.sorted(entries.map(\.key))
        guard zip(names, names.dropFirst()).allSatisfy({ $0 != $1 }) else {
            throw InterleavedWriting()
        }
        let known = FormerMembers(former, document.traits(of: Value.self).bits)
        var copied = 0..<0
        for (name, offset) in zip(names, order) {
            let value = entries[offset].value
            let place = known.place(of: name)
            if let place, known.isEqual(value, at: place, named: name) {
                if copied.upperBound == place, !copied.isEmpty {
                    copied = copied.lowerBound..<place + 1
                } else {
                    assembly.copy(copied)
                    copied = place..<place + 1
                }
            } else {
                assembly.copy(copied)
                copied = 0..<0
                try write(name, value, place, &assembly)
            }
        }
        assembly.copy(copied)
        return order
    }
}

/// The members of a dictionary's former value, by their names.
private struct FormerMembers<Key: Hashable, Value> {
    private let entries: [(key: Key, value: Value)]
    private let order: [Int]
    private let bits: EqualBits
    private var places: [String: Int] = [:]

    init(_ former: FormerCollection<[Key: Value]>?, _ bits: EqualBits) {
        self.bits = bits
        entries = former.map { Array($0.value) } ?? []
        order = former?.node.source?.order ?? []
        for (place, offset) in order.enumerated() {
            places[JSONOrder.text(of: entries[offset].key)] = place
        }
    }

    /// The place in the former text.
    func place(of name: String) -> Int? { places[name] }

    /// The member at a place was the same text.
    func isEqual(_ value: Value, at place: Int, named name: String) -> Bool {
        let entry = entries[order[place]]
        // Names that Swift takes for equal may be other bytes.
        return bits.areEqual(entry.value, value)
            && JSONOrder.text(of: entry.key).utf8.elementsEqual(name.utf8)
    }
}
