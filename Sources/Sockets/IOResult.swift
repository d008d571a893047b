internal import CLinux
internal import Glibc

/// The result of a system call that moves bytes. Would-block is a value, not an error.
package enum IOResult: Sendable, Hashable {
    /// This many bytes were moved: at least one, perhaps fewer than asked for.
    case bytes(Int)
    /// Nothing to read, or no room to write, for now: wait for readiness.
    case wouldBlock
    /// The peer has ended its side in order; only a receiving call says so.
    case closed
    /// The connection or the file is lost.
    case failed(Errno)

    /// What one call among many came to; nil when it was not made, so that a call of its own says
    /// more: the kernel needs memory for each of many. 0 means the end where `endsAtZero`.
    @inline(__always)
    init?(ofTransfer result: Int32, endsAtZero: Bool) {
        switch result {
        case clinux_not_made, -EINTR, -ENOMEM, -ENOBUFS: return nil
        case -EBADF, -EFAULT, -ENOTSOCK:
            preconditionFailure("A batch was given what is no open socket.")
        default: self.init(Int(result), endsAtZero: endsAtZero)
        }
    }

    /// What a call that answers minus the number of its error came to.
    @inline(__always)
    init(_ result: Int, endsAtZero: Bool) {
        switch result {
        case -Int(EAGAIN): self = .wouldBlock
        case 0 where endsAtZero: self = .closed
        case 0...: self = .bytes(result)
        default: self = .failed(Errno(rawValue: Int32(-result)))
        }
    }
}
