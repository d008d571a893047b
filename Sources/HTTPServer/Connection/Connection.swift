internal import HTTPMessages
internal import Sockets

/// One client's connection on one loop: the shell that carries out the steps of its
/// `ConnectionMachine`.
///
/// Idle, it owns no buffer. Requests are read from the loop's scratch and answered into the
/// buffer of the loop's `TurnOutput`; only what is incomplete or finds no room is kept here.
final class Connection: ReadinessHandler {
    let context: LoopContext
    let address: IPAddress
    private(set) var key = ConnectionKey.none
    private(set) var socket: WatchedSocket
    private var intake: RequestIntake
    var exchanges: Exchanges

    init(
        _ descriptor: consuming Descriptor, from address: IPAddress, _ machine: ConnectionMachine,
        _ intake: RequestIntake = RequestIntake(), in context: LoopContext
    ) {
        socket = WatchedSocket(descriptor)
        self.address = address
        self.intake = intake
        self.context = context
        exchanges = Exchanges(machine)
    }

    /// Has the loop watch the connection, which its table knows by this key.
    func register(as key: ConnectionKey, on loop: isolated EventLoop) throws(SystemError) {
        self.key = key
        try socket.register(exchanges.machine.takeInterest() ?? [], self, on: loop)
        if !intake.isEmpty { exchanges.requestsWait(key, context.output) }
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        if !events.isDisjoint(with: [.failed, .hangUp]) { return close(on: loop) }
        if events.contains(.readable) {
            receive(on: loop)
        } else if events.contains(.peerClosed) {
            perform(exchanges.machine.peerEnded(), on: loop)
        }
        guard events.contains(.writable) else { return }
        exchanges.machine.roomCame()
        proceed(on: loop)
    }

    // MARK: Steps

    /// Carries out the machine's steps, until there is nothing to do but wait.
    func proceed(on loop: isolated EventLoop) {
        proceed(with: exchanges.next(to: socket.descriptor, in: context, on: loop), on: loop)
    }

    private func proceed(
        with first: (step: ConnectionStep, interest: Interest?), on loop: isolated EventLoop
    ) {
        var next = first
        while next.step != .wait {
            perform(next.step, on: loop)
            if next.step.endsRun { return }
            next = exchanges.next(to: socket.descriptor, in: context, on: loop)
        }
        if let interest = next.interest { socket.watch(interest, on: loop) }
    }

    /// Carries out one step.
    private func perform(_ step: ConnectionStep, on loop: isolated EventLoop) {
        switch step {
        case .wait:
            if let interest = exchanges.machine.takeInterest() { socket.watch(interest, on: loop) }
        case .close: close(on: loop)
        case .leave(let index): leave(for: index, on: loop)
        case .linger: linger(on: loop)
        case .encode: exchanges.encode(through: context.output)
        case .flush: preconditionFailure("The exchanges do this step themselves.")
        case .sendFile: exchanges.sendFile(to: socket.descriptor, key, in: context, on: loop)
        case .handOut:
            handOut(Span(), on: loop)
            _ = sendBuffer(on: loop)
        case .postpone: context.output.postpone(key, on: loop)
        case .tellDrained: exchanges.awaited.stream?.source.streamDrained(on: loop)
        case .tellClosed: exchanges.takeAwaited().closed(on: loop)
        case .tellDraining:
            exchanges.awaited.draining(on: loop)
            if let forwardKey { context.drain(forwardKey) }
        case .endStream(let end):
            exchanges.awaited.stream?.source.streamEnding(end, on: loop)
            exchanges.finishStream(key, context.output)
        case .refuseSlowRequest: refuse(.requestTimeout, isHead: intake.isHead, on: loop)
        }
    }

    /// The turn ends in which the connection wrote, or left requests for later.
    func turnEnded(on loop: isolated EventLoop) {
        proceed(with: exchanges.leaveTurn(to: socket.descriptor, in: context, on: loop), on: loop)
    }

    /// The turn has come that requests were put off to.
    func nextTurnCame() {
        exchanges.machine.nextTurnCame()
        exchanges.goOnLater(key, context.output)
    }

