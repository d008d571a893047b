internal import HTTPMessages
internal import HTTPTypes
internal import Sockets
internal import Synchronization

/// One client's connection on one loop: the shell that carries out the steps of its
/// `ConnectionMachine`. It has one request at a time.
///
/// Idle, it owns no buffer. Requests are read from the loop's scratch and answered into the
/// buffer of the loop's `TurnOutput`; only what is incomplete or finds no room is kept here.
final class Connection: ReadinessHandler {
    let context: LoopContext
    /// The other end's; behind another server that of the client which it has told of last.
    var address: IPAddress
    private(set) var descriptor: Descriptor
    /// Drawn for one by which other servers send what their clients have sent (see `Relay`): what they sign
    /// counts on no other one. 0: a client's.
    let nonce: UInt64
    /// Other servers send by it.
    let isInner: Bool
    /// Its name on its loop, and for other loops.
    private(set) var registration = Registration.none
    /// The requests that are not handed out.
    private(set) var input: PendingInput?
    /// The client on whose account is what waits here; 0: it is only known by its address.
    var client: Accounts.Client = 0
    /// The memory that a large request takes elsewhere until it is answered, or a stream, in bytes.
    var elsewhereByteCount = 0
    var machine: ConnectionMachine
    /// The answers that are not sent.
    let queue = WriteQueue()
    var awaited = Awaited.nothing

    init(
        _ descriptor: consuming Descriptor, from address: IPAddress, nonce: UInt64,
        _ machine: ConnectionMachine, in context: LoopContext
    ) {
        self.descriptor = descriptor
        self.address = address
        (self.nonce, isInner) = (nonce, nonce != 0)
        self.machine = machine
        self.context = context
    }

    /// Goes on with a connection of another loop.
    convenience init(_ handover: Handover, now: Instant, in context: LoopContext) {
        let machine = ConnectionMachine(
            now: now, expiry: handover.expiry, hasEnded: handover.hasEnded,
            serial: handover.serial)
        self.init(
            handover.takeDescriptor(), from: handover.address, nonce: handover.nonce, machine,
            in: context)
        let reader = handover.reader ?? context.reader(isInner: isInner)
        let pending = PendingInput(reader, context.shared.memory, ofLoop: context.index)
        let bytes = handover.bytes
        pending.append(bytes.span)
        if !pending.isEmpty { input = pending }
    }

    /// Has the loop watch the connection.
    func register(on loop: isolated EventLoop) throws(SystemError) {
        precondition(registration == .none, "A socket is registered once.")
        registration = try loop.add(
            descriptor, interest: machine.takeInterest() ?? [], handler: self)
        guard input != nil else { return }
        machine.requestsWait(isFull: false)
        goOnLater()
    }

    /// The connection of this name, unless it is gone.
    static func named(_ name: Registration, on loop: isolated EventLoop) -> Connection? {
        loop.handler(of: name) as? Connection
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        if machine.isDirty {
            // Its answer, if it is among those that wait, goes before the next one.
            context.output.sendAnswers(on: loop)
            guard machine.phase != .closed else { return }
        }
        if !events.isDisjoint(with: .over) { return close(on: loop) }
        if events.contains(.read) {
            receive(on: loop)
        } else if events.contains(.peerClosed) {
            perform(machine.peerEnded(), on: loop)
        }
        guard events.contains(.write) else { return }
        machine.roomCame()
        proceed(on: loop)
    }

    // MARK: Steps

    /// Carries out the machine's steps, until there is nothing to do but wait.
    func proceed(on loop: isolated EventLoop) {
        while true {
            let step = machine.next(
                isQueued: !queue.isEmpty, isDraining: context.isDraining, turn: context.turn)
            perform(step, on: loop)
            if step.endsRun { return }
        }
    }

