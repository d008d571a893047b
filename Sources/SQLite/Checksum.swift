internal import CZlib

/// CRC-32 over the values of a row, and over what stands before it.
package struct Checksum {
    package private(set) var value: UInt32

    /// - Parameter value: the sum of what stands before it.
    package init(of values: ArraySlice<SQLValue>, after value: UInt32 = 0) {
        self.value = value
        // Each value says what it is, and the number that it is or has of bytes; the bytes come behind.
        //
        // Safety: zlib reads the bytes that each buffer has; two words are initialized for each value.
        unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2 * values.count) { words in
            var index = 0
            for value in values {
                let (kind, number) = value.summary
                unsafe words.initializeElement(at: index, to: kind.littleEndian)
                unsafe words.initializeElement(at: index + 1, to: number.littleEndian)
                index += 2
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
