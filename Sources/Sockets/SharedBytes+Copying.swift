extension SharedBytes {
    /// Copies bytes into an allocation of exactly their size.
    public init(copying span: Span<UInt8>) {
        self.init(unsafe span.withUnsafeBufferPointer { unsafe [UInt8]($0) })
    }

    /// Appends to bytes that have one holder.
    mutating func append(copying more: Span<UInt8>) {
        var bytes = bytes
        self = SharedBytes(countedByHolder: [])
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        self = SharedBytes(countedByHolder: bytes)
    }
}
