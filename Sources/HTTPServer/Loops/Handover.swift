internal import Sockets
internal import Synchronization

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
