internal import Sockets

/// Bytes of requests that are not handed out yet, and how far they are understood; counted into the
/// memory budget for as long as they are kept.
final class PendingInput {
    /// From the first byte of the oldest request that is not handed out.
    var bytes: [UInt8] = []
    var assembler: RequestAssembler
    private let memory: MemoryBudget
    private let loopIndex: Int
    private var countedByteCount = 0

    init(assembler: RequestAssembler, _ memory: MemoryBudget, ofLoop loopIndex: Int) {
        self.assembler = assembler
        self.memory = memory
        self.loopIndex = loopIndex
    }

    deinit {
        memory.add(.input, of: loopIndex, -countedByteCount)
    }

    /// How many bytes are kept.
    var byteCount: Int { bytes.count + assembler.messageByteCount }

    /// Counts what is kept now.
    func count() {
        memory.add(.input, of: loopIndex, byteCount - countedByteCount)
        countedByteCount = byteCount
    }
}
