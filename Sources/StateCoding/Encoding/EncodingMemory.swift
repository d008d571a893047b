/// The last encoding of a state: the next one of the same state copies the arrays that still have
/// the same storage instead of asking their elements again.
///
/// An array that nobody has changed shares its storage with the copy kept here, which is found
/// out without looking at its elements. Supposes that a value's encoding depends on the value
/// alone.
///
///     state {"counter":7,"items":[…1 KB…]} → {"counter":8,"items":[…]}: only the counter is encoded
@usableFromInline
package final class EncodingMemory {
    /// The encoder of the last time, which has the arrays; none where that failed.
    private var document: DocumentEncoder?

    /// Nothing was encoded yet.
    package init() {}

    /// The encoder of one more document: that of the last time, unless a container or a type still has it.
    func begin(_ writer: JSONWriter, maximumDepth: Int) -> DocumentEncoder {
        var last: DocumentEncoder?
        swap(&last, &document)
        if isKnownUniquelyReferenced(&last), let last, last.maximumDepth == maximumDepth,
            last.isAsNew
        {
            last.begin(writer)
            return last
        }
        var arrays = last?.arrays ?? EncodedArrays()
        arrays.begin()
        return DocumentEncoder(
            writer: writer, maximumDepth: maximumDepth, arrays: arrays, writers: WriterPool())
    }

    /// The document has ended with these bytes; one that ends otherwise is forgotten.
    func end(_ document: consuming DocumentEncoder, _ result: [UInt8]) {
        document.changeArrays { $0.end(result) }
        self.document = document
    }
}
