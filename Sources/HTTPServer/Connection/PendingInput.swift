internal import Sockets

/// Bytes of requests that are not handed out yet, and how far they are understood; counted into the
/// memory budget for as long as they are kept.
final class PendingInput {
    /// The bytes from the first one of the oldest request that is not handed out.
    private(set) var bytes: [UInt8] = []
    var assembler: RequestAssembler
    private let memory: MemoryBudget
    private let loopIndex: Int
    private var countedByteCount = 0

    init(_ assembler: RequestAssembler, _ memory: MemoryBudget, ofLoop loopIndex: Int) {
        self.assembler = assembler
        self.memory = memory
        self.loopIndex = loopIndex
    }

    deinit {
        memory.add(.input, of: loopIndex, -countedByteCount)
    }

    /// The count of bytes that are kept, here and by the assembler.
    var byteCount: Int { bytes.count + assembler.messageByteCount }

    /// The oldest request is HEAD, as far as can be told.
    var isHead: Bool {
        let bytes = bytes
        return assembler.isHead(bytes.span)
    }

    /// The head of the oldest request, as far as it has come, and perhaps more.
    var head: [UInt8] { assembler.keptHead ?? bytes }

    func append(_ more: Span<UInt8>) {
        bytes.append(copying: more)
        count()
    }

    /// Forgets bytes that are handed out.
    func removeFirst(_ count: Int) {
        precondition(count <= bytes.count, "No more is handed out than has come.")
        if count > 0 { bytes.removeFirst(count) }
        self.count()
    }

    private func count() {
        memory.add(.input, of: loopIndex, byteCount - countedByteCount)
        countedByteCount = byteCount
    }
}
