import Accounting
internal import CLinux
internal import CPostgreSQL
import Glibc
package import Threads

/// One of a thread's connections, as its owner wants it; it is called on that thread.
package protocol DatabaseLane: Sendable {
    /// The first transaction on each new connection.
    var greeting: [Call] { get }
    /// Answers whether the connection may be used, as the greeting has gone.
    func welcomes(_ reply: Request.Reply) -> Bool
    /// An answer that takes longer ends the connection.
    var patience: Duration { get }
    func changed(isUp: Bool)
}

/// A thread that has some connections to one database, and connects again where one is lost.
package final class DatabaseThread: Sendable {
    private enum Message: Sendable {
        case request(Request, lane: Int)
        case close(CheckedContinuation<Void, Never>?)
    }

    private static let tickDuration = Duration.seconds(1)

    /// An eventfd.
    private final class Bell: Sendable {
        let descriptor = eventfd(0, clinux_nonblock_cloexec)
        deinit { Glibc.close(descriptor) }
    }

    private let mailbox: Mailbox<Message>
    /// Nobody reads the mailbox any more.
    private let isOver = Lock(false)

    /// libpq is there, or can be loaded.
    package static var isSupported: Bool { cpostgresql_load() }

    private let address: String
    private let bell = Bell()

    /// What is asked for waits until the thread is started.
    package init(_ address: String) {
        self.address = address
        mailbox = Mailbox { [bell] in _ = eventfd_write(bell.descriptor, 1) }
    }

    /// - Parameter ticked: called each second, on the thread.
    package func start(
        _ lanes: [any DatabaseLane], ticked: @escaping @Sendable () -> Void = {}
    ) throws(ThreadRefusal) {
        try NamedThread.start(name: "postgresql") { [self] in
            let connections = lanes.map { DatabaseConnection($0, address) }
            let closed = Self.run(connections, mailbox, bell.descriptor, ticked)
            isOver.withLock { $0 = true }
            for message in mailbox.takeAll() { Self.refuse(message) }
            closed?.resume()
        }
    }

    // MARK: From any thread

    package func submit(_ request: Request, on lane: Int) { post(.request(request, lane: lane)) }

    private func post(_ message: Message) {
        let isLate = isOver.withLock { isOver in
            if !isOver { mailbox.post(message) }
            return isOver
        }
        if isLate { Self.refuse(message) }
    }

    /// Nobody reads the mailbox any more.
    private static func refuse(_ message: Message) {
        switch message {
        case .request(let request, _): request.refuse()
        case .close(let waiting): waiting?.resume()
        }
    }

    /// Runs statements as one transaction.
    package func run(
        _ calls: [Call], on lane: Int
    ) async throws(DatabaseFailure) -> [[ResultRow]] {
        try await withCheckedContinuation { waiting in
            submit(Request({ calls }) { waiting.resume(returning: $0) }, on: lane)
        }.get()
    }

    /// The same, for a thread that may block.
    package func wait(
        for calls: [Call], on lane: Int = 0
    ) throws(DatabaseFailure) -> [[ResultRow]] {
        let monitor = Awaited()
        submit(Request({ calls }) { monitor.give($0) }, on: lane)
        return try monitor.take().get()
    }

    private final class Awaited: Sendable {
        private let reply = Monitor<Request.Reply?>(nil)
        func give(_ given: Request.Reply) {
            reply.withLock { $0 = given }
            reply.wakeAll()
        }
        func take() -> Request.Reply { reply.wait { $0 } }
    }

    /// Ends the thread once what was asked for is answered; what is asked for behind it is refused.
    package func close() async {
        await withCheckedContinuation { post(.close($0)) }
    }

    /// The same, without waiting for it.
    package func end() { post(.close(nil)) }

    // MARK: On the thread

    private static func run(
        _ connections: [DatabaseConnection], _ mailbox: Mailbox<Message>, _ bell: Int32,
        _ ticked: () -> Void
    ) -> CheckedContinuation<Void, Never>? {
        var closing: CheckedContinuation<Void, Never>??
        var tick = Instant.read().advanced(by: tickDuration)
        var (events, wasIdle) = (Set<Int>(), false)
        while true {
            for message in mailbox.takeAll() {
                switch message {
                case .request(let request, let lane): connections[lane].add(request)
                case .close(let waiting): closing = .some(waiting)
                }
            }
            let now = Instant.read()
            for (index, connection) in connections.enumerated() {
                connection.advance(now, hasEvent: events.contains(index))
            }
            if now >= tick {
                tick = now.advanced(by: tickDuration)
                if closing == nil { ticked() }
            }
            let isIdle = connections.allSatisfy(\.isIdle)
            defer { wasIdle = isIdle }
            // Who was answered last may have asked for something more.
            if closing != nil, isIdle, !wasIdle {
                events = []
                continue
            }
            if let closing, isIdle {
                for connection in connections { connection.lose("it was closed") }
                return closing
            }
            let deadline = connections.map(\.deadline).reduce(tick) { min($0, $1) }
            events = wait(for: connections, bell, until: deadline)
        }
    }

    /// - Returns: the connections that have something.
    private static func wait(
        for connections: [DatabaseConnection], _ bell: Int32, until deadline: Instant
    ) -> Set<Int> {
        var polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
        var places: [Int] = []
        for (index, connection) in connections.enumerated() {
            guard let connection = connection.polled else { continue }
            polled.append(connection)
            places.append(index)
        }
        let pause = Instant.read().duration(to: deadline).nanoseconds
        let milliseconds = Int32(clamping: max(0, (pause + 999_999) / 1_000_000))
        guard unsafe poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return [] }
        if polled[0].revents != 0 {
            var count: eventfd_t = 0
            _ = unsafe eventfd_read(bell, &count)
        }
        return Set(zip(places, polled.dropFirst()).filter { $1.revents != 0 }.map(\.0))
    }
}
