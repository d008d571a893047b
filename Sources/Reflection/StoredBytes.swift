/// The bytes of a type's values that its stored properties take: the bytes between them mean nothing,
/// and a copy of a value need not have the same ones.
///
///     struct Row { var flag: Bool; var text: String }     0..<1, 8..<24
enum StoredBytes {
    /// The ranges in their order; neighbours are one. All bytes, wherever the compiler does not
    /// tell.
    static func ranges<Value>(of type: Value.Type) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        append(type, at: 0, to: &ranges)
        return ranges
    }

    private static func append<Value>(
        _ type: Value.Type, at start: Int, to ranges: inout [Range<Int>]
    ) {
        guard let properties = properties(of: type) else {
            return append(start..<start + MemoryLayout<Value>.size, to: &ranges)
        }
        for (offset, type) in properties { append(type, at: start + offset, to: &ranges) }
    }

    private static func append(_ range: Range<Int>, to ranges: inout [Range<Int>]) {
        guard !range.isEmpty else { return }
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }

    /// The stored properties of a struct, with their offsets; nil for what has no bytes between
    /// properties, or does not tell of them: then all its bytes count.
    private static func properties<Value>(of type: Value.Type) -> [(offset: Int, type: Any.Type)]? {
        guard MemoryLayout<Value>.size > MemoryLayout<Value>.alignment,
            let nominal = NominalType(type), nominal.kind == .structure,
            let offsets = nominal.offsets, let fields = nominal.fields,
            fields.count == offsets.count
        else { return nil }
        var end = 0
        var properties: [(offset: Int, type: Any.Type)] = []
        for (offset, field) in zip(offsets, fields) {
            guard let type = field.type, offset >= end else { return nil }
            end = offset + size(of: type)
            properties.append((offset, type))
        }
        return end == MemoryLayout<Value>.size ? properties : nil
    }

    private static func size(of type: Any.Type) -> Int {
        func size<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
        return _openExistential(type, do: size)
    }
}
