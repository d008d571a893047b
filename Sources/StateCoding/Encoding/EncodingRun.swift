/// One run of an encoder over the caller's bytes.
enum EncodingRun {
    /// Lets `body` write to a document that appends to `output`; puts the bytes back if it throws.
    static func append(
        to output: inout [UInt8], maximumDepth: Int, memory: EncodingMemory? = nil,
        body: (DocumentEncoder) throws -> Void
    ) throws(EncodingFailure) {
        memory?.begin()
        let start = output.count
        let known = TypeTable.known
        var document = DocumentEncoder(
            writer: JSONWriter(appendingTo: take(&output)), types: known,
            maximumDepth: maximumDepth, nesting: 0, defersNested: false, memory: memory,
            writers: WriterPool())
        defer { document.writers = nil }
        do {
            do {
                try body(document)
                output = try document.finish()
                precondition(output.count > start, "A document that is whole has a value.")
            } catch  where document.isInterleaved || error is InterleavedWriting {
                var bytes = take(&document.writer.bytes)
                bytes.removeSubrange(start...)
                document.writers = nil
                document = DocumentEncoder(
                    writer: JSONWriter(appendingTo: bytes), types: known,
                    maximumDepth: maximumDepth, nesting: 0, defersNested: true)
                try body(document)
                output = try document.finish()
            }
        } catch {
            memory?.end(nil)
            let failure = document.failure ?? translate(error, at: document.pointer)
            output = take(&document.writer.bytes)
            output.removeSubrange(start...)
            throw failure
        }
        memory?.end(document.isWrittenStraight ? output : nil)
    }

    /// The array, leaving an empty one, so that its storage has one owner.
    private static func take(_ bytes: inout [UInt8]) -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    private static func translate(_ error: any Error, at pointer: JSONPointer) -> EncodingFailure {
        if let failure = error as? EncodingFailure { return failure }
        return EncodingFailure(
            reason: .refused, pointer: pointer, detail: "A type refused to be encoded: \(error)")
    }
}

/// Signals that a document must be encoded again with nested containers deferred.
struct InterleavedWriting: Error {}
