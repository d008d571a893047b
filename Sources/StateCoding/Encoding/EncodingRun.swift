/// One run of an encoder over the caller's bytes.
enum EncodingRun {
    /// Lets `body` write to a document that appends to `output`; puts the bytes back if it throws.
    static func append(
        to output: inout [UInt8], maximumDepth: Int, memory: EncodingMemory? = nil,
        body: (DocumentEncoder) throws -> Void
    ) throws(EncodingFailure) {
        let start = output.count
        let document = open(JSONWriter(appendingTo: take(&output)), maximumDepth, memory)
        do {
            try write(to: document, into: &output, body)
        } catch {
            document.writers?.close()
            let isInterleaved = document.isInterleaved || error is InterleavedWriting
            let failure = isInterleaved ? nil : translate(error, in: document)
            output = document.detachBytes()
            output.removeSubrange(start...)
            if let failure { throw failure }
            return try appendDeferred(to: &output, maximumDepth, body)
        }
        precondition(output.count > start, "A document that is whole has a value.")
        document.writers?.close()
        if document.isWrittenStraight { memory?.end(document, output) }
    }

    private static func open(
        _ writer: consuming JSONWriter, _ maximumDepth: Int, _ memory: EncodingMemory?
    ) -> DocumentEncoder {
        if let memory { return memory.begin(writer, maximumDepth: maximumDepth) }
        return DocumentEncoder(writer: writer, maximumDepth: maximumDepth, writers: WriterPool())
    }

    private static func write(
        to document: DocumentEncoder, into output: inout [UInt8],
        _ body: (DocumentEncoder) throws -> Void
    ) throws {
        try body(document)
        output = try document.finish()
    }

    /// The same, where nested containers are filled in turn.
    private static func appendDeferred(
        to output: inout [UInt8], _ maximumDepth: Int, _ body: (DocumentEncoder) throws -> Void
    ) throws(EncodingFailure) {
        let start = output.count
        let document = DocumentEncoder(
            writer: JSONWriter(appendingTo: take(&output)), maximumDepth: maximumDepth,
            defersNested: true)
        do {
            try write(to: document, into: &output, body)
        } catch {
            let failure = translate(error, in: document)
            output = document.detachBytes()
            output.removeSubrange(start...)
            throw failure
        }
    }

    /// The array, leaving an empty one, so that its storage has one owner.
    private static func take(_ bytes: inout [UInt8]) -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    private static func translate(
        _ error: any Error, in document: DocumentEncoder
    ) -> EncodingFailure {
        if let failure = document.failure ?? error as? EncodingFailure { return failure }
        return EncodingFailure(
            reason: .refused, pointer: document.pointer,
            detail: "A type refused to be encoded: \(error)")
    }
}

/// Signals that a document must be encoded again with nested containers deferred.
struct InterleavedWriting: Error {}
