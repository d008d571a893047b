/// Writes arrays, unless they are kept by themselves or were written before.
struct ArrayWriter {
    let document: DocumentEncoder

    /// Writes an array, or copies it where it is what it was the last time.
    func write<Element: Encodable>(_ array: [Element]) throws {
        // `isEmpty` is a collection's, and would have generic code look up the array's type.
        guard array.count > 0 else { return try writeElements(array) }
        if let forms = document.forms {
            return try CollectionFormWriter(document: document, forms: forms).write(array)
        }
        let place = EncodingPlace(nesting: document.nesting, valueDepth: document.valueDepth)
        let meeting = document.changeArrays { $0.meet(array, at: place, to: &document.writer) }
        switch meeting {
        case nil: try writeElements(array)
        case .copied: break
        case .entered(let mark):
            try writeElements(array)
            document.changeArrays { $0.leave(mark, at: document.written) }
        }
    }

    /// Writes an array without asking for each element's traits.
    private func writeElements<Element: Encodable>(_ array: [Element]) throws {
        let traits = document.traits(of: Element.self)
        try document.encodeContainer(.array) {
            for element in array {
                document.writer.separateElement()
                try document.encodeValue(element, as: traits)
            }
        }
    }
}
