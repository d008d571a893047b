import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Sessions
import Sockets

/// The other servers, as one loop knows them.
final class Peers {
    /// The sessions whose servers are remembered, as it is not the one that opens what nobody has.
    private static let holderCount = 1 << 16
    static let askingLimit = 1_024
    /// A request is tried so often, with pauses before: the first server may have been a guess.
    static let pauses: [Duration] = [.zero, .zero, .milliseconds(50), .milliseconds(500)]
    /// The time in which an answer begins, beside what its request waits for.
    static let answerDuration = Duration.seconds(15)

    let keys: ClusterKeys
    /// Where this server takes requests of others.
    let address: SocketAddress
    let connections: PeerConnections
    /// On the first loop.
    var reach = Reach()
    /// The questions of who has a session, which the journal is at.
    var askingCount = 0
    /// The event streams that are passed on, by their sessions and the numbers of their requests.
    var streams: [SessionName: [UInt64: Relay]] = [:]
    private var holders: [SessionName: SocketAddress] = [:]
    /// Its name among those who send, and how many requests it has sent.
    private let sender = UInt64.random(in: 0 ... .max)
    private var sentCount: UInt64 = 0
    /// Of those who have sent something a short time ago, what has come.
    private var senders:
        (present: [UInt64: RelaySerials], former: [UInt64: RelaySerials], end: Int64) =
            ([:], [:], 0)

    init(_ keys: ClusterKeys, at address: SocketAddress, _ journal: any Journal) {
        (self.keys, self.address) = (keys, address)
        connections = PeerConnections { address in
            journal.servers.contains { $0.address == "\(address)" }
        }
    }

    /// Nil also where that was given up by all others: it may take requests, and do nothing for them.
    func holder(of name: SessionName) -> SocketAddress? {
        guard let holder = holders[name] else { return nil }
        if !connections.isThere(holder) { holders[name] = nil }
        return holders[name]
    }

    /// - Parameter holder: nil where it does not have the session any more.
    func note(_ holder: SocketAddress?, of name: SessionName) {
        if holders.count >= Self.holderCount { holders = [:] }
        holders[name] = holder
    }

    /// The note of the next request that is sent: no other one has it.
    func note(for client: IPAddress, at now: Int64) -> RelayNote {
        sentCount += 1
        return RelayNote(time: now, client: client, sender: sender, serial: sentCount)
    }

    /// A request has not come before; false also where it is too late to say.
    func isNew(_ note: RelayNote, at now: Int64) -> Bool {
        if now >= senders.end {
            // Whatever the forgotten ones have sent is refused by its time.
            senders = ([:], senders.present, now + 2 * ClusterKeys.skew)
        }
        let known = senders.present.removeValue(forKey: note.sender)
        var serials = known ?? senders.former.removeValue(forKey: note.sender) ?? RelaySerials()
        defer { senders.present[note.sender] = serials }
        return serials.insert(note.serial)
    }
}

/// The numbers of one sender's requests that have come: of so many last ones each is known, and those
/// before count as come.
private struct RelaySerials {
    private static let count: UInt64 = 1 << 16

    private var words = [UInt64](repeating: 0, count: Int(count / 64))
    private var last: UInt64 = 0

    mutating func insert(_ serial: UInt64) -> Bool {
        guard serial > last || last - serial < Self.count else { return false }
        if serial > last { advance(to: serial) }
        let (word, bit) = (Int(serial % Self.count / 64), UInt64(1) << (serial % 64))
        defer { words[word] |= bit }
        return words[word] & bit == 0
    }

    private mutating func advance(to serial: UInt64) {
        if serial - last >= Self.count {
            words = [UInt64](repeating: 0, count: words.count)
        } else {
            for number in last + 1...serial {
                words[Int(number % Self.count / 64)] &= ~(1 << (number % 64))
            }
        }
        last = serial
    }
}

/// A request on its way to the server that has its session.
struct RelayedRequest {
    var request: SessionRequest
    let message: [UInt8]
    let id: SessionID
    let name: SessionName
}

extension SessionRegistry {
    /// The server that is to open a session which nobody has; nil for this one, or where none is known.
    func chosen(for name: SessionName) -> SocketAddress? {
        let journal = context.sessions.journal
        let chosen = journal.servers.choice(for: name, by: journal.hash)
        guard let address = chosen.flatMap({ SocketAddress(parsing: $0.address) }),
            address != peers?.address, address.host.isPrivate
        else { return nil }
        return address
    }

    /// The server that is asked first about a session which is not here; nil: the journal is.
    ///
    /// - Parameter isFirst: no other one was asked in vain.
    func server(for name: SessionName, isFirst: Bool = true) -> SocketAddress? {
        guard let peers else { return nil }
        return peers.holder(of: name) ?? (isFirst ? chosen(for: name) : nil)
    }
}

extension Router {
    // MARK: What other servers send

    /// Takes over from another server who has sent it a request; false where no server has sent this one.
    func admits(
        _ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) -> Bool {
        let now = loop.wallClockMilliseconds
        guard let peers, request.plan.resource.isOfSession,
            let note = peers.keys.admit(request.head, in: bytes, at: peers.address, now: now),
            request.head.method.isSafe || peers.isNew(note, at: now),
            !note.client.isUnspecified || [.events, .actions].contains(request.plan.resource)
        else { return false }
        request.exchange.remoteAddress = note.client
        return true
    }

    // MARK: What is sent to them

