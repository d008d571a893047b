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

    init(
        _ descriptor: consuming Descriptor, from address: IPAddress,
        _ rest: (bytes: [UInt8], assembler: RequestAssembler?), _ machine: ConnectionMachine
    ) {
        self.descriptor = Mutex(descriptor)
        self.address = address
        bytes = rest.bytes
        assembler = rest.assembler
        hasEnded = machine.hasEnded
        expiry = machine.expiry
    }

    /// Takes the descriptor, once.
    func takeDescriptor() -> Descriptor {
        descriptor.withLock { $0.take() }
    }
}
