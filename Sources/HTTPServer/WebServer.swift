package import Logging
package import Sockets

/// The address and the bounds of a server.
package struct WebServerConfiguration: Sendable {
    /// An IPv4 or IPv6 address, or a name that stands for one.
    package var host: String
    /// The TCP port; 0 for any free one, told by `WebServer.port`.
    package var port: Int
    /// The event loops, each a thread; at least 1.
    package var loopCount: Int
    /// All bounds.
    package var limits: HTTPLimits
    /// From how many connections on, with something to write at the end of a turn or answers made
    /// in it, these are sent by one submission to io_uring(7), where the kernel has it; nil for
    /// never. From two on, or this many if it is less, connections that are readable in one turn
    /// are received from by one.
    package var leastBatchCount: Int? = 4
    /// Fields of every answer, whatever it is about. The defaults have browsers take a body for
    /// nothing but its media type, and keep it from the pages of other origins.
    package var commonFields: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), (OriginSharing.resourcePolicy, "same-origin"),
    ]
    /// The origins whose pages may read answers; nil for none, so that no answer differs by origin.
    package var sharing: OriginSharing?
    /// The memory of all clients together, for handlers that count into it as well; nil for one of
    /// the server's own.
    package var memory: MemoryBudget?
    /// Gets what an operator should know: never the content of requests.
    package var logger: Logger

    package init(
        host: String = "127.0.0.1", port: Int = 8080, loopCount: Int = 1,
        limits: HTTPLimits = HTTPLimits(),
        logger: Logger = Logger(label: "statecast.http")
    ) {
        self.host = host
        self.port = port
        self.loopCount = loopCount
        self.limits = limits
        self.logger = logger
    }
}

extension WebServerConfiguration {
    /// Listens; nothing takes the connections yet.
    package func listen() throws(SystemError) -> Listener {
        try Listener(
            host: host, port: port, userTimeout: limits.unacknowledgedDuration)
    }
}

/// An HTTP/1.1 server: a listener, event loops, and on each loop a handler made for it.
///
///     let server = try WebServer(configuration: configuration) { loop in Handler(loop) }
///     try server.start()
///     print(server.port)
///     …
///     await server.drain(timeout: .seconds(10))
///     await server.stop()
package final class WebServer: Sendable {
    /// Makes the handler of one loop; called on that loop, before its first request.
    package typealias HandlerFactory = @Sendable (isolated EventLoop) -> any RequestHandler

    private enum Phase {
        case idle
        case running(Listener)
        case draining(SocketAddress)
        case stopped
    }

    package let configuration: WebServerConfiguration
    /// The loops, by index; they run from `start` to the end of `stop`.
    package let loops: [EventLoop]
    private let makeHandler: HandlerFactory
    private let shared: ServerShared
    private let phase = Lock(Phase.idle)

    /// A server that does not listen yet. Throws when the system has no descriptors for its loops.
    ///
    /// `faults` makes the system calls of its loops fail, in tests.
    package init(
        configuration: WebServerConfiguration, faults: SystemCalls.Faults? = nil,
        makeHandler: @escaping HandlerFactory
    ) throws(SystemError) {
        precondition(configuration.loopCount >= 1, "A server has at least one loop.")
        self.configuration = configuration
        self.makeHandler = makeHandler
        var loops: [EventLoop] = []
        for index in 0..<configuration.loopCount {
            let stack = configuration.limits.stackByteCount
            loops.append(try EventLoop(index: index, stackByteCount: stack, faults: faults))
        }
        self.loops = loops
        shared = ServerShared(
            configuration, mailboxes: loops.map { LoopMailbox<LoopServer>(loop: $0) },
            memory: configuration.memory
                ?? MemoryBudget(configuration.limits, loopCount: configuration.loopCount))
    }

    /// Listens, and begins to serve. Throws when the address cannot be had, or a loop no thread;
    /// in the latter case the server is over.
    ///
    /// - Parameters:
    ///   - listener: listens already; nil: where the configuration says.
    ///   - inner: listens for other servers, whose requests are `isInner`; nil where there are none.
    ///   - isAccepting: false: connections wait in the kernel until `accept`.
    package func start(
        on listener: Listener? = nil, inner: Listener? = nil, isAccepting: Bool = true
    ) throws(SystemError) {
        let listener = if let listener { listener } else { try configuration.listen() }
        do throws(SystemError) {
            for loop in loops { try loop.start() }
        } catch {
            phase.withLock { $0 = .stopped }
            for loop in loops { loop.stop() }
            throw error
        }
        phase.withLock { phase in
            guard case .idle = phase else {
                preconditionFailure("A server is started once.")
            }
            phase = .running(listener)
        }
        for loop in loops {
            let (shared, makeHandler) = (shared, makeHandler)
            loop.submit { loop in
                let context = LoopContext(
                    index: loop.index, shared: shared, handler: makeHandler(loop))
                LoopServer(context, listener, inner: inner)
                    .start(isAccepting: isAccepting, on: loop)
            }
        }
    }

    /// Takes connections.
    package func accept() {
        for mailbox in shared.mailboxes {
            mailbox.post { server, loop in server.accept(on: loop) }
        }
    }

    /// The address that the server listens on, once started.
    package var address: SocketAddress? {
        phase.withLock { phase in
            switch phase {
            case .running(let listener): listener.address
            case .draining(let address): address
            case .idle, .stopped: nil
            }
        }
    }

    /// The port that the server listens on, once started; before that the configured one.
    package var port: Int {
        address.map { Int($0.port) } ?? configuration.port
    }

    /// The count of open connections.
    package var connectionCount: Int {
        shared.connectionCount
    }

    /// Takes no new connections, closes the idle ones, lets requests be answered and streams
    /// end, and waits until all are gone, at most for `timeout`. Answers whether they are.
    @discardableResult
    package func drain(timeout: Duration) async -> Bool {
        let isRunning = phase.withLock { phase in
            guard case .running(let listener) = phase else { return false }
            phase = .draining(listener.address)
            return true
        }
        guard isRunning else { return true }
        let observer = DrainObserver(loopCount: loops.count)
        for mailbox in shared.mailboxes {
            mailbox.post { server, loop in server.drain(observer, on: loop) }
        }
        loops[0].submit { loop in _ = loop.schedule(after: timeout, observer) }
        return await withTaskCancellationHandler {
            await observer.wait()
        } onCancel: {
            observer.giveUp()
        }
    }

    /// Closes what is open and ends the loops, which run what was submitted to them first.
    package func stop() async {
        let wasStarted = phase.withLock { phase in
            switch phase {
            case .idle, .stopped: return false
            case .running, .draining:
                phase = .stopped
                return true
            }
        }
        guard wasStarted else { return }
        for mailbox in shared.mailboxes {
            mailbox.post { server, loop in
                server.closeAll(on: loop)
                mailbox.loop.stop()
            }
        }
        for loop in loops { await loop.join() }
    }

    /// Lets time pass at once on its loops: tests turn the clock instead of waiting.
    package func advance(by duration: Duration) async {
        for mailbox in shared.mailboxes {
            await withCheckedContinuation { continuation in
                mailbox.post { server, loop in
                    server.advance(by: duration, on: loop)
                    continuation.resume()
                }
            }
        }
    }
}
