internal import CLinux
internal import Glibc

/// A ring of io_uring(7), for sends: made and used by one loop's thread, given back with it.
@safe final class SendRing {
    /// The number of sends that one system call makes.
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
