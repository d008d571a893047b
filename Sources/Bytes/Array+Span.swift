extension [UInt8] {
    /// Copies bytes.
    @inlinable
    @inline(__always)
    package init(copying span: Span<UInt8>) {
        self = []
        append(copying: span)
    }

    /// Appends bytes at once.
    @inlinable
    @inline(__always)
    package mutating func append(copying span: Span<UInt8>) {
        append(addingCapacity: span.count) { $0.append(copying: span) }
    }

    /// Appends the bytes of a text at once.
    @inlinable
    @inline(__always)
    package mutating func append(copying text: String) {
        append(copying: text.utf8.span)
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes; there is room for them.
    ///
    /// The loop becomes moves of many bytes at a time, as fast as a call of `memcpy` from 2 KB on
    /// and faster below.
    @inlinable
    @inline(__always)
    package mutating func append(copying span: Span<UInt8>) {
        for index in span.indices { append(span[index]) }
    }
}
