internal import HTTPMessages
internal import Sockets

/// One client's connection on one loop: the shell that carries out what `ConnectionState` and
/// `RequestAssembler` decide.
///
/// Idle, it owns no buffer. Requests are read from the loop's scratch and answered into the
/// loop's output; only what is incomplete or finds no room is kept here.
///
/// - Reading: bytes in, requests out (`Connection+Reading.swift`).
/// - Answering: one answer for the request that is out (`Connection+Answering.swift`).
/// - Writing: the queue and what follows when it is empty (`Connection+Writing.swift`).
/// - Streaming: an answer without end (`Connection+Streaming.swift`), compressed where that was
///   asked for (`StreamCoding.swift`).
/// - Other loops: forwarding and handing over (`Connection+OtherLoops.swift`).
/// - Ending: lingering, draining, deadlines (`Connection+Ending.swift`).
final class Connection: ReadinessHandler {
    let server: ServerLoop
    let address: IPAddress
    var key = ConnectionKey.none
    var descriptor: Descriptor
    private var registration: Registration?
    private var registeredInterest: Interest = []
    var state: ConnectionState
    /// What has come of requests that are not handed out yet; nil when there is nothing.
    var input: PendingInput?
    var queue = WriteQueue()
    var occupant = Occupant.none
    /// Counts the requests, so that an answer finds the one it is for.
    var serial: UInt64 = 0
    /// How many requests in a row went to `lastForward`, the index of another loop.
    var forwardCount: UInt16 = 0
    var lastForward: UInt16 = 0

    init(
        _ descriptor: consuming Descriptor, from address: IPAddress, server: ServerLoop,
        now: Instant
    ) {
        self.descriptor = descriptor
        self.address = address
        self.server = server
        state = ConnectionState(now: now)
    }

    /// Has the loop watch it.
    func register(on loop: isolated EventLoop) throws(SystemError) {
        registeredInterest = state.interest
        registration = try loop.add(descriptor, interest: registeredInterest, handler: self)
    }

    /// Has the loop tell what is to be told now; a system call only when that has changed.
    func updateInterest(on loop: isolated EventLoop) {
        let interest = state.interest
        guard interest != registeredInterest, let registration else { return }
        registeredInterest = interest
        loop.modify(registration, interest: interest)
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        if !events.isDisjoint(with: [.failed, .hangUp]) { return close(on: loop) }
        if events.contains(.readable) {
            receive(on: loop)
        } else if events.contains(.peerClosed) {
            // A stream has nobody left to read it; before a held answer others may still be sent.
            if state.phase == .streaming { return close(on: loop) }
            inputEnded(on: loop)
        }
        if events.contains(.writable), state.phase != .closed { resume(on: loop) }
    }

    // MARK: The end of the descriptor

    /// Gives the descriptor up to another owner.
    func detach(on loop: isolated EventLoop) -> Descriptor {
        if let registration { loop.remove(registration) }
        registration = nil
        return descriptor.take()
    }

    /// Closes the descriptor.
    func closeDescriptor(on loop: isolated EventLoop) {
        if let registration {
            loop.remove(registration, closing: descriptor.take())
        } else {
            descriptor.close()
        }
        registration = nil
    }
}
