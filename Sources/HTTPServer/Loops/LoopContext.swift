internal import HTTPMessages
internal import Logging
internal import Sockets
internal import Synchronization

/// The things that all connections of one loop use: the limits, the handler, the output of a turn,
/// and the ways to other loops.
final class LoopContext {
    let shared: ServerShared
    let limits: HTTPLimits
    let leastPace: ConnectionTimes.LeastPace
    let index: Int
    let handler: any RequestHandler
    let output: TurnOutput
    let meter: TurnMeter
    /// A reader that has read nothing: copied, which is cheaper than to make another.
    private let freshReader: RequestReader
    /// The same for other servers, which add fields of their own to what clients send.
    private let innerReader: RequestReader
    /// The connections of the loop: each is the handler of its registration.
    private(set) var connectionCount = 0
    /// The requests of other loops' connections that are answered here.
    var forwards: [ForwardKey: RemoteRequest] = [:]
    /// Sources whose streams never came to be: they hear of it at the end of the turn.
    private var orphans: [any StreamSource] = []
    /// The number of the turn; it begins again at 0 after the last one.
    var turn: UInt32 = 0
    /// The server takes no new work.
    var isDraining = false
    /// Connections have come or gone since the end of the last turn.
    var hasOtherConnections = false
    /// Compresses the frames of streams that refer to nothing before them.
    private(set) lazy var frameCompressor = FrameCompressor()
    /// The streams of which something was compressed in this turn.
    private var encoded: [StreamCoding] = []
    /// The fields of every answer that is made now.
    let commonLines: DatedLines

    init(index: Int, shared: ServerShared, handler: any RequestHandler) {
        precondition(shared.mailboxes.indices.contains(index), "A loop has a mailbox.")
        self.index = index
        self.shared = shared
        self.handler = handler
        limits = shared.configuration.limits
        freshReader = RequestReader(shared.requestLimits, bodyLimit: limits.bodyByteCount)
        var innerLimits = shared.requestLimits
        // One may be as large as a number.
        innerLimits.headByteCount = max(limits.headByteCount, limits.headByteCount &+ 1024)
        innerLimits.fieldCount = max(limits.fieldCount, limits.fieldCount &+ 8)
        innerReader = RequestReader(innerLimits, bodyLimit: limits.bodyByteCount)
        meter = TurnMeter(limit: limits.turnDuration)
        leastPace = ConnectionTimes.LeastPace(limits)
        commonLines = DatedLines(shared.configuration.commonFields, shared.configuration.sharing)
        output = TurnOutput(leastCount: shared.configuration.leastBatchCount)
    }

    func reader(isInner: Bool) -> RequestReader { isInner ? innerReader : freshReader }

    // MARK: Time

    /// The instant at which a connection or a stream reaches its age, shorter or longer by up to
    /// the configured share; for nil it never does.
    func expiry(after age: Duration?, on loop: isolated EventLoop) -> Instant {
        guard let age else { return Instant(nanoseconds: .max) }
        let share = min(max(limits.jitter, 0), 1)
        return loop.now.advanced(by: age * (1 + Double.random(in: -1...1) * share))
    }

    // MARK: Answers

    /// The coding of a stream; nil where as many are compressed as may, of all or of the client's.
    func makeCoding(_ source: any StreamSource, of client: Accounts.Client) -> StreamCoding? {
        shared.beginCompressing(for: client)
            ? StreamCoding(source: source, of: client, in: shared) : nil
    }

    /// Bounds the bytes of a stream that the kernel takes before it has sent them.
    func limitUnsent(_ descriptor: borrowing Descriptor, on loop: isolated EventLoop) {
        do throws(SystemError) {
            try loop.system.limitUnsent(descriptor, to: limits.unsentStreamByteCount)
        } catch {
            // It only comes later: what is lost is found out by the next send.
            shared.configuration.logger.debug("A stream keeps the kernel's own bound: \(error)")
        }
    }

    /// Tells a source at the end of the turn that its stream never came to be.
    func closeLater(_ source: any StreamSource) {
        orphans = orphans + [source]
    }

    /// Tells the sources whose streams never came to be.
    func closeOrphans(on loop: isolated EventLoop) {
        for source in exchange(&orphans, with: []) { source.streamClosed(on: loop) }
    }

    /// Something of a stream was compressed in this turn.
    func add(encoded coding: StreamCoding) {
        var all = exchange(&encoded, with: [])
        all.append(coding)
        encoded = all
    }

    /// What was compressed in this turn is not asked for again, but for streams that are late. Where turns
    /// stay late, a frame is rather compressed once more than all are kept.
    func forgetEncoded() {
        guard !encoded.isEmpty, !output.isLate || encoded.count >= 4_096 else { return }
        for coding in exchange(&encoded, with: []) { coding.turnEnded() }
    }

