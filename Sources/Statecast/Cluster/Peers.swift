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
    /// A request is tried so often, with pauses before: the first server may have been a guess.
    static let pauses: [Duration] = [.zero, .zero, .milliseconds(50), .milliseconds(500)]
    /// As long as it may take until another server has a session of one that is lost.
    static let patientPauses: [Duration] = [
        .zero, .milliseconds(50), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
        .seconds(4),
    ]
    /// The time in which an answer begins, beside what its request waits for.
    static let answerDuration = Duration.seconds(15)
    /// A reading of another server's session waits so long for a change: its answer begins in time.
    static let waitDuration = Duration.seconds(10)
    private static let askDuration = Duration.seconds(2)
    /// Of what it answers to a question that all are asked.
    private static let answerByteCount = 16 << 20

    let keys: ClusterKeys
    /// Where this server takes requests of others.
    let address: SocketAddress
    let connections: PeerConnections
    /// On the first loop.
    var reach = Reach()
    /// The servers' addresses, as they were known last.
    var servers: Set<String> = []
    /// So many sessions were to be given away, and the journal has not said that they are.
    var unreleasedCount = 0
    /// So many tasks give sessions away.
    var handOverCount = 0
    /// The event streams that are passed on, by their sessions and numbers.
    var streams: [SessionName: [UInt64: Relay]] = [:]
    private var streamCount: UInt64 = 0
    private var holders: [SessionName: SocketAddress] = [:]
    init(_ keys: ClusterKeys, at address: SocketAddress, _ journal: any Journal) {
        (self.keys, self.address) = (keys, address)
        connections = PeerConnections { address in
            journal.servers.contains { $0.address == "\(address)" }
        } greeted: { answer, word, address in
            keys.greeted(answer, word: word, by: address)
        } sign: { message, place in
            keys.sign(message, at: place)
        }
    }

    /// Nil also where that was given up by all others: it may take requests, and do nothing for them.
    func holder(of name: SessionName) -> SocketAddress? {
        guard let holder = holders[name] else { return nil }
        if !connections.isThere(holder) { holders[name] = nil }
        return holders[name]
    }

    /// Where a request of another server stands.
    func place(of exchange: Exchange) -> PeerPlace {
        PeerPlace(receiver: address, nonce: exchange.nonce, serial: exchange.serial)
    }

    /// - Parameter holder: nil where it does not have the session any more.
    func note(_ holder: SocketAddress?, of name: SessionName) {
        if holders.count >= Self.holderCount { holders = [:] }
        holders[name] = holder
    }

    /// What each of some servers answers this one in time; nil where that is no 200.
    func ask(
        _ line: String, body sent: [UInt8] = [], at servers: [SocketAddress],
        on loop: isolated EventLoop
    ) async -> [[UInt8]?] {
        guard !servers.isEmpty else { return [] }
        return await withCheckedContinuation { goOn in
            var answers: [[UInt8]?] = []
            for server in servers {
                var (code, body): (Int, [UInt8]) = (0, [])
                let request = PeerRequest(
                    limit: Self.answerByteCount, silence: Self.askDuration, by: connections
                ) { news in
                    switch news {
                    case .began(let status, _): code = status
                    case .body(let bytes): body += bytes
                    case .ended(let isWhole):
                        answers.append(isWhole && code == 200 ? body : nil)
                        if answers.count == servers.count { goOn.resume(returning: answers) }
                    }
                }
                request.begin(ClusterKeys.own(line, body: sent), to: server, on: loop)
            }
        }
    }

    /// The number of a stream that is passed on.
    func nextStream() -> UInt64 {
        streamCount += 1
        return streamCount
    }
}

/// A request on its way to the server that has its session.
struct RelayedRequest {
    var request: SessionRequest
    let message: [UInt8]
    let id: SessionID
    let name: SessionName
}

