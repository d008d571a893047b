extension [UInt8] {
    /// Appends bytes at once.
    @inline(__always)
    mutating func append(copying span: Span<UInt8>) {
        append(addingCapacity: span.count) { $0.append(copying: span) }
    }

    /// Appends the bytes of a text at once.
    @inline(__always)
    mutating func append(copying text: String) {
        append(copying: text.utf8.span)
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes; there is room for them.
    @inline(__always)
    mutating func append(copying span: Span<UInt8>) {
        for index in span.indices { append(span[index]) }
    }
}
