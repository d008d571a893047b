internal import Sockets

extension WriteQueue {
    /// Queues the rest of bytes that were sent, as far as there was room, while nothing else
    /// waited.
    mutating func appendRest(of bytes: Span<UInt8>, after result: IOResult) -> FlushResult {
        precondition(isEmpty, "Bytes are sent past a queue only where nothing waits in it.")
        var count = 0
        switch result {
        case .bytes(let sent): count = sent
        case .wouldBlock, .closed: break
        case .failed(let code): return .failed(code)
        }
        guard count < bytes.count else { return .drained }
        append(copying: bytes.extracting(count...))
        return .blocked
    }
}
