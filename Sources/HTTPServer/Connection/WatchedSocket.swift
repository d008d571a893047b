internal import Sockets

/// A connection's socket, which its loop watches.
struct WatchedSocket: ~Copyable {
    private(set) var descriptor: Descriptor
    private var registration: Registration?
    private var registeredInterest: Interest = []

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Has the loop watch the socket.
    mutating func register(
        _ interest: Interest, _ handler: any ReadinessHandler, on loop: isolated EventLoop
    ) throws(SystemError) {
        precondition(registration == nil, "A socket is registered once.")
        registeredInterest = interest
        registration = try loop.add(descriptor, interest: interest, handler: handler)
    }

    /// Has the loop tell what is to be told now; a system call only where that has changed.
    mutating func update(_ interest: Interest, on loop: isolated EventLoop) {
        guard interest != registeredInterest, let registration else { return }
        registeredInterest = interest
        loop.modify(registration, interest: interest)
    }

    /// Gives the descriptor up to another owner.
    mutating func detach(on loop: isolated EventLoop) -> Descriptor {
        if let registration { loop.remove(registration) }
        registration = nil
        return descriptor.take()
    }

    mutating func close(on loop: isolated EventLoop) {
        if let registration {
            loop.remove(registration, closing: descriptor.take())
        } else {
            descriptor.close()
        }
        registration = nil
    }
}