    /// Time has passed; `mostUnread` bytes may wait for a client that does not read.
    func tick(at now: Instant, mostUnread: Int, on loop: isolated EventLoop) {
        let isFat = exchanges.byteCount > mostUnread
        let step = exchanges.machine.ticked(at: now, context.limits, isFat: isFat)
        if let step { perform(step, on: loop) }
    }

    /// The server takes no new work.
    func drain(on loop: isolated EventLoop) { perform(exchanges.machine.drained(), on: loop) }

    // MARK: Requests

    private func receive(on loop: isolated EventLoop) {
        // The answer that was kept goes first; sending it may close the connection.
        if exchanges.machine.isBatched {
            context.output.sendAnswers(on: loop)
            guard exchanges.machine.phase != .closed else { return }
        }
        switch loop.receive(from: socket.descriptor) {
        case .bytes(let count):
            let phase = exchanges.machine.received(count, at: context.now(loop), context.limits)
            if phase != .lingering {
                loop.lend { bytes in handOut(bytes, on: loop) }
                if sendBuffer(on: loop) == .joined { return }
            }
            proceed(on: loop)
        case .wouldBlock: break
        case .closed: perform(exchanges.machine.peerEnded(), on: loop)
        case .failed: close(on: loop)
        }
    }

    /// Hands out the requests that are whole, until one is held or they are enough for a turn.
    private func handOut(_ bytes: Span<UInt8>, on loop: isolated EventLoop) {
        context.output.begin(for: key)
        // Taken out, so that no access to it is open while handlers run.
        var intake = self.intake.takeAll()
        let stop = intake.handOut(bytes, from: address, in: context) { number in
            guard let queued = exchanges.byteCountBeforeRequest() else { return false }
            return !context.isEnough(number, queued: queued, on: loop)
        } to: { head, bytes, body in
            RequestCoding.decode(head, in: bytes, body: body, from: address, context) {
                bytes, body in
                handle(head, in: bytes, body: body, on: loop)
            } orRefuse: { problem in
                begin(head, in: bytes).respond(problem, on: loop)
            }
        } isIncomplete: { assembler, bytes in
            exchanges.machine.requestCame(inPart: assembler.hasHead ? .body : .head)
            meetExpectation(assembler, bytes, on: loop)
        }
        let refusal = exchanges.handedOut(until: stop, &intake, key, in: context)
        if !intake.isEmpty { self.intake = intake }
        if let refusal { refuse(refusal.problem, isHead: refusal.isHead, on: loop) }
    }

    private func handle(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, on loop: isolated EventLoop
    ) -> RequestAssembler.Delivery {
        guard let destination = context.destination(of: head, in: bytes) else {
            exchanges.machine.stayed()
            context.handle(head, in: bytes, body: body, begin(head, in: bytes), on: loop)
            return .handled
        }
        let route = exchanges.machine.chooseRoute(to: destination, context.limits)
        guard route == .forward else { return .left }
        _ = begin(head, in: bytes)
        exchanges.awaitLoop(destination.loopIndex)
        if let forwardKey {
            let framing = exchanges.machine.framing
            context.forward(
                ForwardedRequest(forwardKey, head, bytes, body: body, framing, from: address))
        }
        return .handled
    }

    private func begin(_ head: RequestHead, in bytes: Span<UInt8>) -> Exchange {
        let traits = RequestTraits(head, from: context.origin(of: head, in: bytes))
        let serial = exchanges.machine.requestBegan(traits, isDraining: context.isDraining)
        return Exchange(route: .local(self), serial: serial, isHead: head.method == .head)
    }

    /// Gives a client that waits with the body of its request what it waits for.
    private func meetExpectation(
        _ assembler: RequestAssembler, _ bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        guard !exchanges.machine.hasContinued,
            let (head, message) = assembler.headAwaitingContinue(bytes)
        else { return }
        switch context.expectation(of: head, in: message.span, from: address, on: loop) {
        case .goOn:
            exchanges.tellToContinue(key, context.output)
        case .move(let index): exchanges.machine.chooseLoop(index)
        case .refuse(let problem):
            let exchange = begin(head, in: message.span)
            exchanges.machine.bodyWasRefused()
            if let problem { return exchange.respond(problem, on: loop) }
            let end = message.count
            context.handle(head, in: message.span, body: end..<end, exchange, on: loop)
        }
    }