    // MARK: Requests

    /// Answers true where the requests that a connection has handed out are enough for now: by their
    /// number, by the size of the answers that are not sent, or by the time of the turn. So small
    /// requests cannot pile up large answers.
    @inline(__always)
    func isEnough(_ count: Int, queued byteCount: Int, on loop: isolated EventLoop) -> Bool {
        guard count > 0 else { return byteCount > limits.pipelinedByteCount }
        guard count < limits.pipelinedRequestCount,
            output.writtenCount + byteCount <= limits.pipelinedByteCount
        else { return true }
        return meter.isLong(since: loop.now)
    }

    /// The other loop that a request must be answered on; nil when it is this one.
    @inline(__always)
    func otherLoop(for plan: RequestPlan) -> LoopDestination? {
        guard shared.mailboxes.count > 1, !plan.refusesBody, let destination = plan.destination,
            destination.loopIndex != index
        else { return nil }
        precondition(
            shared.mailboxes.indices.contains(destination.loopIndex),
            "A request was sent to a loop that does not exist.")
        return destination
    }

    /// Has the handler answer the request that these bytes are.
    @inline(__always)
    func handle(
        _ head: RequestHead, _ plan: RequestPlan, _ exchange: Exchange, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) {
        let body = head.byteCount..<bytes.count
        let request = InboundRequest(head: head, plan: plan, body: body, exchange: exchange)
        handler.handle(request, in: bytes, on: loop)
        // What a slow turn is perhaps due to. No closure holds the request: it would copy the head.
        let now = Instant.readCoarse()
        guard meter.hasMoved(now) else { return }
        meter.workEnded(at: now, since: loop.now, handler.route(of: request, in: bytes))
    }

    // MARK: Connections

    /// Takes in a connection that was accepted, unless its client has too many.
    func open(
        _ descriptor: consuming Descriptor, from address: IPAddress, isInner: Bool,
        on loop: isolated EventLoop
    ) {
        guard shared.enter(isInner ? nil : handler.client(at: address)) else { return }
        let expiry = expiry(after: limits.connectionAge, on: loop)
        let machine = ConnectionMachine(now: loop.now, expiry: expiry)
        let nonce = isInner ? UInt64.random(in: 1 ... .max) : 0
        admit(Connection(descriptor, from: address, nonce: nonce, machine, in: self), on: loop)
    }

    /// Takes in a connection from another loop, which reads on with the bytes that came with it.
    func admit(_ handover: Handover, on loop: isolated EventLoop) {
        admit(Connection(handover, now: loop.now, in: self), on: loop)
    }

    private func admit(_ connection: Connection, on loop: isolated EventLoop) {
        do throws(SystemError) {
            connectionCount += 1
            hasOtherConnections = true
            try connection.register(on: loop)
        } catch {
            shared.configuration.logger.error("A connection cannot be watched: \(error)")
            remove(connection)
        }
    }

    /// Forgets a connection that is closed, or has left for another loop. Where the server is no
    /// longer full, all loops accept again.
    func remove(_ connection: Connection, staysInServer: Bool = false) {
        connectionCount -= 1
        hasOtherConnections = true
        let client = connection.isInner ? nil : handler.client(at: connection.address)
        guard !staysInServer, shared.leave(client) else { return }
        for mailbox in shared.mailboxes {
            mailbox.post { server, loop in server.accept(on: loop) }
        }
    }
}

/// The things that the loops of one server share.
final class ServerShared: Sendable {
    let configuration: WebServerConfiguration
    let requestLimits: RequestLimits
    let mailboxes: [LoopMailbox<LoopServer>]
    let memory: MemoryBudget

    init(
        _ configuration: WebServerConfiguration, mailboxes: [LoopMailbox<LoopServer>],
        memory: MemoryBudget
    ) {
        self.configuration = configuration
        let limits = configuration.limits
        var requestLimits = RequestLimits()
        requestLimits.headByteCount = limits.headByteCount
        requestLimits.fieldCount = limits.fieldCount
        requestLimits.targetByteCount = limits.targetByteCount
        self.requestLimits = requestLimits
        self.mailboxes = mailboxes
        self.memory = memory
    }

    /// The open connections of all.
    var connectionCount: Int {
        memory.withAccounts { $0.total(.connections) + $0.total(.peers) }
    }

    /// One more connection may be accepted. Other servers' have as much room again: clients that fill the
    /// server keep out none of their requests.
    func hasRoom(_ isInner: Bool) -> Bool {
        let count = memory.withAccounts { $0.total(isInner ? .peers : .connections) }
        return count < configuration.limits.connectionCount
    }

