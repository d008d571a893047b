internal import Glibc

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
