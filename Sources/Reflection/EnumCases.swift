/// The cases of native enums, as the compiler describes them.
///
/// Nothing is read of an enum that was compiled without reflection metadata
/// (`-disable-reflection-metadata`), imported from C, or that is an `Optional`.
package enum EnumCases {
    /// A case's name without labels, and the type of its associated values: that of the one
    /// unlabelled value, or the tuple of several or labelled ones; nil without associated values,
    /// where these take no bytes, and where the type cannot be found out.
    package typealias Case = (name: String, payload: Any.Type?)

    /// The type is an enum, and no `Optional`.
    package static func isEnum(_ type: Any.Type) -> Bool {
        NominalType(type)?.kind == .enumeration
    }

    /// The names of the cases, those with associated values first; nil where they are not known.
    package static func names(of type: Any.Type) -> [String]? {
        list(of: type)?.map { $0.name }
    }

    /// The cases, those with associated values first; nil where they are not known.
    package static func list(of type: Any.Type) -> [Case]? {
        guard let nominal = NominalType(type), nominal.kind == .enumeration,
            let fields = nominal.fields
        else { return nil }
        let counts = nominal.caseCounts
        guard fields.count == counts.payload + counts.empty else { return nil }
        return fields.map { ($0.name, $0.type) }
    }

    /// All values of an enum without associated values, in the order of ``names(of:)``: of the
    /// coding keys of a type, for example. Nil where they are not known.
    package static func values<Enum>(of type: Enum.Type) -> [Enum]? {
        guard let nominal = NominalType(type), nominal.kind == .enumeration,
            nominal.caseCounts.payload == 0, let count = nominal.fields?.count, count > 0,
            count == nominal.caseCounts.empty
        else { return nil }
        let size = MemoryLayout<Enum>.size
        switch (count, size) {
        case (1, 0), (2...256, 1), (257...65536, 2):
            return (0..<count).map { number in
                let wide = UInt16(truncatingIfNeeded: number)
                let bits = size < 2 ? wide.littleEndian : wide
                // An enum without associated values is the number of its case in the order of their
                // declaration, in as few bytes as hold all numbers (the ABI's type layout): none
                // for one case, or the bytes whose number was compared above.
                return unsafe withUnsafeBytes(of: bits) { unsafe $0.load(as: type) }
            }
        default: return nil
        }
    }
}
