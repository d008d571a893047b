/// A fault that a system call has instead of, or besides, its ordinary work.
package enum Fault: Sendable, Hashable {
    /// The call is not made and fails with this number. `Errno.interrupted` is retried, as ever.
    case failure(Errno)
    /// The call is made for at most this many bytes, at least 1: a short read or write.
    case short(Int)
}
