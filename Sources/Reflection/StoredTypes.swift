/// The types that values of a type consist of, as the compiler describes them.
package enum StoredTypes {
    /// The types of a struct's stored properties, of an enum's associated values (those of a case
    /// as one tuple), or of a tuple's elements; none of any other type, and none that the compiler
    /// does not tell.
    package static func list(of type: Any.Type) -> [Any.Type] {
        if let elements = elements(of: type) { return elements.map { $0.type } }
        return NominalType(type)?.fields?.compactMap(\.type) ?? []
    }

    /// The stored properties of a struct; none of any other type, and none that the compiler does not
    /// tell.
    package static func properties(of type: Any.Type) -> [(name: String, type: Any.Type)] {
        guard let nominal = NominalType(type), nominal.kind == .structure else { return [] }
        return nominal.fields?.compactMap { field in field.type.map { (field.name, $0) } } ?? []
    }

    /// The elements of a tuple, with their labels where they have some; nil for another type.
    package static func elements(of type: Any.Type) -> [(label: String?, type: Any.Type)]? {
        // A metatype is the address of its type's metadata, which stays as long as the process.
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        let word = MemoryLayout<UInt>.size
        // All metadata begins with its kind, a word.
        guard unsafe metadata.load(as: UInt.self) == 0x301 else { return nil }
        // A tuple's metadata: kind, number of elements, labels, then type and offset of each.
        let count = unsafe metadata.load(fromByteOffset: word, as: Int.self)
        // The labels are one text, each behind the other with a space at its end; or no address.
        let text = unsafe metadata.load(fromByteOffset: 2 * word, as: UnsafeRawPointer?.self)
        // See above: a text that is there ends with a zero.
        let labels = unsafe text.map {
            unsafe String(cString: $0.assumingMemoryBound(to: CChar.self))
        }
        let names = labels?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        return (0..<count).map { index in
            // See above: `count` pairs of a type and an offset.
            let element = unsafe metadata.load(
                fromByteOffset: (3 + 2 * index) * word, as: Any.Type.self)
            let label = index < names.count && !names[index].isEmpty ? String(names[index]) : nil
            return (label, element)
        }
    }
}
