package import Sockets

extension MemoryBudget {
    /// The budget that the limits of a server give its loops.
    package convenience init(_ limits: HTTPLimits, loopCount: Int) {
        self.init(
            limit: limits.memoryByteCount ?? MachineMemory.byteCount / 2, loopCount: loopCount)
    }
}