    /// Carries out one step.
    private func perform(_ step: ConnectionStep, on loop: isolated EventLoop) {
        switch step {
        case .wait:
            if let interest = machine.takeInterest() {
                loop.modify(registration, interest: interest)
            }
        case .dismiss where isInner:
            refuse(ProblemDetails(.misdirectedRequest, code: "moved"), on: loop)
        case .close, .dismiss: close(on: loop)
        case .leave(let index): leave(for: index, on: loop)
        case .linger: linger(on: loop)
        case .encode:
            encode(isLast: false, on: loop)
        case .flush: flush(on: loop)
        case .sendFile: sendFile(on: loop)
        case .handOut:
            handOut(Span(), on: loop)
            _ = sendBuffer(on: loop)
        case .postpone: context.output.postpone(self, on: loop)
        case .tellDrained: awaited.source?.streamDrained(on: loop)
        case .tellClosed: closeAwaited(on: loop)
        case .tellDraining:
            if case .observer(let observer) = awaited { observer.exchangeDraining(on: loop) }
            if let forwardKey { context.drain(forwardKey) }
        case .endStream(let end):
            awaited.source?.streamEnding(end, on: loop)
            finishStream(on: loop)
        case .refuseSlowRequest: refuse(.requestTimeout, on: loop)
        }
    }

    /// Has the connection go on at the end of the turn.
    func goOnLater() {
        guard !machine.isDirty else { return }
        machine.isDirty = true
        context.output.join(self)
    }

    /// The turn ends in which the connection wrote, or left requests for later.
    func turnEnded(on loop: isolated EventLoop) {
        guard machine.phase != .closed else { return }
        machine.isDirty = false
        proceed(on: loop)
    }

    /// The turn has come that requests were put off to.
    func nextTurnCame() {
        guard machine.phase != .closed else { return }
        machine.isPostponed = false
        goOnLater()
    }

    /// Time has passed; `most` bytes may wait for the client to take or to end.
    func tick(at now: Instant, holding most: Int, on loop: isolated EventLoop) {
        if input.map({ $0.byteCount > most }) ?? false, machine.phase == .reading {
            return refuse(.shortOfMemory, on: loop)
        }
        if elsewhereByteCount > most { return close(on: loop) }
        let isFat = heldByteCount > most
        if let step = machine.overdue(at: now, context.limits, isFat: isFat) {
            perform(step, on: loop)
        }
    }

    /// The server takes no new work.
    func drain(on loop: isolated EventLoop) { perform(machine.drained(), on: loop) }

    // MARK: Requests

    private func receive(on loop: isolated EventLoop) {
        switch loop.receive(from: descriptor) {
        case .bytes(let count):
            let phase = machine.received(count, at: loop.now, context.limits)
            if phase != .lingering {
                loop.input.lend { bytes in handOut(bytes, on: loop) }
                if sendBuffer(on: loop) { return }
            }
            proceed(on: loop)
        case .wouldBlock: break
        case .closed: perform(machine.peerEnded(), on: loop)
        case .failed: close(on: loop)
        }
    }

    /// Hands out the requests that are whole, of those that have waited and of these bytes, and
    /// keeps the rest. Bytes that nothing waits before are not copied, if they are whole requests.
    private func handOut(_ received: Span<UInt8>, on loop: isolated EventLoop) {
        context.output.begin(for: self)
        let last: RequestReader.Step?
        // Taken out, so that no access to it is open while handlers run.
        if let pending = input.take() {
            pending.append(received)
            let (used, step) = handOut(&pending.reader, pending.bytes.span, on: loop)
            pending.removeFirst(used)
            if !pending.isEmpty { input = pending }
            last = step
        } else {
            var reader = context.reader(isInner: isInner)
            let (used, step) = handOut(&reader, received, on: loop)
            if used < received.count || reader.isMidway {
                let pending = PendingInput(reader, context.shared.memory, ofLoop: context.index)
                pending.append(received.extracting(used...))
                input = pending
            }
            last = step
        }
        keepRest(after: last, on: loop)
    }