    /// Has the server answer that has a session as far as that is known, or is to open it; false where it
    /// may be this one.
    func relayToKnown(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) -> Bool {
        guard let peers, !request.exchange.isInner,
            let id = SessionID(request.plan.name.string(in: bytes)),
            let holder = registry.server(
                for: registry.name(id, mount: request.mount), isFirst: request.triesCount == 0)
        else { return false }
        relay(relayed(request, id, in: bytes), to: holder, peers, on: loop)
        return true
    }

    /// The same for a request that the journal alone would answer, which knows who has the session.
    func relayBeforeReverting(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) -> Bool {
        guard !request.exchange.isInner, request.triesCount == 0,
            let id = SessionID(request.plan.name.string(in: bytes)),
            registry.find(id, mount: request.mount) == nil
        else { return false }
        try relay(request, id, in: bytes, on: loop)
        return true
    }

    /// Has the server answer that has a session, as this one may not open it.
    func relay(
        _ request: SessionRequest, _ id: SessionID, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        // Whoever has sent it corrects itself.
        guard !request.exchange.isInner else {
            return request.exchange.respond(.misdirectedRequest, on: loop) { _ in }
        }
        guard let peers, peers.askingCount < Peers.askingLimit else { throw .sessionMoved }
        let (relayed, journal) = (relayed(request, id, in: bytes), context.journal)
        peers.askingCount += 1
        Task.immediate {
            let holder = try? await journal.holder(of: relayed.name)
            peers.askingCount -= 1
            guard let holder = holder.flatMap({ SocketAddress(parsing: $0) }), holder.host.isPrivate
            else { return self.tryAgain(relayed, on: loop) }
            let isUsual = holder == self.registry.chosen(for: relayed.name)
            peers.note(isUsual ? nil : holder, of: relayed.name)
            self.relay(relayed, to: holder, peers, on: loop)
        }
    }

    private func relayed(
        _ request: SessionRequest, _ id: SessionID, in bytes: Span<UInt8>
    ) -> RelayedRequest {
        RelayedRequest(
            request: request,
            message: [UInt8](copying: bytes.extracting(..<request.body.upperBound)), id: id,
            name: registry.name(id, mount: request.mount))
    }

    private func relay(
        _ relayed: RelayedRequest, to holder: SocketAddress, _ peers: Peers,
        on loop: isolated EventLoop
    ) {
        let follower = registry.follower(for: relayed, at: holder, peers, self, on: loop)
        if let follower { return follower.join(relayed, on: loop) }
        let (request, bytes) = (relayed.request, relayed.message)
        let note = peers.note(
            for: request.exchange.remoteAddress, at: loop.wallClockMilliseconds)
        registry.context.metrics.relays += 1
        let relay = Relay(
            request.exchange, of: gate.client(of: request, in: bytes.span),
            isStream: request.resource == .events, silence: context.limits.pingDuration * 3,
            by: peers.connections
        ) { [self] end in
            registry.context.metrics.relayedStreams = peers.connections.streamCount
            peers.streams[relayed.name]?[note.serial] = nil
            if peers.streams[relayed.name]?.isEmpty ?? false { peers.streams[relayed.name] = nil }
            ended(relayed, end, at: holder, peers, on: loop)
        }
        if request.resource == .events {
            peers.streams[relayed.name, default: [:]][note.serial] = relay
        }
        let message = peers.keys.relayed(request.head, in: bytes.span, to: holder, note)
        // It may wait for effects, or for a change.
        let query = Query(request.head.query, in: bytes.span)
        let isPoll =
            query["wait"] != nil || request.head.preference("wait", in: bytes.span) != nil
        let pause = isPoll || query["settle"] != nil ? context.limits.waitDuration : .zero
        relay.begin(
            message, to: holder, within: Peers.answerDuration + pause,
            isHeld: isPoll && request.head.method.isSafe, on: loop)
        registry.context.metrics.relayedStreams = peers.connections.streamCount
    }

    private func ended(
        _ relayed: RelayedRequest, _ end: RelayEnd, at holder: SocketAddress, _ peers: Peers,
        on loop: isolated EventLoop
    ) {
        let request = relayed.request
        if case .over = end { return }
        registry.context.metrics.failedRelays += 1
        if case .busy = end { return request.exchange.respond(.busy, on: loop) }
        peers.note(nil, of: relayed.name)
        switch end {
        case .over, .busy: break
        case .refused:
            let sentence = "\(holder) takes no requests from here: keys or clocks differ."
            registry.context.diagnostics.write(
                ("refused-by-server", .error, sentence), of: "\(relayed.name)", at: loop.now)
            request.exchange.respond(.sessionMoved, on: loop)
        case .lost where !request.head.method.isSafe && !hasKey(request):
            request.exchange.respond(.outcomeUnknown, on: loop)
        case .unsent, .misdirected, .lost: tryAgain(relayed, on: loop)
        }
    }

    /// It is carried out once, however often it comes: elsewhere the field says nothing.
    private func hasKey(_ request: SessionRequest) -> Bool {
        [.actions, .state].contains(request.resource) && request.head.has(.idempotencyKey)
    }

    /// Goes on with a request as if it had just come: this server may open the session by now.
    func tryAgain(_ relayed: RelayedRequest, on loop: isolated EventLoop) {
        var relayed = relayed
        relayed.request.triesCount += 1
        guard relayed.request.triesCount < Peers.pauses.count else {
            return relayed.request.exchange.respond(.sessionMoved, on: loop)
        }
        _ = Held(nil, for: Peers.pauses[relayed.request.triesCount], on: loop) { [self] _, _ in
            relayed.request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
                let bytes = relayed.message
                let request = try askedAgain(relayed.request, in: bytes.span)
                try handle(request, in: bytes.span, on: loop)
            }
        }
    }
}
