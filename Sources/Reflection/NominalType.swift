/// A struct or an enum as the compiler describes it in the metadata that the run time itself reads
/// (`TargetEnumDescriptor`, `FieldDescriptor` and `FieldRecord` of the run time's headers; stable
/// since Swift 5).
///
///     metadata    kind | descriptor | generic arguments …
///     descriptor  flags parent name accessor fields payloadCases emptyCases      32 bits each
///     fields      typeName superclass kind:16 recordSize:16 count record…
///     record      flags typeName name
///
/// Names and types are reached by the distance from the place that says it; a distance of 0 leads
/// nowhere. What is generic is resolved with the arguments behind the metadata.
@safe
struct NominalType {
    enum Kind { case structure, enumeration }

    /// A stored property, or a case of an enum.
    struct Field {
        var name: String
        /// The type of the property or of the associated values; nil where a case has none, or none
        /// that take bytes, and where it is not resolved.
        var type: Any.Type?
    }

    let kind: Kind
    private let metadata: UnsafeRawPointer
    private let descriptor: UnsafeRawPointer

    /// Nil for what is no struct and no enum: an optional, a tuple, a class, a function.
    init?(_ type: Any.Type) {
        // A metatype is the address of its type's metadata, which stays as long as the process.
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        // All metadata begins with its kind, a word.
        switch unsafe metadata.load(as: UInt.self) {
        case 0x200: kind = .structure
        case 0x201: kind = .enumeration
        default: return nil
        }
        unsafe self.metadata = metadata
        // Behind the kind of a struct or an enum stands the address of its descriptor.
        unsafe descriptor = metadata.load(
            fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
    }

    /// The number of an enum's cases with associated values, and without.
    var caseCounts: (payload: Int, empty: Int) {
        precondition(kind == .enumeration, "Only an enum has cases.")
        // An enum's descriptor goes on behind its fields with both counts; the upper eight bits of
        // the first one mean something else.
        let payload = unsafe descriptor.load(fromByteOffset: 20, as: UInt32.self)
        // See above.
        let empty = unsafe descriptor.load(fromByteOffset: 24, as: UInt32.self)
        return (Int(payload & 0xFF_FFFF), Int(empty))
    }

    /// The offsets of a struct's stored properties, in bytes, in their order; nil where the struct
    /// has none.
    var offsets: [Int]? {
        precondition(kind == .structure, "Only a struct has offsets.")
        // A struct's descriptor goes on behind its fields with the number of properties.
        let count = unsafe descriptor.load(fromByteOffset: 20, as: UInt32.self)
        // There follows the place in the metadata, in words, at which their offsets stand.
        let place = unsafe descriptor.load(fromByteOffset: 24, as: UInt32.self)
        guard count > 0, place > 0 else { return nil }
        let start = Int(place) * MemoryLayout<UInt>.size
        return (0..<Int(count)).map { index in
            // Each offset takes 32 bits, `count` of them stand there.
            Int(unsafe metadata.load(fromByteOffset: start + index * 4, as: UInt32.self))
        }
    }

    /// The stored properties in their order, or the cases: those with associated values first.
    /// Nil where reflection metadata is switched off.
    var fields: [Field]? {
        // The fifth member of a descriptor leads to the fields.
        guard let list = unsafe Self.target(of: descriptor + 16) else { return nil }
        // The size of a record and the number of records stand before the records.
        let size = unsafe Int(list.load(fromByteOffset: 10, as: UInt16.self))
        // See above.
        let count = unsafe Int(list.load(fromByteOffset: 12, as: UInt32.self))
        guard size >= 12 else { return nil }
        var fields: [Field] = []
        for index in 0..<count {
            // The records stand one behind the other, `count` of them.
            guard let field = unsafe field(at: list + 16 + index * size) else { return nil }
            fields.append(field)
        }
        return fields
    }

    private func field(at record: UnsafeRawPointer) -> Field? {
        // The third member of a record leads to a name that ends with a zero.
        guard let text = unsafe Self.target(of: record + 8) else { return nil }
        // See above.
        let name = unsafe String(cString: text.assumingMemoryBound(to: CChar.self))
        // Names are empty where the compiler was told to leave them out.
        guard !name.isEmpty else { return nil }
        // The second member of a record leads to the mangled name of its type.
        guard let mangled = unsafe Self.target(of: record + 4) else {
            return Field(name: name, type: nil)
        }
        // See above.
        return Field(name: name, type: unsafe resolve(mangled))
    }

    private func resolve(_ mangled: UnsafeRawPointer) -> Any.Type? {
        // The name is what the run time itself would resolve for a mirror, in the context of this
        // type, whose generic arguments stand behind its two words of metadata.
        unsafe _getTypeByMangledNameInContext(
            mangled.assumingMemoryBound(to: UInt8.self), UInt(Self.length(of: mangled)),
            genericContext: descriptor, genericArguments: metadata + 2 * MemoryLayout<UInt>.size)
    }

    /// The length of a mangled name: it ends with a zero, except within the addresses that it
    /// holds, 4 bytes behind a mark of 0x01…0x17 and a word behind one of 0x18…0x1F.
    private static func length(of mangled: UnsafeRawPointer) -> Int {
        var length = 0
        while true {
            // All before the zero, and the zero, belongs to the name.
            switch unsafe mangled.load(fromByteOffset: length, as: UInt8.self) {
            case 0: return length
            case 0x01...0x17: length += 5
            case 0x18...0x1F: length += 1 + MemoryLayout<UInt>.size
            default: length += 1
            }
        }
    }

    /// The place that a relative address leads to.
    private static func target(of address: UnsafeRawPointer) -> UnsafeRawPointer? {
        // Each caller gives the place of a relative address: 32 bits, with a sign.
        let distance = unsafe address.load(as: Int32.self)
        // A distance that is not 0 leads to the place in the same image that the compiler meant.
        return distance == 0 ? nil : unsafe address + Int(distance)
    }
}