    /// Hands requests out until one is held, or they are enough for a turn. Returns how many of the
    /// bytes are done with, and the step that cannot be gone on from, if any.
    private func handOut(
        _ reader: inout RequestReader, _ bytes: Span<UInt8>, on loop: isolated EventLoop
    ) -> (used: Int, last: RequestReader.Step?) {
        var used = 0
        var count = 0
        while used < bytes.count || reader.isMidway, machine.takesRequests,
            !context.isEnough(count, queued: queue.byteCount, on: loop)
        {
            let rest = bytes.extracting(used...)
            let step = reader.next(rest)
            switch step {
            case .head:
                reader.plan = context.handler.plan(
                    reader.head, in: rest, from: address, nonce: nonce, serial: machine.serial + 1)
                machine.chooseRoute(to: context.otherLoop(for: reader.plan), context.limits)
            case .request(let message, let length):
                count += 1
                used += length
                if let message {
                    decode(reader, in: message.span, on: loop)
                } else {
                    decode(reader, in: rest.extracting(..<length), on: loop)
                }
            case .needMore(let length):
                used += length
                machine.requestCame(inPart: reader.hasHead ? .body : .head)
                meetExpectation(reader, rest, on: loop)
                return (used, step)
            case .refused: return (used, step)
            }
        }
        return (used, nil)
    }

    /// Has requests that are left wait, or forgets them; or refuses one that cannot be understood,
    /// or that is large and incomplete where memory is short.
    private func keepRest(after last: RequestReader.Step?, on loop: isolated EventLoop) {
        if case .refused(let problem) = last { return refuse(problem, on: loop) }
        if let pending = input {
            if !machine.takesInput {
                input = nil
                machine.isUnread = true
            } else if last == nil {
                let most = context.shared.mostPipelinedByteCount
                machine.requestsWait(isFull: pending.bytes.count >= most)
            } else if machine.takesRequests, context.shared.isTooLarge(pending.byteCount) {
                return refuse(.shortOfMemory, on: loop)
            }
        }
        if machine.mayGoOn { goOnLater() }
    }

    /// Hands out a request, its coding taken off: servers send none. Where memory is short, no large body is
    /// taken, nor made of a small one.
    private func decode(
        _ reader: borrowing RequestReader, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        let head = reader.head
        let isTooLarge = context.shared.isTooLarge(bytes.count - head.byteCount)
        if !isTooLarge, isInner || !head.has(.contentEncoding) {
            return handle(head, reader.plan, in: bytes, on: loop)
        }
        let most = min(reader.mostBodyByteCount, context.shared.largestRequestByteCount)
        do throws(ProblemDetails) {
            guard !isTooLarge else { throw .shortOfMemory }
            let message = try head.decoded(in: bytes, limit: most)
            handle(head, reader.plan, in: message.span, on: loop)
        } catch {
            let isShort =
                most < reader.mostBodyByteCount && error == .bodyTooLarge(limit: most)
            begin(head, in: bytes).respond(isShort ? .shortOfMemory : error, on: loop)
        }
    }

    /// Has a request answered, here or by the loop that its plan names.
    private func handle(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        guard let destination = context.otherLoop(for: plan) else {
            let exchange = begin(head, in: bytes)
            if plan.refusesBody { machine.bodyWasRefused() }
            context.handle(head, plan, exchange, in: bytes, on: loop)
            if bytes.count > Self.copiedByteCount { holdRequest(of: bytes.count) }
            return
        }
        _ = begin(head, in: bytes)
        awaited = .loop(Int32(destination.loopIndex))
        guard let forwardKey else { return }
        context.forward(
            ForwardedRequest(
                key: forwardKey, head: head, plan: plan, message: [UInt8](copying: bytes),
                traits: machine.request, address: address, nonce: nonce))
        if bytes.count > Self.copiedByteCount { holdRequest(of: bytes.count) }
    }

    private func begin(_ head: RequestHead, in bytes: Span<UInt8>) -> Exchange {
        var origin = RequestOrigin.unshared
        if let sharing = context.shared.configuration.sharing, !isInner {
            origin = sharing.origin(of: head, in: bytes)
        }
        let traits = RequestTraits(head, from: origin)
        let serial = machine.requestBegan(traits, isDraining: context.isDraining)
        return Exchange(route: .local(self), serial: serial, isHead: traits.isHead)
    }

