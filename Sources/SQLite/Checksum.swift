internal import CZlib

/// CRC-32 over the values of a row, and over the sum of what stands before it.
package struct Checksum {
    package private(set) var value: UInt32

    /// - Parameter value: the sum of what stands before it.
    package init(of values: ArraySlice<SQLValue>, after value: UInt32 = 0) {
        self.value = value
        precondition(values.count <= 32, "The kinds of 32 values have place in a word.")
        // A word says what each value is, two bits each, and a word for each the number that it is, or
        // has of bytes; the bytes come behind.
        //
        // Safety: zlib reads the bytes that each buffer has; all words are initialized.
        unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: values.count + 1) { words in
            var (kinds, index): (Int64, Int) = (0, 1)
            for value in values {
                let (kind, number) = value.summary
                kinds = kinds << 2 | kind
                unsafe words.initializeElement(at: index, to: number.littleEndian)
                index += 1
            }
            unsafe words.initializeElement(at: 0, to: kinds.littleEndian)
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

    /// Of numbers, and of texts that may be missing.
    package init(of numbers: Span<Int64>, _ texts: Span<[UInt8]?>, after value: UInt32) {
        self.value = value
        let count = numbers.count + texts.count
        // The lengths of the texts, or that they are missing, stand behind the numbers, the bytes come then.
        //
        // Safety: as above.
        unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { words in
            for index in 0..<count {
                let number =
                    index < numbers.count
                    ? numbers[index] : Int64(texts[index - numbers.count]?.count ?? -1)
                unsafe words.initializeElement(at: index, to: number.littleEndian)
            }
            unsafe add(UnsafeRawBufferPointer(words))
        }
        for index in texts.indices {
            unsafe texts[index]?.withUnsafeBytes { unsafe add($0) }
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
