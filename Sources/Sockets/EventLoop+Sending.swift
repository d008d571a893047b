internal import Glibc

extension EventLoop {
    /// Makes the sends of a batch by one system call; `batch` then knows what each came to.
    ///
    /// Nothing is sent where the kernel has no ring, or does not allow it: `sendRingFailure` then
    /// says why, and it is not tried again. When the kernel is short of memory, some or all are
    /// not sent.
    package func send(_ batch: inout SendBatch) {
        guard sendRingFailure == nil, batch.count > 0 else { return }
        do throws(SystemError) {
            let failure = batch.send(through: try openSendRing(), system)
            switch -failure {
            case 0: batchedSendCount += batch.count
            case Int(EAGAIN), Int(EBUSY), Int(ENOMEM): break
            default: throw SystemError(.sendTogether, Errno(rawValue: Int32(-failure)))
            }
        } catch {
            sendRing = nil
            sendRingFailure = error
        }
    }

    private func openSendRing() throws(SystemError) -> SendRing {
        if let sendRing { return sendRing }
        let ring = try SendRing(system)
        sendRing = ring
        return ring
    }
}