    /// Gives a client that waits with the body of its request what it waits for (RFC 9110 §10.1.1):
    /// the word to go on, a refusal, or the loop that knows which.
    private func meetExpectation(
        _ reader: RequestReader, _ bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        guard reader.hasHead, reader.head.expectsContinue, !machine.request.hasContinued else {
            return
        }
        let (head, plan) = (reader.head, reader.plan)
        if let destination = context.otherLoop(for: plan) {
            return machine.leaves(for: destination.loopIndex)
        }
        let message = Array(reader.headBytes(bytes)[..<head.byteCount])
        do throws(ProblemDetails) {
            _ = try head.isGzipped(in: message.span)
        } catch {
            let exchange = begin(head, in: message.span)
            machine.bodyWasRefused()
            return exchange.respond(error, on: loop)
        }
        guard context.handler.refuses(head, plan, in: message.span, from: address, on: loop) else {
            machine.continued()
            let bytes = RequestTraits.continueBytes
            return write(bytes.span)
        }
        let exchange = begin(head, in: message.span)
        machine.bodyWasRefused()
        context.handle(head, plan, exchange, in: message.span, on: loop)
    }

    /// Refuses what cannot be understood or waited for: the last answer of the connection.
    private func refuse(_ problem: ProblemDetails, on loop: isolated EventLoop) {
        let pending = input.take()
        let bytes = pending?.bytes ?? []
        let head = pending?.reader.headBytes(bytes.span) ?? []
        machine.refused()
        let traits = RequestTraits(
            origin: context.shared.configuration.sharing?.originOfRefused(head.span) ?? .unshared,
            isHead: pending?.reader.isHead(bytes.span) ?? false, isLast: true)
        write(problem.status.code, traits, on: loop, problem.fill)
    }

    /// While requests are handed out, those that are left are forgotten afterwards.
    func forgetInput() { input = nil }

    /// The loop that answers the request `serial` holds it for nothing but the client.
    func heldForClient(_ serial: UInt64, on loop: isolated EventLoop) {
        perform(machine.heldForClient(serial), on: loop)
    }

    // MARK: The end

    /// Ends the output; a client that may still be sending gets time to read the last answer.
    /// Closing while its bytes are unread would reset the connection and lose it.
    private func linger(on loop: isolated EventLoop) {
        do throws(SystemError) {
            try loop.system.shutdownWrite(descriptor)
            machine.lingers(at: loop.now)
            input = nil
        } catch {
            close(on: loop)
        }
    }

    /// Closes at once, whatever was under way, and tells those who wait for the request.
    func close(on loop: isolated EventLoop) {
        // Its answer may be among those that wait.
        if machine.isDirty { context.output.sendAnswers(on: loop) }
        guard machine.phase != .closed else { return }
        let forwardKey = forwardKey
        machine.closed()
        queue.removeAll()
        input = nil
        loop.remove(registration, closing: descriptor.take())
        if let forwardKey { context.cancel(forwardKey) }
        closeAwaited(on: loop)
        context.remove(self)
    }

    /// Moves to another loop: the descriptor and the unread bytes.
    private func leave(for index: Int, on loop: isolated EventLoop) {
        let pending = input.take()
        let ahead = loop.input.batch.takeBytes(of: registration)
        loop.remove(registration)
        let handover = Handover(
            descriptor.take(), of: self, (pending?.bytes ?? []) + ahead, pending?.reader, machine)
        machine.closed()
        context.remove(self, staysInServer: true)
        context.handOver(handover, to: index)
    }

    /// The present request's name on the loop that answers it.
    private var forwardKey: ForwardKey? {
        guard case .loop(let target) = awaited else { return nil }
        return ForwardKey(
            target: target, origin: Int32(context.index), connection: registration,
            serial: machine.serial)
    }
}

/// A connection between two loops: its socket, and the bytes that are not handed out yet.
final class Handover: Sendable {
    private let descriptor: Mutex<Descriptor>
    let address: IPAddress
    let nonce: UInt64
    let serial: UInt64
    let bytes: [UInt8]
    let reader: RequestReader?
    let hasEnded: Bool
    let expiry: Instant

    init(
        _ descriptor: consuming Descriptor, of connection: Connection, _ bytes: [UInt8],
        _ reader: RequestReader?, _ machine: ConnectionMachine
    ) {
        self.descriptor = Mutex(descriptor)
        (address, nonce, serial) = (connection.address, connection.nonce, machine.serial)
        self.bytes = bytes
        self.reader = reader
        hasEnded = machine.hasEnded
        expiry = machine.expiry
    }

    /// Takes the descriptor, once.
    func takeDescriptor() -> Descriptor {
        descriptor.withLock { $0.take() }
    }
}
