/// The result of a flush or a send.
package enum FlushResult: Sendable, Hashable {
    /// Everything is sent; nothing is waiting.
    case drained
    /// The socket has no room for the rest: add `Interest.write`, flush again when writable.
    case blocked
    /// The connection is lost; what was waiting is still in the queue.
    case failed(Errno)
}
