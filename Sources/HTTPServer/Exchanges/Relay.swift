internal import Bytes
internal import HTTPMessages
internal import HTTPTypes
package import Sockets

/// The end of a relay.
package enum RelayEnd: Sendable {
    /// The answer was passed on, or the client has gone.
    case over
    /// As much is under way as may, or this server stops.
    case busy
    /// Nothing was sent: the other server is not there.
    case unsent
    /// The other server does not have what the request is about (421), and knows who has, or not.
    case misdirected(holder: String?)
    /// One of the two does not know the other (407).
    case refused
    /// It was sent, or a part of it, and not answered.
    case lost
}

/// A request that another server answers: the answer is passed on, whole, or piece by piece where it is a
/// stream. What a client does not read stays with the other server: no more than a window is held here.
package final class Relay: PeerListener, TimerHandler, ExchangeObserver, StreamSource {
    /// A server that is there takes a connection within this.
    private static let connectDuration = Duration.milliseconds(500)
    /// So much of a stream waits for a slow client.
    private static let windowByteCount = 64 << 10

    private let exchange: Exchange
    private let client: Accounts.Client
    private let connections: PeerConnections
    private let isStream: Bool
    private let silence: Duration
    private var ended: ((RelayEnd) -> Void)?
    private var peer: PeerConnection?
    private var timer = Timer.none
    /// How much longer the answer may take to begin, once there is a connection.
    private var patience = Duration.zero
    private var address: SocketAddress?
    /// It waits for nothing but the client.
    private var isHeld = false
    /// What it holds of all that may be under way: its request, and what has come of its answer.
    private var heldByteCount = 0
    private var reply: PeerAnswer
    /// What has come of the body and is not passed on.
    private var payload: [UInt8] = []
    /// The part of it that is on the account of the stream's client.
    private var waitingByteCount = 0
    private var stream: OutgoingStream?
    /// What was passed on of a stream is compressed, or ends with an event.
    private var (isCoded, endsEvent) = (false, false)
    /// Nothing follows what is held.
    private var isLast = false
    /// What an event stream that is not compressed has passed on ends so.
    private var tail: ArraySlice<UInt8>?
    /// The stream ends with this, where its next event does.
    private var farewell: StreamFrame?

    /// - Parameters:
    ///   - client: on whose account it is.
    ///   - isStream: a stream is asked for.
    ///   - silence: a stream that says nothing for so long has lost its server.
    ///   - ended: called once, unless the answer cannot begin.
    package init(
        _ exchange: Exchange, of client: Accounts.Client, isStream: Bool, silence: Duration,
        by connections: PeerConnections,
        ended: @escaping (RelayEnd) -> Void
    ) {
        (self.exchange, self.client, self.isStream) = (exchange, client, isStream)
        (self.silence, self.connections, self.ended) = (silence, connections, ended)
        reply = PeerAnswer(toHead: exchange.isHead)
    }

    /// Sends a request; the answer has so much time to begin.
    ///
    /// - Parameter isHeld: what it waits for, it waits for nothing but the client.
    package func begin(
        _ request: [UInt8], to address: SocketAddress, within duration: Duration, isHeld: Bool,
        on loop: isolated EventLoop
    ) {
        guard exchange.isOpen else { return end(.over, on: loop) }
        self.isHeld = isHeld
        let share = exchange.context.limits.clientShare
        guard connections.enter(item, request.count, of: client, share: share) else {
            return end(.busy, on: loop)
        }
        heldByteCount = request.count
        (patience, self.address) = (duration, address)
        timer = loop.schedule(after: Self.connectDuration, self)
        exchange.observeClose(self, endsWithInput: isHeld, on: loop)
        do throws(SystemError) {
            let peer = try connections.connection(to: address, on: loop)
            self.peer = peer
            peer.send(request, for: self, on: loop)
        } catch {
            end(.unsent, on: loop)
        }
    }

    /// What waits for long takes no room of requests that do not.
    private var item: Accounts.Item { isStream || isHeld ? .streams : .routes }

    private func end(_ end: RelayEnd, on loop: isolated EventLoop) {
        guard let ended = ended.take() else { return }
        loop.cancel(timer)
        if heldByteCount > 0 { connections.leave(item, heldByteCount, of: client) }
        if let peer = peer.take() {
            connections.take(peer, isReusable: !isStream && reply.isReusable, on: loop)
        }
        ended(end)
    }

    // MARK: The other server

    func received(_ bytes: [UInt8], on loop: isolated EventLoop) {
        do throws(ResponseError) {
            let before = payload.count
            try reply.read(bytes, to: &payload)
            guard let head = reply.head else { return }
            switch head.status {
            case 421: return end(.misdirected(holder: reply.field("statecast-holder")), on: loop)
            case 407: return end(.refused, on: loop)
            default: break
            }
            if isStream, stream == nil, head.body == .chunked || head.body == .untilClose {
                begin(head, on: loop)
            }
            isLast = reply.isWhole
            if stream != nil { return pass(on: loop) }
            let added = payload.count - before
            guard connections.hold(added) else { throw .tooLong(limit: PeerConnections.byteCount) }
            heldByteCount += added
            if isLast { answer(head, on: loop) }
        } catch {
            lost(on: loop)
        }
    }

    /// The connection has ended.
    func lost(on loop: isolated EventLoop) {
        guard stream != nil else {
            return end(peer?.hasSent ?? false ? .lost : .unsent, on: loop)
        }
        isLast = true
        peer.take()?.close(on: loop)
        pass(on: loop)
    }

    /// Ends a stream whose server has been given up by all others: one that hangs does not end it.
    package func leave(_ gone: Set<String>, on loop: isolated EventLoop) {
        if stream != nil, let address, gone.contains("\(address)") { lost(on: loop) }
    }

    package func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        guard stream == nil, patience > .zero, peer?.isConnected ?? false,
            let address, connections.isThere(address)
        else { return lost(on: loop) }
        let pause = min(patience, .seconds(1))
        patience -= pause
        self.timer = loop.schedule(after: pause, self)
    }

    // MARK: The client

    /// Fields of the connection between servers, and those that are set for each answer of this one.
    private static let ownFields: Set<String> = [
        "connection", "keep-alive", "transfer-encoding", "content-length", "date",
    ]

    private func fill(_ writer: inout ResponseWriter, _ head: ResponseHead) {
        let message = reply.message
        head.forEachField(in: message.span) { name, value in
            let (name, value) = (name.string(in: message.span), value.array(in: message.span))
            switch name.lowercased() {
            case "vary": writer.vary(by: String(decoding: value, as: UTF8.self))
            case "content-length" where exchange.isHead: writer.field(name, value.span)
            case "content-encoding":
                isCoded = true
                writer.field(name, value.span)
            case let small where Self.ownFields.contains(small): break
            default: writer.field(name, value.span)
            }
        }
    }

    private func answer(_ head: ResponseHead, on loop: isolated EventLoop) {
        let isRejection = exchange.mayBeDone && payload.contains("/problems/rejected/".utf8)
        if exchange.mayBeDone, ProblemDetails.leavesDoubt(head.status, isRejection: isRejection) {
            exchange.respond(.outcomeUnknown, on: loop)
        } else if head.body == .none {
            exchange.respond(status: head.status, on: loop) { writer in
                fill(&writer, head)
                if exchange.isHead { writer.endHead() }
            }
        } else {
            let body = SharedBytes(payload)
            exchange.respond(status: head.status, body: body, on: loop) { fill(&$0, head) }
            exchange.charge(client)
        }
        end(.over, on: loop)
    }

    private func begin(_ head: ResponseHead, on loop: isolated EventLoop) {
        stream = exchange.startStream(
            HTTPResponse.Status(code: head.status), source: self, of: client, on: loop
        ) { fill(&$0, head) }
        let isPlain = reply.field("content-encoding") == nil
        if isPlain, reply.field("content-type") == "text/event-stream" { tail = [] }
    }

    /// Ends an event stream behind an event: its client comes again, and goes on from there. Streams of lines
    /// and compressed ones go on.
    package func finish(with last: StreamFrame, on loop: isolated EventLoop) {
        farewell = last
        if payload.isEmpty { finishBehindEvent(on: loop) }
    }

    private func finishBehindEvent(on loop: isolated EventLoop) {
        guard let farewell, tail?.elementsEqual("\n\n".utf8) ?? false else { return }
        stream?.send(farewell, on: loop)
        stream?.finish(on: loop)
    }

    private func pass(on loop: isolated EventLoop) {
        guard let stream else { return }
        if !payload.isEmpty {
            let bytes = payload
            let offer = stream.offer(
                waitingBehind: Self.windowByteCount, { StreamFrame(bytes) }, on: loop)
            switch offer {
            case .taken:
                if let tail { self.tail = (tail + bytes).suffix(2) }
                payload = []
                endsEvent = bytes.suffix(2).elementsEqual("\n\n".utf8)
                hold(of: stream)
                finishBehindEvent(on: loop)
            case .skipped:
                hold(of: stream)
                loop.cancel(timer)
                return peer?.pause(on: loop) ?? ()
            case .over: return end(.over, on: loop)
            }
        }
        guard !isLast else { return stream.finish(on: loop) }
        loop.rearm(&timer, at: loop.now.advanced(by: silence), self)
        peer?.resume(on: loop)
    }

    private func hold(of stream: OutgoingStream) {
        stream.hold(payload.count - waitingByteCount)
        waitingByteCount = payload.count
    }

    package func streamDrained(on loop: isolated EventLoop) { pass(on: loop) }

    package func streamClosed(on loop: isolated EventLoop) { end(.over, on: loop) }

    /// A client of events comes again soon, to any server, though not in one moment with all others.
    package func streamEnding(_ end: StreamEnd, on loop: isolated EventLoop) {
        guard end == .draining, endsEvent, !isCoded else { return }
        let retry = StreamFrame(capacity: 16) {
            EventStreamEncoder.retry(milliseconds: .random(in: 20...500), into: &$0)
        }
        stream?.send(retry, on: loop)
    }

    package func exchangeClosed(on loop: isolated EventLoop) { end(.over, on: loop) }

    package func exchangeDraining(on loop: isolated EventLoop) {
        if isHeld { end(.busy, on: loop) }
    }
}

