/// Bytes of requests that are not handed out yet, and how far they are understood.
final class PendingInput {
    /// From the first byte of the oldest request that is not handed out.
    var bytes: [UInt8] = []
    var assembler: RequestAssembler

    init(assembler: RequestAssembler) {
        self.assembler = assembler
    }
}