extension Journal {
    /// Where the server takes requests of others that has a session; nil where none is known.
    func address(of name: SessionName) async -> SocketAddress? {
        let text = try? await holder(of: name)
        return text.flatMap { SocketAddress(parsing: $0) }.flatMap { $0.host.isPrivate ? $0 : nil }
    }
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
    func admits(_ request: InboundRequest, in bytes: Span<UInt8>) -> Bool {
        let (exchange, resource) = (request.exchange, request.plan.resource)
        guard let peers,
            let client = peers.keys.admit(
                request.head, in: bytes, body: request.body, at: peers.place(of: exchange)),
            client == .ofServers
                ? resource == .actions
                    || (resource, request.head.method) == (.alive, .post)
                    || (resource, request.head.method) == (.description, .delete)
                    || request.head.method.isSafe
                        && [.state, .events, .alive, .sessions].contains(resource)
                : resource.isOfSession
        else { return false }
        exchange.remoteAddress = client
        return true
    }

    /// Refuses what comes from who has not said that it is a server, and answers those who do.
    func greet(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let exchange = request.exchange
        let greeting = peers.flatMap {
            $0.keys.greeting(to: request.head, in: bytes, at: $0.place(of: exchange))
        }
        exchange.respond(.proxyAuthenticationRequired, on: loop) { writer in
            if let greeting { writer.field(greeting.field, greeting.value) }
        }
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
        // Whoever has sent it corrects itself, by what is known here of where the session went.
        guard !request.exchange.isInner else {
            let holder = peers?.holder(of: registry.name(id, mount: request.mount))
            return request.exchange.respond(.misdirectedRequest, on: loop) { writer in
                if let holder { writer.field("Statecast-Holder", "\(holder)") }
            }
        }
        guard let peers else { throw .sessionMoved }
        let (relayed, journal) = (relayed(request, id, in: bytes), context.journal)
        let (connections, byteCount) = (peers.connections, relayed.message.count)
        let client = gate.client(of: request, in: bytes)
        let share = shared.configuration.limits.clientShare
        guard connections.enter(.routes, byteCount, of: client, share: share) else { throw .busy }
        Task.immediate {
            let holder = await journal.address(of: relayed.name)
            connections.leave(.routes, byteCount, of: client)
            guard let holder else { return self.tryAgain(relayed, on: loop) }
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
        let number = peers.nextStream()
        registry.context.metrics.relays += 1
        let relay = Relay(
            request.exchange, of: gate.client(of: request, in: bytes.span),
            isStream: request.resource == .events, silence: context.limits.pingDuration * 3,
            by: peers.connections
        ) { [self] end in
            registry.context.metrics.relayedStreams = peers.connections.streamCount
            peers.streams[relayed.name]?[number] = nil
            if peers.streams[relayed.name]?.isEmpty ?? false { peers.streams[relayed.name] = nil }
            ended(relayed, end, at: holder, peers, on: loop)
        }
        if request.resource == .events {
            peers.streams[relayed.name, default: [:]][number] = relay
        }
        let message = ClusterKeys.relayed(
            request.head, in: bytes.span, of: request.exchange.remoteAddress)
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
        peers.note(named(by: end, peers), of: relayed.name)
        switch end {
        case .over, .busy: break
        case .refused:
            let sentence = "\(holder) takes no requests from here: the keys differ."
            registry.context.diagnostics.write(
                ("refused-by-server", .error, sentence), of: "\(relayed.name)", at: loop.now)
            request.exchange.respond(.sessionMoved, on: loop)
        case .lost where !request.head.method.isSafe && !hasKey(request):
            request.exchange.respond(.outcomeUnknown, on: loop)
        case .lost:
            var relayed = relayed
            relayed.request.exchange.mayBeDone = !request.head.method.isSafe
            tryAgain(relayed, on: loop)
        case .unsent, .misdirected: tryAgain(relayed, on: loop)
        }
    }

    /// The server that is there and has what another one does not have any more.
    private func named(by end: RelayEnd, _ peers: Peers) -> SocketAddress? {
        guard case .misdirected(let text?) = end, let address = SocketAddress(parsing: text),
            address != peers.address, address.host.isPrivate, peers.connections.isThere(address)
        else { return nil }
        return address
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
