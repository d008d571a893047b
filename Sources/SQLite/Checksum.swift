internal import CZlib

/// CRC-32 over the values of a row, and over the sum of what stands before it.
package struct Checksum {
    package private(set) var value: UInt32

    /// - Parameter value: the sum of what stands before it.
    package init(of values: ArraySlice<SQLValue>, after value: UInt32 = 0) {
        precondition(values.count <= 32, "The kinds of 32 values have place in a word.")
        self.init(values, values.reduce(0) { $0 << 2 | $1.summary.kind }, missing: 0, value)
    }

    /// Of an entry's row, whose columns are of one kind each: none is told.
    package init(ofEntry values: ArraySlice<SQLValue>, after value: UInt32) {
        self.init(values, nil, missing: -1, value)
    }

    /// - Parameters:
    ///   - kinds: what each value is, two bits each.
    ///   - missing: the number of one that is missing.
    private init(_ values: ArraySlice<SQLValue>, _ kinds: Int64?, missing: Int64, _ value: UInt32) {
        self.value = value
        // A word tells the kinds, and a word for each value the number that it is, or has of bytes; the
        // bytes come behind.
        //
        // Safety: zlib reads the bytes that each buffer has; all words are initialized.
        let count = values.count + (kinds == nil ? 0 : 1)
        unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { words in
            if let kinds { unsafe words.initializeElement(at: 0, to: kinds.littleEndian) }
            for (index, value) in zip(count - values.count..<count, values) {
                let (kind, number) = value.summary
                let told = kind == 0 ? missing : number
                unsafe words.initializeElement(at: index, to: told.littleEndian)
            }
            unsafe add(UnsafeRawBufferPointer(words))
        }
        for value in values {
            switch value {
            case .text(let text): unsafe Array(text.utf8).withUnsafeBytes { unsafe add($0) }
            case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe add($0) }
            default: break
            }
        }
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        // Without a buffer zlib would begin anew.
        guard unsafe !bytes.isEmpty else { return }
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        value = UInt32(truncatingIfNeeded: unsafe crc32(UInt(value), start, UInt32(bytes.count)))
    }
}

extension SQLValue {
    fileprivate var summary: (kind: Int64, number: Int64) {
        switch self {
        case .null: (0, 0)
        case .integer(let integer): (1, integer)
        case .text(let text): (2, Int64(text.utf8.count))
        case .bytes(let bytes): (3, Int64(bytes.count))
        }
    }
}
