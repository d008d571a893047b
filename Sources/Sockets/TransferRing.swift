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

    /// Receives once, up to 64 KiB, into memory that all connections of the loop share; `lend`
    /// then shows what came.
    ///
    /// A handler that receives here does so in each of its events with `.read`: what came may
    /// have been received together with others' before.
    @inline(__always)
    package func receive(from descriptor: borrowing Descriptor) -> IOResult {
        let result = input.receive(from: descriptor, system)
        guard case .bytes(let count) = result, input.leastBatchCount != nil,
            let slot = slot(of: delivered), slot.number == descriptor.rawValue
        else { return result }
        // A socket that has given little is received from ahead of its next event.
        let isSmall = count < ReceiveBatch.byteCount
        if slot.isReceivedAhead != isSmall { slots[Int(delivered.slot)].isReceivedAhead = isSmall }
        return result
    }

    /// Receives as above, and lends what came to `body`, which is called only for `.bytes`.
    package func receive(
        from descriptor: borrowing Descriptor, _ body: (Span<UInt8>) -> Void
    ) -> IOResult {
        let result = receive(from: descriptor)
        if case .bytes = result { input.lend(body) }
        return result
    }

    /// Reads in one call from those sockets with an event whose data the loop reads before it tells
    /// them, where they are enough for that.
    func receiveAhead(_ events: Range<Int>) {
        let batch = input.batch
        batch.removeAll()
        guard let least = input.leastBatchCount, events.count >= least, ring.failure == nil else {
            return
        }
        for position in events {
            let (readiness, owner) = event(at: position)
            guard readiness.contains(.read), readiness.isDisjoint(with: .over),
                let slot = slot(of: owner), slot.isReceivedAhead
            else { continue }
            batch.add(slot.number, of: owner)
        }
        guard batch.count >= max(least, 1) else { return batch.removeAll() }
        let areMade = ring.use(for: .receiveTogether, system) { batch.receive(through: $0, system) }
        if areMade { batchedReceiveCount += batch.count }
    }
}
