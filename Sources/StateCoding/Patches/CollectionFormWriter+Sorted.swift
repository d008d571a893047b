import Reflection

/// Sets and dictionaries, whose order is that of their texts.
extension CollectionFormWriter {
    /// Writes a set, of which its former value tells what has not changed.
    func write<Element: Encodable>(_ set: Set<Element>) throws {
        try write(set, as: .array) { assembly, former in
            let elements = try sorted(
                Array(set), after: former.map { Array($0.value) }, of: former?.node, stride: 1)
            for step in elements.steps {
                switch step {
                case .keep(let places): assembly.copy(places)
                case .add(let text, _):
                    try assembly.append(after: nil) { text.write(to: document) }
                }
            }
            return elements.order
        }
    }

    /// The elements of a set, or the keys of a dictionary, in the order of their texts.
    ///
    /// - Parameter stride: the number of elements of the node for each.
    private func sorted<Element: Encodable>(
        _ present: [Element], after former: [Element]?, of node: FormNode?, stride: Int
    ) throws -> SortedElements {
        let order = node?.source?.order ?? []
        // The order is not known where two of them had the same text.
        let known = former.flatMap { $0.count == order.count ? $0 : nil } ?? []
        let writer = SortedWriter(document: document)
        return try SortedElements(
            present, after: (known, known.isEmpty ? [] : order),
            document.traits(of: Element.self).bits
        ) { place in
            node?[place * stride].copy ?? FormText(bytes: [], holes: [])
        } encode: {
            try writer.encodeApart($0)
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
            let entries = Array(pairs)
            let olds = former.map { Array($0.value) }
            let keys = try sorted(
                entries.map(\.key), after: olds.map { $0.map(\.key) }, of: former?.node, stride: 2)
            guard !keys.hasTwins else {
                try writeAnew(pairs, to: &assembly)
                return []
            }
            for step in keys.steps {
                switch step {
                case .keep(let places):
                    let pairs = places.compactMap { place in
                        keys.offset(at: place).map { (place, entries[$0].value) }
                    }
                    try write(pairs, after: former, olds ?? [], to: &assembly)
                case .add(let key, let offset):
                    try assembly.append(after: nil) { key.write(to: document) }
                    try assembly.append(after: nil) {
                        try document.encodeValue(entries[offset].value)
                    }
                }
            }
            return keys.order
        }
    }

    private func writeAnew<Key: Encodable, Value: Encodable>(
        _ pairs: [Key: Value], to assembly: inout PieceAssembly
    ) throws {
        for (key, value) in try SortedWriter(document: document).sortedPairs(of: pairs) {
            try assembly.append(after: nil) { key.write(to: document) }
            try assembly.append(after: nil) { try document.encodeValue(value) }
        }
    }

    /// Writes values under keys that stand in the former text, at places that follow each other.
    private func write<Key, Value: Encodable>(
        _ pairs: [(place: Int, value: Value)], after former: FormerCollection<[Key: Value]>?,
        _ olds: [(key: Key, value: Value)], to assembly: inout PieceAssembly
    ) throws {
        guard let order = former?.node.source?.order, let first = pairs.first else { return }
        let bits = document.traits(of: Value.self).bits
        var copied = first.place * 2
        for (place, value) in pairs
        where !bits.areEqual(olds[order[place]].value, value) {
            assembly.copy(copied..<place * 2 + 1)
            try assembly.append(after: place * 2 + 1) { try document.encodeValue(value) }
            copied = place * 2 + 2
        }
        assembly.copy(copied..<(first.place + pairs.count) * 2)
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
