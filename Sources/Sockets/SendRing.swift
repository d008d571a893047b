internal import CLinux
internal import Glibc

/// A ring of io_uring(7), for sends: made and used by one loop's thread, given back with it.
@safe final class SendRing {
    /// How many sends one system call makes.
    static let capacity = 256

    // Safety: made in `init`, given back in `deinit`, and reached by nobody else.
    private let ring: OpaquePointer

    /// Throws where the kernel has none, or allows none: ENOSYS, EINVAL, EPERM, ENOMEM.
    init(_ system: SystemCalls) throws(SystemError) {
        var made: OpaquePointer?
        try system.check(.sendRing) {
            unsafe made = clinux_send_ring_open(UInt32(Self.capacity))
            return unsafe made == nil ? -1 : 0
        }
        guard let made = unsafe made else { throw SystemError(.sendRing, .outOfMemory) }
        unsafe ring = made
    }

    deinit {
        unsafe clinux_send_ring_close(ring)
    }

    /// Makes these sends, at most `capacity`, by one call; 0, or minus the number of its error.
    /// The kernel keeps nothing of them after the call.
    func send(
        _ sends: UnsafeBufferPointer<clinux_send>, results: UnsafeMutableBufferPointer<Int32>,
        _ system: SystemCalls
    ) -> Int {
        system.perform(.sendTogether) { _ in
            Int(
                unsafe clinux_send_ring_send(
                    ring, sends.baseAddress, UInt32(sends.count), results.baseAddress))
        }
    }
}

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
