/// The memory that a loop's handlers receive into, one after the other.
@safe package final class LoopInput {
    /// The most bytes that one receive takes.
    static let byteCount = 64 * 1024

    /// What was received together before the handlers run.
    let batch = ReceiveBatch()
    /// From this many on, sockets that are readable in one turn are received from by one system
    /// call, where the kernel has io_uring(7); nil for never.
    package var leastBatchCount: Int?
    private let scratch = OwnedBuffer<UInt8>(capacity: byteCount)
    /// The bytes in `scratch`; nil where the last receive was one of the batch.
    private var scratchCount: Int?
    private var isLent = false

    /// Receives once, or takes what was received before.
    @inline(__always)
    func receive(from descriptor: borrowing Descriptor, _ system: SystemCalls) -> IOResult {
        precondition(!isLent, "What was received is not overwritten while it is lent.")
        guard let result = batch.take(descriptor.rawValue) else {
            return receive(from: descriptor, behind: 0, system)
        }
        if result == .bytes(ReceiveBatch.byteCount) {
            return receiveRest(from: descriptor, system)
        }
        scratchCount = nil
        return result
    }

    /// Receives behind what a full receive of the batch has brought, so that a handler sees the
    /// same bytes at once as without a batch.
    @inline(never)
    private func receiveRest(
        from descriptor: borrowing Descriptor, _ system: SystemCalls
    ) -> IOResult {
        let count = ReceiveBatch.byteCount
        batch.lend { bytes in
            for index in bytes.indices { unsafe scratch.pointer[index] = bytes[index] }
        }
        let rest = receive(from: descriptor, behind: count, system)
        // An end comes again with the next event.
        guard case .bytes(let more) = rest else {
            scratchCount = count
            return .bytes(count)
        }
        scratchCount = count + more
        return .bytes(count + more)
    }

    @inline(__always)
    private func receive(
        from descriptor: borrowing Descriptor, behind count: Int, _ system: SystemCalls
    ) -> IOResult {
        let room = unsafe UnsafeMutableBufferPointer(rebasing: scratch.pointer[count...])
        let result = unsafe system.receive(
            from: descriptor, into: UnsafeMutableRawBufferPointer(room))
        if case .bytes(let more) = result { scratchCount = more }
        return result
    }

    /// Takes bytes that were received for an event which their owner will not have: for the next
    /// owner of the descriptor.
    package func takeReceivedAhead(for registration: Registration) -> [UInt8] {
        batch.takeBytes(of: registration)
    }

    /// Lends the bytes that the last receive has brought.
    @inline(__always)
    func lend(_ body: (Span<UInt8>) -> Void) {
        isLent = true
        if let scratchCount {
            unsafe body(UnsafeBufferPointer(rebasing: scratch.pointer[..<scratchCount]).span)
        } else {
            batch.lend(body)
        }
        isLent = false
    }
}
