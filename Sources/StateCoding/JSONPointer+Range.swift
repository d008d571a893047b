extension JSONPointer {
    /// Where the value that this pointer names lies inside `document`, an encoded JSON text; nil
    /// when there is none.
    ///
    /// Linear in the document. The document is trusted to be JSON; if it is not, the answer is
    /// nil or the range of what looks like the value, never a trap.
    public func range(in document: Span<UInt8>) -> Range<Int>? { nil }
}
