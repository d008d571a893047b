internal import Sockets
internal import Synchronization

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

/// A connection between two loops: its socket, and the bytes that are not handed out yet.
final class Handover: Sendable {
    private let descriptor: Mutex<Descriptor>
    let address: IPAddress
    let bytes: [UInt8]
    let assembler: RequestAssembler?
    let hasEnded: Bool
    let expiry: Instant

    /// Takes the socket from its loop, with the bytes that the loop has received for it.
    init(
        _ socket: inout WatchedSocket, from address: IPAddress,
        _ rest: (bytes: [UInt8], assembler: RequestAssembler?), _ machine: ConnectionMachine,
        on loop: isolated EventLoop
    ) {
        var bytes = rest.bytes
        descriptor = Mutex(socket.detach(addingReceivedTo: &bytes, on: loop))
        self.bytes = bytes
        self.address = address
        assembler = rest.assembler
        hasEnded = machine.hasEnded
        expiry = machine.expiry
    }

    /// Takes the descriptor, once.
    func takeDescriptor() -> Descriptor {
        descriptor.withLock { $0.take() }
    }
}
