import Bytes
internal import CLinux
internal import CPostgreSQL
import Glibc
package import Threads

/// A thread's connection, as its owner wants it; it is called on that thread.
package protocol DatabaseLane: Sendable {
    /// The first transaction on each new connection.
    ///
    /// - Parameter backends: the processes at the other end of those that were lost.
    func greeting(after backends: [Int64]) -> [Call]
    /// Says why the connection may not be used, as the greeting has gone; nil where it may.
    func refusal(by reply: Reply) -> String?
    /// An answer that takes longer ends the connection.
    var patience: Duration { get }
    func changed(isUp: Bool)
}

/// A thread that has a connection to a database, and connects again where that is lost. Connecting, and
/// asking for the address of a name, hold up nothing but what is asked for here.
package final class DatabaseThread: Sendable {
    private enum Message: Sendable {
        case request(Request)
        case close(CheckedContinuation<Void, Never>?)
    }

    private static let tickDuration = Duration.seconds(1)
    private static let closingDuration = Duration.seconds(5)

    /// An eventfd.
    private final class Bell: Sendable {
        let descriptor = eventfd(0, clinux_nonblock_cloexec)
        deinit { Glibc.close(descriptor) }
    }

    private let mailbox: Mailbox<Message>
    /// Why a request is refused at once: nothing can be reached, or nobody reads the mailbox any more.
    private let refusal = Lock<(failure: DatabaseFailure?, isOver: Bool)>((nil, false))

    /// libpq is there, or can be loaded.
    package static var isSupported: Bool { cpostgresql_load() }

    private let address: String
    private let bell = Bell()

    /// What is asked for waits until the thread is started.
    package init(_ address: String) {
        self.address = address
        mailbox = Mailbox { [bell] in _ = eventfd_write(bell.descriptor, 1) }
    }

    /// Wakes the thread, whoever writes to it.
    package var bellDescriptor: Int32 { bell.descriptor }

    /// - Parameter turned: called whenever the thread has been woken and does not wait for a connection, and
    ///   each second; whether that is over.
    package func start(
        _ lane: any DatabaseLane, turned: (@Sendable (_ isSecond: Bool) -> Void)? = nil
    ) throws(ThreadRefusal) {
        try NamedThread.start(name: "postgresql") { [self] in
            let closed = run(DatabaseConnection(lane, address), turned)
            refusal.withLock { $0 = (.unreachable("it was closed"), true) }
            for message in mailbox.takeAll() { refuse(message) }
            closed?.resume()
        }
    }

    // MARK: From any thread

    package func submit(_ request: @escaping Request) { post(.request(request)) }

    private func post(_ message: Message) {
        let isTaken = refusal.withLock { refusal in
            if case .request = message, refusal.failure != nil { return false }
            if !refusal.isOver { mailbox.post(message) }
            return !refusal.isOver
        }
        if !isTaken { refuse(message) }
    }

    private func refuse(_ message: Message) {
        switch message {
        case .request(let request):
            let failure = refusal.withLock(\.failure) ?? .unreachable("it was away")
            request().answered(.failure(failure))
        case .close(let waiting): waiting?.resume()
        }
    }

    /// Runs statements as one transaction.
    package func run(_ calls: [Call]) async throws(DatabaseFailure) -> [[ResultRow]] {
        // By a lock: the thread sanitizer sees no order in a continuation.
        let monitor = Awaited()
        await withCheckedContinuation { waiting in
            submit {
                (
                    calls,
                    { reply in
                        monitor.give(reply)
                        waiting.resume()
                    }
                )
            }
        }
        return try monitor.take().get()
    }

    /// The same, for a thread that may block.
    package func wait(for calls: [Call]) throws(DatabaseFailure) -> [[ResultRow]] {
        let monitor = Awaited()
        submit { (calls, { monitor.give($0) }) }
        return try monitor.take().get()
    }

    private final class Awaited: Sendable {
        private let reply = Monitor<Reply?>(nil)
        func give(_ given: Reply) {
            reply.withLock { $0 = given }
            reply.wakeAll()
        }
        func take() -> Reply { reply.wait { $0 } }
    }

    /// Ends the thread once what was asked for is answered, or has not been for five seconds; what is asked for
    /// behind it is refused.
    package func close() async {
        await withCheckedContinuation { post(.close($0)) }
    }

    /// The same, without waiting for it.
    package func end() { post(.close(nil)) }

    // MARK: On the thread

    private func run(
        _ connection: DatabaseConnection, _ turned: ((Bool) -> Void)?
    ) -> CheckedContinuation<Void, Never>? {
        var closing: CheckedContinuation<Void, Never>??
        var tick = turned.map { _ in Instant.read() } ?? .never
        var (hasEvent, wasIdle, end) = (false, false, Instant.never)
        while true {
            for message in mailbox.takeAll() {
                switch message {
                case .request(let request): connection.add(request)
                case .close(let waiting):
                    closing = .some(waiting)
                    end = Instant.read().advanced(by: Self.closingDuration)
                }
            }
            let now = Instant.read()
            connection.advance(now, hasEvent: hasEvent)
            refusal.withLock { $0.failure = connection.refusal }
            let isSecond = now >= tick
            if isSecond { tick = now.advanced(by: Self.tickDuration) }
            if closing == nil { turned?(isSecond) }
            let isIdle = connection.isIdle
            defer { wasIdle = isIdle }
            // Who was answered last may have asked for something more.
            if closing != nil, isIdle, !wasIdle, now < end {
                hasEvent = false
                continue
            }
            if let closing, isIdle || now >= end {
                connection.lose("it was closed", isOver: true)
                return closing
            }
            hasEvent = wait(for: connection, until: min(connection.deadline, tick, end))
        }
    }

    /// - Returns: whether the connection has something.
    private func wait(for connection: DatabaseConnection, until deadline: Instant) -> Bool {
        var polled = [
            pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0), connection.polled,
        ]
        let pause = Instant.read().duration(to: deadline).nanoseconds
        let milliseconds = Int32(clamping: max(0, (pause + 999_999) / 1_000_000))
        guard unsafe poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return false }
        if polled[0].revents != 0 {
            var count: eventfd_t = 0
            _ = unsafe eventfd_read(bell.descriptor, &count)
        }
        return polled[1].revents != 0
    }
}
