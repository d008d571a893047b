/// One run of an encoder over the caller's bytes.
enum EncodingRun {
    /// Lets `body` write to a core that appends to `output`; puts the bytes back if it throws.
    static func append(
        to output: inout [UInt8], maximumDepth: Int, memory: EncodingMemory? = nil,
        body: (EncodingCore) throws -> Void
    ) throws(EncodingFailure) {
        memory?.begin()
        let start = output.count
        let known = TypeTable.known
        var core = EncodingCore(
            writer: JSONWriter(appendingTo: take(&output)), types: known,
            maximumDepth: maximumDepth, nesting: 0, defersNested: false, memory: memory)
        do {
            do {
                try body(core)
                output = try core.finish()
            } catch  where core.isInterleaved || error is InterleavedWriting {
                var bytes = take(&core.writer.bytes)
                bytes.removeSubrange(start...)
                core = EncodingCore(
                    writer: JSONWriter(appendingTo: bytes), types: known,
                    maximumDepth: maximumDepth, nesting: 0, defersNested: true)
                try body(core)
                output = try core.finish()
            }
        } catch {
            memory?.end(nil)
            let failure = core.failure ?? translate(error, at: core.pointer)
            output = take(&core.writer.bytes)
            output.removeSubrange(start...)
            throw failure
        }
        memory?.end(core.isWrittenStraight ? output : nil)
        if core.types.count > known.count { core.types.publish() }
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
