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

    /// Makes these sends, at most `capacity`, by one call; 0, or minus the number of its error.
    /// The kernel keeps nothing of them after the call.
    func send(
        _ sends: UnsafeBufferPointer<clinux_transfer>,
        results: UnsafeMutableBufferPointer<Int32>, _ system: SystemCalls
    ) -> Int {
        unsafe make(sends, by: clinux_ring_send, .sendTogether, results: results, system)
    }

    /// As `send`, for receives.
    func receive(
        _ receives: UnsafeBufferPointer<clinux_transfer>,
        results: UnsafeMutableBufferPointer<Int32>, _ system: SystemCalls
    ) -> Int {
        unsafe make(receives, by: clinux_ring_receive, .receiveTogether, results: results, system)
    }

    @inline(__always)
    private func make(
        _ transfers: UnsafeBufferPointer<clinux_transfer>, by make: Make, _ call: SystemCall,
        results: UnsafeMutableBufferPointer<Int32>, _ system: SystemCalls
    ) -> Int {
        system.perform(call) { _ in
            let count = UInt32(transfers.count)
            return Int(unsafe make(ring, transfers.baseAddress, count, results.baseAddress))
        }
    }

    private typealias Make = (
        OpaquePointer?, UnsafePointer<clinux_transfer>?, UInt32, UnsafeMutablePointer<Int32>?
    ) -> Int32
}
