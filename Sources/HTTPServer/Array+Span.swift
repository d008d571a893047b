extension [UInt8] {
    /// A copy of the bytes.
    init(copying bytes: Span<UInt8>) {
        self = []
        append(copying: bytes)
    }

    /// Appends a copy of the bytes.
    @inline(__always)
    mutating func append(copying bytes: Span<UInt8>) {
        append(addingCapacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }
}
