internal import Sockets

/// A connection's socket, which its loop watches.
struct WatchedSocket: ~Copyable {
    private(set) var descriptor: Descriptor
    private var registration = Registration.none

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Has the loop watch the socket.
    mutating func register(
        _ interest: Interest, _ handler: any ReadinessHandler, on loop: isolated EventLoop
    ) throws(SystemError) {
        precondition(registration == .none, "A socket is registered once.")
        registration = try loop.add(descriptor, interest: interest, handler: handler)
    }

    /// Has the loop tell of other events, by a system call.
    mutating func watch(_ interest: Interest, on loop: isolated EventLoop) {
        loop.modify(registration, interest: interest)
    }

    /// Gives the descriptor up to another owner, with the bytes that its loop has received already.
    mutating func detach(
        addingReceivedTo bytes: inout [UInt8], on loop: isolated EventLoop
    ) -> Descriptor {
        bytes += loop.input.takeReceivedAhead(for: registration)
        loop.remove(registration)
        registration = .none
        return descriptor.take()
    }

    mutating func close(on loop: isolated EventLoop) {
        loop.remove(registration, closing: descriptor.take())
        registration = .none
    }
}