/// The connections of one loop to other servers. Each has one request at a time; one whose answer has come
/// waits for the next.
package final class PeerConnections {
    /// What may be under way, of a client a share, and of handles: requests, and streams and polls; and the
    /// bytes of requests and of their answers.
    private static let (requestCount, streamCount) = (1_024, 10_000)
    package static let byteCount = 64 << 20
    /// The connections to one server that wait for a request, and for how long: for less than it waits.
    private static let (idleCount, idleDuration) = (64, Duration.seconds(30))

    private var accounts = Accounts()
    private var byteCount = 0
    private var idle: [SocketAddress: [PeerConnection]] = [:]

    /// A server has not been given up by all others: one that hangs takes connections, and answers nothing.
    package let isThere: (SocketAddress) -> Bool
    /// The nonce that another server has drawn, by its answer to a word of this one; nil where it does not have
    /// the key.
    let greeted: (_ answer: String, _ word: UInt64, _ address: SocketAddress) -> UInt64?
    let sign: ([UInt8], PeerPlace) -> [UInt8]

    package init(
        _ isThere: @escaping (SocketAddress) -> Bool,
        greeted: @escaping (String, UInt64, SocketAddress) -> UInt64?,
        sign: @escaping ([UInt8], PeerPlace) -> [UInt8]
    ) {
        (self.isThere, self.greeted, self.sign) = (isThere, greeted, sign)
    }

    /// The streams and polls that are passed on: those of handles are nobody's.
    package var streamCount: Int { accounts.total(.streams) - accounts[.streams, 0] }

    /// Counts a request; false, and counts none, where as many are under way as may be.
    package func enter(
        _ item: Accounts.Item, _ byteCount: Int, of client: Accounts.Client, share: Double
    ) -> Bool {
        let limit = item == .streams ? Self.streamCount : Self.requestCount
        guard accounts.hasRoom(item, of: client, limit: limit, share: share), hold(byteCount)
        else { return false }
        accounts.add(1, item, of: client)
        return true
    }

    /// Counts bytes that are there until their request leaves; false, and counts none, where there is no
    /// room.
    package func hold(_ byteCount: Int) -> Bool {
        guard self.byteCount + byteCount <= Self.byteCount else { return false }
        self.byteCount += byteCount
        return true
    }

    package func leave(_ item: Accounts.Item, _ byteCount: Int, of client: Accounts.Client) {
        accounts.add(-1, item, of: client)
        self.byteCount -= byteCount
    }

    /// Keeps a connection for the next request, or closes it.
    func take(
        _ connection: PeerConnection, isReusable: Bool, on loop: isolated EventLoop
    ) {
        let others = idle[connection.address] ?? []
        guard isReusable, connection.hasSentAll, others.count < Self.idleCount else {
            return connection.close(on: loop)
        }
        idle[connection.address] = others + [connection]
        connection.rest(for: Self.idleDuration, on: loop)
    }

    /// One that waits, the youngest first, or a new one.
    func connection(
        to address: SocketAddress, on loop: isolated EventLoop
    ) throws(SystemError) -> PeerConnection {
        if let last = idle[address]?.popLast() { return last }
        return try PeerConnection(to: address, among: self, on: loop)
    }

    /// A connection that waits has ended, or has waited in vain.
    func forget(_ connection: PeerConnection) {
        let others = idle[connection.address]?.filter { $0 !== connection } ?? []
        idle[connection.address] = others.isEmpty ? nil : others
    }
}