    /// Counts a connection of a client; false, and counts it not, where they have too many. Other servers',
    /// where it is nil, and proxies', which are nobody's, count in all alone: each brings the clients of many.
    func enter(_ client: Accounts.Client?) -> Bool {
        memory.withAccounts { accounts in
            guard let client, client != 0 else {
                accounts.add(1, client == nil ? .peers : .connections, of: 0)
                return true
            }
            let most = configuration.limits.connectionsPerAddress
            guard accounts[.connections, client] < most else { return false }
            accounts.add(1, .connections, of: client)
            return true
        }
    }

    /// Ends the count of a connection; true where there was no room before.
    func leave(_ client: Accounts.Client?) -> Bool {
        let item = client == nil ? Accounts.Item.peers : .connections
        return memory.withAccounts { accounts in
            precondition(accounts[item, client ?? 0] > 0, "Only what was counted leaves.")
            accounts.add(-1, item, of: client ?? 0)
            return accounts.total(item) == configuration.limits.connectionCount - 1
        }
    }

    /// Counts one more compressed stream; false, and counts none, where there are as many as allowed.
    func beginCompressing(for client: Accounts.Client) -> Bool {
        let limits = configuration.limits
        return memory.withAccounts {
            $0.enter(
                .compressedStreams, of: client, limit: limits.compressedStreamCount,
                share: limits.clientShare)
        }
    }

    /// A compressed stream has ended.
    func endCompressing(for client: Accounts.Client) {
        memory.withAccounts { $0.add(-1, .compressedStreams, of: client) }
    }

    /// The clients who have more waiting than their share of the memory, where that becomes short: theirs
    /// goes before anybody else's.
    var greedyClients: Set<Accounts.Client> {
        guard memory.isTight else { return [] }
        let most = Accounts.share(configuration.limits.clientShare, of: memory.limit)
        return memory.withAccounts { $0.clients(above: most, .bytes) }
    }

    /// The largest request that is taken now: any that the limits allow, smaller ones where the
    /// memory budget is exceeded, and hardly any where it is far exceeded.
    var largestRequestByteCount: Int {
        switch memory.scarcity {
        case .none: .max
        case .exceeded: configuration.limits.scarceBodyByteCount
        case .farExceeded: min(configuration.limits.scarceBodyByteCount, Self.smallRequestByteCount)
        }
    }

    /// So much may wait for a client that does not take it: any amount that the limits allow,
    /// little where the memory budget is exceeded.
    var mostUnreadByteCount: Int {
        switch memory.scarcity {
        case .none: .max
        case .exceeded: 256 * 1024
        case .farExceeded: 16 * 1024
        }
    }

    /// So many bytes of requests wait behind one that is not answered before reading pauses: none
    /// where memory is short.
    var mostPipelinedByteCount: Int {
        memory.isExceeded ? 0 : configuration.limits.pipelinedByteCount
    }

    /// Requests up to this size are always taken.
    private static let smallRequestByteCount = 4096

    /// Answers true where a request of so many bytes is too large for the memory that is left.
    func isTooLarge(_ byteCount: Int) -> Bool {
        byteCount > Self.smallRequestByteCount && byteCount > largestRequestByteCount
    }
}

/// The fields that every answer of a loop has, as they are written: made once a second, when Date
/// changes (RFC 9110 §6.6.1), and then once for each origin that answers differ by.
final class DatedLines {
    private let fixed: [UInt8]
    private let sharing: OriginSharing?
    private var second: Int64 = -1
    private var plain: [UInt8] = []
    /// By the origin's number; empty until the first answer of the second.
    private var shared: [[UInt8]]

    init(_ fields: [(name: String, value: String)], _ sharing: OriginSharing?) {
        // What an origin may load depends on the origin, where some may.
        let fixed = fields.filter { sharing == nil || $0.name != OriginSharing.resourcePolicy }
        self.fixed = fixed.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
        self.sharing = sharing
        shared = Array(repeating: [], count: sharing?.originCount ?? 0)
    }

    /// The lines of an answer that is made in this second, in answer to a request of this origin.
    func lines(for origin: RequestOrigin, at second: Int64) -> [UInt8] {
        if second != self.second {
            self.second = second
            let text = HTTPDate.format(secondsSince1970: Int(second))
            plain = [UInt8]("Date: \(text)\r\n".utf8) + fixed
            for index in shared.indices { shared[index] = [] }
        }
        guard let sharing, origin != .unshared else { return plain }
        let index = Int(origin.number)
        precondition(shared.indices.contains(index), "The origin is one of the server's.")
        if shared[index].isEmpty { shared[index] = plain + sharing.lines(for: origin) }
        return shared[index]
    }
}
