internal import CLinux
internal import Glibc

/// A ring of io_uring(7), for sends and receives: made and used by one loop's thread, given back
/// with it.
@safe final class TransferRing {
    /// The number of transfers that one system call makes.
    static let capacity = 256

    // Safety: made in `init`, given back in `deinit`, and reached by nobody else.
    private let ring: OpaquePointer

    /// Throws where the kernel has none, or allows none: ENOSYS, EINVAL, EPERM, ENOMEM.
    init(_ system: SystemCalls) throws(SystemError) {
        var made: OpaquePointer?
        try system.check(.makeRing) {
            unsafe made = clinux_ring_open(UInt32(Self.capacity))
            return unsafe made == nil ? -1 : 0
        }
        guard let made = unsafe made else { throw SystemError(.makeRing, .outOfMemory) }
        unsafe ring = made
    }

    deinit {
        unsafe clinux_ring_close(ring)
    }

    /// Makes these sends or receives, at most `capacity`, by one call; 0, or minus the number of its
    /// error. The kernel keeps nothing of them after the call.
    func make(
        _ call: SystemCall, _ transfers: UnsafeMutableBufferPointer<clinux_transfer>,
        results: UnsafeMutableBufferPointer<Int32>, _ system: SystemCalls
    ) -> Int {
        let isSend = call == .sendTogether
        let failures = unsafe system.takeFaults(of: transfers, isSend ? .send : .receive)
        let result = system.perform(call) { _ in
            let make = unsafe isSend ? clinux_ring_send : clinux_ring_receive
            let count = UInt32(transfers.count)
            return Int(unsafe make(ring, transfers.baseAddress, count, results.baseAddress))
        }
        for (position, failure) in failures {
            unsafe transfers[position].descriptor = failure.number
            unsafe results[position] = failure.result
        }
        return result
    }
}

/// A loop's ring of io_uring(7), made when it is first used. It is one for sends and receives:
/// where either fails for good, both are made one by one.
package final class LoopRing {
    private var ring: TransferRing?
    /// Why there is none, once that has been found out.
    package private(set) var failure: SystemError?
    /// Called once, when there turns out to be none.
    package var onFailure: ((SystemError) -> Void)?

    /// Makes transfers through the ring; `make` answers 0, or minus the number of an error.
    ///
    /// Nothing is made where the kernel has no ring, or does not allow it: `failure` then says why,
    /// and it is not tried again. When the kernel is short of memory, some or all are not made.
    /// Answers whether all were.
    func use(
        for call: SystemCall, _ system: SystemCalls, _ make: (TransferRing) -> Int
    ) -> Bool {
        guard failure == nil else { return false }
        do throws(SystemError) {
            let result = make(try open(system))
            switch -result {
            case 0: return true
            case Int(EAGAIN), Int(EBUSY), Int(ENOMEM): return false
            default: throw SystemError(call, Errno(rawValue: Int32(-result)))
            }
        } catch {
            close()
            failure = error
            onFailure?(error)
            return false
        }
    }

    /// Gives the ring back.
    func close() {
        ring = nil
    }

    private func open(_ system: SystemCalls) throws(SystemError) -> TransferRing {
        if let ring { return ring }
        let made = try TransferRing(system)
        ring = made
        return made
    }
}

extension EventLoop {
    /// Makes the sends of a batch by one system call, as `LoopRing` says; `batch` then knows what
    /// each came to.
    package func send(_ batch: inout SendBatch) {
        guard batch.count > 0 else { return }
        let areMade = ring.use(for: .sendTogether, system) { batch.send(through: $0, system) }
        if areMade { batchedSendCount += batch.count }
    }
}
