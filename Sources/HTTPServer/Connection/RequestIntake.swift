internal import HTTPMessages
internal import Sockets

/// The bytes of one connection's requests that are not handed out yet.
struct RequestIntake {
    private var pending: PendingInput?

    init() {}

    /// Begins with the bytes of a connection from another loop.
    init(_ bytes: [UInt8], _ assembler: RequestAssembler?, in context: LoopContext) {
        guard !bytes.isEmpty || assembler?.isMidway ?? false else { return }
        let pending = PendingInput(
            assembler ?? RequestAssembler(bounds: context.bounds), context.shared.memory,
            ofLoop: context.index)
        pending.append(bytes.span)
        self.pending = pending
    }

    var isEmpty: Bool { pending == nil }
    /// The oldest request is HEAD, as far as can be told.
    var isHead: Bool { pending?.isHead ?? false }

    /// The origin of the oldest request, as far as can be told.
    func origin(_ sharing: OriginSharing) -> RequestOrigin {
        guard let pending else { return .unlisted }
        return sharing.originOfRefused(pending.head.span)
    }

    /// Gives the requests that are whole to `deliver`, as `RequestAssembler.handOut` does, and keeps
    /// the rest. Bytes that nothing waits before are not copied, if they are whole requests.
    ///
    /// - Parameter isIncomplete: called for a request that is incomplete, with its first bytes.
    mutating func handOut(
        _ bytes: Span<UInt8>, from address: IPAddress, in context: LoopContext,
        while mayGoOn: (Int) -> Bool,
        to deliver: (RequestHead, Span<UInt8>, Range<Int>) -> RequestAssembler.Delivery,
        isIncomplete: (RequestAssembler, Span<UInt8>) -> Void
    ) -> RequestAssembler.Stop {
        var used = 0
        func bodyLimit(_ head: RequestHead, _ bytes: Span<UInt8>) -> Int {
            context.bodyLimit(of: head, in: bytes, from: address)
        }
        guard let pending else {
            var assembler = RequestAssembler(bounds: context.bounds)
            let stop = assembler.handOut(
                bytes, used: &used, while: mayGoOn, bodyLimit: bodyLimit, to: deliver)
            let rest = bytes.extracting(used...)
            if case .needsMore = stop { isIncomplete(assembler, rest) }
            guard !rest.isEmpty || assembler.isMidway else { return stop }
            let kept = PendingInput(assembler, context.shared.memory, ofLoop: context.index)
            kept.append(rest)
            self.pending = kept
            return stop
        }
        pending.append(bytes)
        let stop = pending.assembler.handOut(
            pending.bytes.span, used: &used, while: mayGoOn, bodyLimit: bodyLimit,
            to: deliver)
        pending.removeFirst(used)
        if case .needsMore = stop { isIncomplete(pending.assembler, pending.bytes.span) }
        if pending.byteCount == 0, !pending.assembler.isMidway { self.pending = nil }
        return stop
    }

    /// Has requests that are left wait, or forgets them. Returns the problem that the connection is
    /// refused for: of a request that cannot be understood, or of a large one that is incomplete
    /// where memory is short.
    mutating func keepRest(
        after stop: RequestAssembler.Stop, _ machine: inout ConnectionMachine,
        _ shared: ServerShared
    ) -> (problem: ProblemDetails, isHead: Bool)? {
        if case .refused(let problem, let isHead) = stop { return (problem, isHead) }
        guard let pending else { return nil }
        guard machine.takesInput else {
            removeAll()
            machine.inputIsLeft()
            return nil
        }
        guard case .needsMore = stop else {
            machine.requestsWait(isFull: pending.bytes.count >= shared.mostPipelinedByteCount)
            return nil
        }
        guard machine.takesRequests, shared.isTooLarge(pending.byteCount) else { return nil }
        return (.shortOfMemory, pending.isHead)
    }

    /// Forgets the bytes.
    mutating func removeAll() {
        pending = nil
    }

    /// Takes all out, to be put back.
    mutating func takeAll() -> RequestIntake {
        defer { pending = nil }
        return self
    }

    /// Takes the bytes out, and how far they are understood.
    mutating func take() -> (bytes: [UInt8], assembler: RequestAssembler?) {
        defer { pending = nil }
        return (pending?.bytes ?? [], pending?.assembler)
    }
}
