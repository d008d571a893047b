/// Writes one collection of a document and keeps it by itself, unless it is short.
struct CollectionFormWriter {
    let document: DocumentEncoder
    let forms: FormRecorder

    /// - Parameters:
    ///   - value: the array, set or dictionary.
    ///   - body: writes all elements; answers with a dictionary's order of iteration.
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
                guard !assembly.isShort else { return }
                assembly.flush()
                let source = FormNode.Source(
                    value: value, type: ObjectIdentifier(Value.self), place: place, order: order)
                node = FormNode(
                    isObject: kind == .object, pieces: assembly.pieces, source: source)
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

    // MARK: Arrays

    /// Writes an array, of which its former value tells what has not changed.
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
}
