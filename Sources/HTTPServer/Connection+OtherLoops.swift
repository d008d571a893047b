internal import HTTPMessages
internal import Sockets
internal import Synchronization

/// Forwarding requests to other loops, and handing the connection over.
extension Connection {
    /// Decides between forwarding and moving: a stream moves, and so does a client that keeps
    /// asking for one other loop. Moving waits until all answers are sent.
    func mustMove(to destination: LoopDestination) -> Bool {
        let index = UInt16(destination.loopIndex)
        forwardCount = index == lastForward ? forwardCount : 0
        lastForward = index
        let moves =
            destination.isStream
            || Int(forwardCount) >= min(server.limits.forwardsBeforeHandover, Int(UInt16.max))
        if moves { move(to: destination) }
        return moves
    }

    /// Has the connection move once all is sent: the next request is read on the other loop.
    func move(to destination: LoopDestination) {
        lastForward = UInt16(destination.loopIndex)
        state.flags.insert(.isLeaving)
    }

    /// Sends a copy of the request to the loop that answers it.
    func forward(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, to target: Int
    ) {
        forwardCount = min(forwardCount, .max - 1) + 1
        let key = forwardKey(to: Int32(target))
        occupant = .forward(target: key.target)
        let request = ForwardedRequest(
            key: key, head: head, message: [UInt8](copying: bytes.extracting(..<body.upperBound)),
            body: body, framing: state.framing, address: address)
        server.shared.mailboxes[target].post { server, loop in
            server.answer(request, on: loop)
        }
    }

    /// Names the present request on another loop.
    func forwardKey(to target: Int32) -> ForwardKey {
        ForwardKey(target: target, origin: Int32(server.index), connection: key, serial: serial)
    }

    /// The forwarded request is held for nothing but its client.
    func forwardEndsWithInput(_ key: ForwardKey, on loop: isolated EventLoop) {
        guard awaitsAnswer(key.serial) else { return }
        state.flags.insert(.endsWithInput)
        if state.isAbandoned, input == nil { close(on: loop) } else { updateInterest(on: loop) }
    }

    /// The answer of a forwarded request has come.
    func takeForwarded(_ answer: ForwardedAnswer, for key: ForwardKey) {
        guard awaitsAnswer(key.serial) else { return }
        queue.append(SharedBytes(answer.head))
        server.markDirty(self)
        switch answer.rest {
        case .nothing: answered()
        case .body(let body):
            queue.append(body)
            answered()
        case .file(let file): occupant = .file(file.takeTransfer())
        }
    }

    /// Moves to the loop that the next request belongs to: the descriptor and the unread bytes.
    func leave(on loop: isolated EventLoop) {
        state.flags.remove([.isLeaving, .isDirty])
        state.phase = .closed
        let handover = Handover(
            descriptor: detach(on: loop), address: address, input: input?.bytes ?? [],
            assembler: input?.assembler, inputEnded: state.flags.contains(.inputEnded),
            expiry: state.expiry)
        input = nil
        server.forget(self, leavesServer: false)
        server.shared.mailboxes[Int(lastForward)].post { server, loop in
            server.take(handover, on: loop)
        }
    }
}

/// A connection between two loops.
final class Handover: Sendable {
    private let descriptor: Mutex<Descriptor>
    let address: IPAddress
    let input: [UInt8]
    let assembler: RequestAssembler?
    let inputEnded: Bool
    let expiry: Instant

    init(
        descriptor: consuming Descriptor, address: IPAddress, input: [UInt8],
        assembler: RequestAssembler?, inputEnded: Bool, expiry: Instant
    ) {
        self.descriptor = Mutex(descriptor)
        self.address = address
        self.input = input
        self.assembler = assembler
        self.inputEnded = inputEnded
        self.expiry = expiry
    }

    /// Takes the descriptor, once.
    func takeDescriptor() -> Descriptor {
        descriptor.withLock { $0.take() }
    }
}

extension ServerLoop {
    /// The other loop that a request must be answered on; nil when it is this one.
    func destination(of head: RequestHead, in bytes: Span<UInt8>) -> LoopDestination? {
        guard shared.mailboxes.count > 1,
            let destination = handler.destination(of: head, in: bytes),
            destination.loopIndex != index
        else { return nil }
        precondition(
            shared.mailboxes.indices.contains(destination.loopIndex),
            "A request was sent to a loop that does not exist.")
        return destination
    }

    /// Answers a request of another loop's connection.
    func answer(_ request: ForwardedRequest, on loop: isolated EventLoop) {
        let remote = RemoteRequest(request, server: self)
        forwards[request.key] = remote
        let exchange = Exchange(
            route: .remote(remote), serial: request.key.serial, isHead: request.framing.isHead)
        handler.handle(
            request.head, in: request.message.span, body: request.body, exchange: exchange,
            on: loop)
        noteHandled(request.head, in: request.message.span, on: loop)
    }

    /// Tells the loop that answers a forwarded request that nobody waits for it any more.
    func cancel(_ key: ForwardKey) {
        shared.mailboxes[Int(key.target)].post { server, loop in
            server.forwards[key]?.cancel(on: loop)
        }
    }

    /// Tells the loop that answers a forwarded request that the server shuts down.
    func drain(_ key: ForwardKey) {
        shared.mailboxes[Int(key.target)].post { server, loop in
            server.forwards[key]?.drain(on: loop)
        }
    }

    /// Takes in a connection from another loop, and reads what came with it.
    func take(_ handover: Handover, on loop: isolated EventLoop) {
        let connection = Connection(
            handover.takeDescriptor(), from: handover.address, server: self, now: now(loop))
        connection.state.expiry = handover.expiry
        if handover.inputEnded { connection.state.flags.insert(.inputEnded) }
        if !handover.input.isEmpty || handover.assembler?.isMidway ?? false {
            let pending = PendingInput(
                assembler: handover.assembler ?? RequestAssembler(bounds: bounds),
                shared.memory, ofLoop: index)
            pending.bytes = handover.input
            pending.count()
            connection.input = pending
        }
        guard admit(connection, on: loop) != nil else { return }
        markDirty(connection)
    }
}