    /// Refuses what cannot be understood or waited for: the last answer of the connection.
    private func refuse(_ problem: ProblemDetails, isHead: Bool, on loop: isolated EventLoop) {
        exchanges.refuse(problem, isHead: isHead, of: intake, key, in: context, on: loop)
        intake.removeAll()
    }

    /// The loop that answers the request `serial` holds it for nothing but the client.
    func heldForClient(_ serial: UInt64, on loop: isolated EventLoop) {
        perform(exchanges.machine.heldForClient(serial), on: loop)
    }

    // MARK: Streams

    /// Answers the request `serial` with a stream.
    func startStream(
        _ serial: UInt64, _ status: Int, _ source: any StreamSource, age: Duration?,
        compressed: Bool, on loop: isolated EventLoop, _ fill: (inout ResponseWriter) -> Void
    ) {
        // While requests are handed out, the intake forgets the others by itself.
        if !context.output.isWriting(key) { intake.removeAll() }
        exchanges.startStream(
            serial, status, context.makeStream(source, compressed: compressed),
            until: context.expiry(after: age, on: loop), key, in: context, on: loop, fill)
        context.limitUnsent(socket.descriptor, on: loop)
    }

    /// Sends a frame, as `OutgoingStream.offer` says.
    func offer(waitingBehind most: Int, _ frame: () -> StreamFrame) -> OutgoingStream.Offer {
        let offer = exchanges.offerFrame(waitingBehind: most)
        // Made outside of the exchanges, of which no access is then open.
        if offer == .taken { exchanges.send(frame(), key, in: context) }
        return offer
    }

    // MARK: Sending

    /// Sends what stands in the loop's buffer, or keeps it: the connection then goes on later.
    private func sendBuffer(on loop: isolated EventLoop) -> Exchanges.Joining {
        let output = context.output
        output.end()
        guard !output.isBufferEmpty else { return .stays }
        if output.isBufferShort, exchanges.joinAnswers() == .joined {
            output.keepAnswer(of: self, on: loop)
            return .joined
        }
        let bytes = output.takeBuffer()
        exchanges.send(bytes.span, to: socket.descriptor, in: context, on: loop)
        output.recycle(bytes)
        return .stays
    }

    /// Sends an answer that was kept, or goes on from the result of sending it with others.
    func sendAnswer(_ bytes: Span<UInt8>, after result: IOResult?, on loop: isolated EventLoop) {
        let rest = exchanges.leaveAnswers(
            bytes, after: result, to: socket.descriptor, in: context, on: loop)
        if rest == .busy || rest == .atRest && context.isDraining { proceed(on: loop) }
    }

    // MARK: The end

    /// Ends the output; a client that may still be sending gets time to read the last answer.
    /// Closing while its bytes are unread would reset the connection and lose it.
    private func linger(on loop: isolated EventLoop) {
        do throws(SystemError) {
            try loop.system.shutdownWrite(socket.descriptor)
            exchanges.machine.lingers(at: context.now(loop))
            intake.removeAll()
        } catch {
            close(on: loop)
        }
    }

    /// Closes at once, whatever was under way, and tells those who wait for the request.
    func close(on loop: isolated EventLoop) {
        if exchanges.machine.isBatched { context.output.sendAnswers(on: loop) }
        guard exchanges.machine.phase != .closed else { return }
        let forwardKey = forwardKey
        let awaited = exchanges.close()
        intake.removeAll()
        socket.close(on: loop)
        if let forwardKey { context.cancel(forwardKey) }
        awaited.closed(on: loop)
        context.remove(key, from: address)
    }

    /// Moves to another loop: the descriptor and the unread bytes.
    private func leave(for index: Int, on loop: isolated EventLoop) {
        let machine = exchanges.machine
        exchanges.machine.closed()
        context.remove(key, from: address, staysInServer: true)
        context.handOver(
            Handover(&socket, from: address, intake.take(), machine, on: loop), to: index)
    }

    /// The present request's name on the loop that answers it.
    private var forwardKey: ForwardKey? { exchanges.forwardKey(of: key, onLoop: context.index) }
}
