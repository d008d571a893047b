internal import HTTPMessages
internal import HTTPTypes
internal import Sockets

/// One answer for the request that is out.
extension Connection {
    /// Hands a complete request to whom it is for: the handler here, or another loop. False when
    /// the whole connection must go there, with this request unread.
    func deliver(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, on loop: isolated EventLoop
    ) -> Bool {
        if isTooLarge(body.count) {
            begin(head, on: loop)
            Exchange(route: .local(self), serial: serial, isHead: head.method == .head)
                .respond(.shortOfMemory, on: loop)
            return true
        }
        if head.value(.contentEncoding) != nil {
            return deliverDecoded(head, in: bytes, body: body, on: loop)
        }
        return deliverPlain(head, in: bytes, body: body, on: loop)
    }

    private func deliverPlain(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, on loop: isolated EventLoop
    ) -> Bool {
        let destination = server.destination(of: head, in: bytes)
        if let destination, mustMove(to: destination) { return false }
        begin(head, on: loop)
        if let destination {
            forward(head, in: bytes, body: body, to: destination.loopIndex)
        } else {
            forwardCount = 0
            let exchange = Exchange(
                route: .local(self), serial: serial, isHead: head.method == .head)
            server.handler.handle(head, in: bytes, body: body, exchange: exchange, on: loop)
            server.noteHandled(head, in: bytes, on: loop)
        }
        return true
    }

    /// Takes the content coding off first (RFC 9110 §8.4).
    private func deliverDecoded(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, on loop: isolated EventLoop
    ) -> Bool {
        // Where memory is short, no large body is made of a small one.
        let limit = min(server.limits.bodyByteCount, server.shared.largestRequestByteCount)
        let isShort = limit < server.limits.bodyByteCount
        switch RequestCoding.decoded(head, in: bytes, body: body, limit: limit) {
        case .success(let message):
            return deliverPlain(
                head, in: message.span, body: head.byteCount..<message.count, on: loop)
        case .failure(let failure):
            let problem =
                isShort && failure.status == .contentTooLarge ? .shortOfMemory : failure
            begin(head, on: loop)
            Exchange(route: .local(self), serial: serial, isHead: head.method == .head)
                .respond(problem, on: loop)
            return true
        }
    }

    /// Answers a request that its head alone gets refused for. Its body may come or not: it is the
    /// last one.
    func refuseBody(of head: RequestHead, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        begin(head, on: loop)
        state.flags.insert([.isLast, .hasUnreadInput])
        let exchange = Exchange(route: .local(self), serial: serial, isHead: head.method == .head)
        if let problem = RequestCoding.refusal(of: head, in: bytes) {
            return exchange.respond(problem, on: loop)
        }
        let end = bytes.count
        server.handler.handle(head, in: bytes, body: end..<end, exchange: exchange, on: loop)
    }

    private func begin(_ head: RequestHead, on loop: isolated EventLoop) {
        serial += 1
        let isLast =
            !head.keepAlive || server.isDraining || state.expiry <= state.activity
        state.requestBegan(
            isHead: head.method == .head, isHTTP10: head.version == .http10, isLast: isLast)
    }

    /// Whether the request `serial` is still without its answer.
    func awaitsAnswer(_ serial: UInt64) -> Bool {
        state.phase == .handling && self.serial == serial
    }

    /// Who is told when the client goes.
    func observe(_ serial: UInt64, _ observer: any ExchangeObserver, _ endsWithInput: Bool) {
        guard awaitsAnswer(serial) else { return }
        occupant = .observer(observer)
        if endsWithInput { state.flags.insert(.endsWithInput) }
    }

    /// Writes the answer of the request `serial`, unless it has one.
    @inline(__always)
    func answer(
        _ serial: UInt64, status: Int, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard awaitsAnswer(serial) else { return }
        if server.isDraining { state.flags.insert(.isLast) }
        let lines = server.commonLines(on: loop)
        if isActive {
            server.output = state.framing.answer(
                status, lines: lines, behind: server.takeOutput(), fill)
        } else {
            let bytes = state.framing.answer(status, lines: lines, behind: [], fill)
            queue.append(SharedBytes(bytes))
            server.markDirty(self)
        }
        answered()
    }

    /// As above, with a body that other answers may have as well.
    func answer(
        _ serial: UInt64, status: Int, body: SharedBytes, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard awaitsAnswer(serial) else { return }
        let framing = state.framing
        answer(serial, status: status, on: loop) { writer in
            fill(&writer)
            framing.write(body, to: &writer)
        }
        if framing.isShared(body) { write(body) }
    }

    /// The answer has been written.
    func answered() {
        state.phase = .reading
        occupant = .none
    }

    /// Writes the head of a stream, which the connection becomes.
    func answerWithStream(
        _ serial: UInt64, status: Int, source: any StreamSource, age: Duration?,
        compressed: Bool, on loop: isolated EventLoop, _ fill: (inout ResponseWriter) -> Void
    ) {
        guard awaitsAnswer(serial) else { return server.closeLater(source) }
        let coding = compressed ? server.makeCoding(for: source) : nil
        let head = state.framing.streamHead(status, lines: server.commonLines(on: loop)) { writer in
            fill(&writer)
            if coding != nil { writer.field("Content-Encoding", "gzip") }
        }
        write(head.span)
        startStream(coding.map { .coded($0) } ?? .stream(source), age: age, on: loop)
    }

    /// Writes the head of an answer whose body is a part of a file; the answer is complete when
    /// that is sent.
    func answerWithFile(
        _ serial: UInt64, status: Int, _ transfer: FileTransfer, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard awaitsAnswer(serial) else { return }
        if server.isDraining { state.flags.insert(.isLast) }
        let length = transfer.remaining
        let head = state.framing.answer(status, lines: server.commonLines(on: loop), behind: []) {
            writer in
            fill(&writer)
            writer.field("Content-Length", Int(length))
            writer.endHead()
        }
        write(head.span)
        guard !state.flags.contains(.isHead), length > 0 else { return answered() }
        occupant = .file(transfer)
    }

    /// Refuses what cannot be understood or waited for: the last answer of the connection.
    func refuse(_ problem: ProblemDetails, isHead: Bool, on loop: isolated EventLoop) {
        state.flags.insert([.isLast, .hasUnreadInput])
        input = nil
        let framing = AnswerFraming(isHead: isHead, isHTTP10: false, isLast: true)
        let bytes = framing.answer(
            problem.status.code, lines: server.commonLines(on: loop), behind: [], problem.fill)
        write(bytes.span)
    }
}
