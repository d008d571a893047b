package import Sockets

/// Why the server ends a stream.
package enum StreamEnd: Sendable, Hashable {
    /// It has reached the age it was started with.
    case age
    /// The server is shutting down.
    case draining
}

/// Feeds one stream; told on the loop what becomes of it.
package protocol StreamSource: AnyObject {
    /// All that was sent is in the kernel's hands: there is room for more.
    ///
    /// Called once when all is sent, after something had to wait, or after frames were skipped that
    /// the source has offered.
    func streamDrained(on loop: isolated EventLoop)

    /// The stream is over and nothing can be sent any more: the client has gone, was too slow, or
    /// `finish` has been carried out. Called exactly once.
    func streamClosed(on loop: isolated EventLoop)

    /// The server finishes the stream as soon as this returns; what is sent in here still goes
    /// out first.
    func streamEnding(_ end: StreamEnd, on loop: isolated EventLoop)
}

extension StreamSource {
    /// Says nothing more.
    package func streamEnding(_ end: StreamEnd, on loop: isolated EventLoop) {}
}
