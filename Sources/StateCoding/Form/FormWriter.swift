import Reflection

/// Writes one collection of a document and keeps it by itself, unless it is short.
struct FormWriter {
    let document: DocumentEncoder
    let forms: FormRecorder

    /// - Parameter body: writes all elements; answers with a dictionary's order of iteration.
    func write<Value>(
        _ value: Value, as kind: EncodingFrame.Kind,
        _ body: (inout PieceAssembly, FormerCollection<Value>?) throws -> [Int]
    ) throws {
        guard !document.isInterleaved else { throw InterleavedWriting() }
        let place = EncodingPlace(nesting: document.nesting, valueDepth: document.valueDepth)
        let former = forms.findFormer(of: value, at: place)
        if let former, former.isSame { return keep(former.node) }
        let start = document.written
        var node: FormNode?
        do {
            try document.encodeContainer(kind) {
                var assembly = PieceAssembly(document, forms, after: former?.node)
                let order = try body(&assembly, former)
                guard let pieces = assembly.finish() else { return }
                let source = FormNode.Source(
                    value: value, type: ObjectIdentifier(Value.self), place: place, order: order)
                node = FormNode(isObject: kind == .object, pieces: pieces, source: source)
            }
        } catch {
            // The value around may go on nevertheless, with what was written up to here.
            document.isInterleaved = true
            throw error
        }
        guard let node else { return forms.restore(former) }
        _ = document.takeBytes(from: start)
        guard node.byteCount >= FormRecorder.minimumByteCount else {
            putBack(node)
            return forms.restore(former)
        }
        keep(node)
    }

    /// Writes a collection that is too short to hold others, with its secrets.
    private func putBack(_ node: FormNode) {
        document.writer.bytes.append(node.opening)
        for (index, piece) in node.pieces.enumerated() {
            if index > 0 { document.writer.bytes.append(UInt8(ascii: ",")) }
            piece.text.write(to: document)
        }
        document.writer.bytes.append(node.closing)
    }

    private func keep(_ node: FormNode) {
        document.writer.bytes.append(FormText.placeholder)
        forms.append(node)
    }

    func write<Element: Encodable>(_ array: [Element]) throws {
        try write(array, as: .array) { assembly, former in
            let traits = document.traits(of: Element.self)
            var steps = ArraySteps(from: former?.value ?? [], to: array, traits.bits)
            try steps.forEach { step in
                switch step {
                case .copy(let range): assembly.copy(range)
                case .encode(let index, let former):
                    try assembly.append(after: former) {
                        try document.encodeValue(array[index], as: traits)
                    }
                }
            }
            return []
        }
    }

    // MARK: Dictionaries whose keys have texts

    /// Copies the members of the former value whose keys and values have the same bits.
    func write<Key: Encodable, Value: Encodable>(_ dictionary: [Key: Value]) throws {
        try write(dictionary, as: .object) { assembly, former in
            guard let former, let order = former.node.source?.order,
                let changed = changedMembers(from: former.value, to: dictionary)
            else { return try writeMerged(dictionary, after: former, to: &assembly) }
            for (place, offset) in order.enumerated() {
                if let (key, value) = changed[offset] {
                    try write(JSONOrder.text(of: key), value, after: place, to: &assembly)
                } else {
                    assembly.copy(place..<place + 1)
                }
            }
            return order
        }
    }

    /// For each member in the order of iteration the one that it is now, nil where it has not changed;
    /// nil where the keys are others, or come in another order.
    private func changedMembers<Key: Hashable, Value>(
        from former: [Key: Value], to present: [Key: Value]
    ) -> [(key: Key, value: Value)?]? {
        guard former.count == present.count else { return nil }
        let keys = document.traits(of: Key.self).bits
        let values = document.traits(of: Value.self).bits
        var changed: [(key: Key, value: Value)?] = []
        changed.reserveCapacity(present.count)
        for (old, new) in zip(former, present) {
            guard keys.areEqual(old.key, new.key) else { return nil }
            changed.append(values.areEqual(old.value, new.value) ? nil : new)
        }
        return changed
    }

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
        let olds = former.map { Array($0.value) } ?? []
        var known: [Key: (place: Int, offset: Int)] = [:]
        for (place, offset) in (former?.node.source?.order ?? []).enumerated() {
            known[olds[offset].key] = (place, offset)
        }
        let bits = document.traits(of: Value.self).bits
        for (name, offset) in zip(names, order) {
            let (key, value) = entries[offset]
            let old = known[key]
            // Keys that Swift takes for equal may be other bytes.
            if let old, bits.areEqual(olds[old.offset].value, value),
                JSONOrder.text(of: olds[old.offset].key).utf8.elementsEqual(name.utf8)
            {
                assembly.copy(old.place..<old.place + 1)
            } else {
                try write(name, value, after: old?.place, to: &assembly)
            }
        }
        return order
    }

    private func write<Value: Encodable>(
        _ name: String, _ value: Value, after former: Int?, to assembly: inout PieceAssembly
    ) throws {
        try assembly.append(after: former) {
            document.writer.append(name)
            document.writer.bytes.append(UInt8(ascii: ":"))
            try document.encodeValue(value)
        }
    }
}
