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
}
