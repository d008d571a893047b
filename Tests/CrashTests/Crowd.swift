import Accounting
import ClientWire
import Foundation
import Sockets
import StateCoding
import StatecastTesting
import Threads

/// Clients that post numbered actions to many sessions, and streams that watch some of them, over the
/// lives of several servers.
final class Crowd: Sendable {
    fileprivate static let sessionCount = 200
    private static let clientCount = 64
    private static let watcherCount = 16

    /// What an answer has said, or is to say.
    struct Post: Sendable {
        let session: Int
        let key: String
        let count: Int
        /// Nil before it is acknowledged.
        var version: Int?
    }

    /// What a stream has shown.
    struct Seen: Sendable {
        let session: Int
        let version: Int
        let counter: Int
    }

    fileprivate struct Board {
        var acknowledged: [Post] = []
        var seen: [Seen] = []
        var findings: [String] = []
        /// Posts without an answer, one a client at most, and the number of the client's last.
        var pending: [Int: Post] = [:]
        var numbers = [Int](repeating: 0, count: Crowd.clientCount)
        var documents = [ClientDocument](repeating: ClientDocument(), count: Crowd.watcherCount)
        /// Of streams that went on.
        var snapshotCount = 0
    }

    private let board = Monitor(Board())
    private let running = Monitor(0)
    /// The disk of a server that is to be ended does not read: sessions on such a page are 423 there.
    private let hasUnreadablePages: Bool

    init(hasUnreadablePages: Bool = false) { self.hasUnreadablePages = hasUnreadablePages }

    static func path(_ session: Int) -> String { "/benchmark/sessions/s\(session)" }

    var summary: String {
        board.withLock { board in
            "\(board.acknowledged.count) acknowledged, \(board.seen.count) events, "
                + "\(board.snapshotCount) snapshots"
        }
    }

    func makeSessions(on port: Int) throws {
        let connection = try BlockingConnection(port: port)
        for session in 0..<Self.sessionCount {
            _ = try Self.exchange(ClientRequest.making(Self.path(session)), on: connection)
        }
    }

    /// Posts and watches until the server is gone, which `end` sees to.
    func post(to port: Int, until end: () -> Void) {
        start(Self.clientCount) { $0.post(as: $1, to: port, isLast: false) }
        start(Self.watcherCount) { $0.watch($1, on: port, until: nil) }
        end()
        waitForAll()
    }

    /// Gets an answer for what has none, and lets the streams catch up.
    func finish(on port: Int) {
        start(Self.clientCount) { $0.post(as: $1, to: port, isLast: true) }
        waitForAll()
        let last = board.withLock { $0.acknowledged }.reduce(into: [:]) { last, post in
            last[post.session] = max(last[post.session] ?? 0, post.version ?? 0)
        }
        start(Self.watcherCount) { $0.watch($1, on: port, until: last[$1] ?? 0) }
        waitForAll()
    }

    /// Waits until so many more posts are acknowledged.
    func wait(forMore count: Int) {
        let target = board.withLock { $0.acknowledged.count } + count
        board.wait { $0.acknowledged.count >= target ? () : nil }
    }

    /// Waits until posts were taken in one of the seconds, every other one, in which the clock of the
    /// server is ahead.
    func waitForJump() {
        var now = timespec()
        repeat {
            wait(forMore: 1)
            unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        } while now.tv_sec % 2 == 0 || now.tv_nsec > 300_000_000
        wait(forMore: Self.clientCount + 1)
    }

    private func start(_ count: Int, _ body: @escaping @Sendable (Crowd, Int) -> Void) {
        for number in 0..<count {
            running.withLock { $0 += 1 }
            Thread.detachNewThread { [self] in
                body(self, number)
                running.withLock { $0 -= 1 }
                running.wakeAll()
            }
        }
    }

    private func waitForAll() { running.wait { $0 == 0 ? () : nil } }

    private func report(_ finding: String) { board.withLock { $0.findings.append(finding) } }

    // MARK: Posts

    private func post(as client: Int, to port: Int, isLast: Bool) {
        guard let connection = try? BlockingConnection(port: port) else { return }
        while let post = board.withLock({ $0.next(of: client, isNew: !isLast) }) {
            let body = Array(#"{"type":"incremented","payload":{"by":\#(post.count)}}"#.utf8)
            let request = ClientRequest.posting(
                body, to: Self.path(post.session), fields: ["Idempotency-Key": post.key])
            guard let answer = try? Self.exchange(request, on: connection) else { return }
            let text = String(decoding: answer.body, as: UTF8.self)
            switch answer.status {
            case 200:
                let version = (try? JSONValue(parsing: answer.body.span))?["version"]
                guard let version = version?.integer else { return report("No version: \(text)") }
                board.withLock { $0.acknowledge(client, at: version) }
                board.wakeAll()
            case 503,
                423 where hasUnreadablePages && !isLast:
                // What it asks for, in a test: 20 ms.
                let end = Instant.read().advanced(by: .milliseconds(20))
                running.wait(until: end) { _ in Void?.none }
            default: return report("\(post.key) is answered by \(answer.status): \(text)")
            }
        }
    }

    private static func exchange(
        _ request: ClientRequest, on connection: BlockingConnection
    ) throws -> ClientAnswer {
        try connection.send(request.bytes(to: "localhost"))
        var answer: ClientAnswer?
        _ = try connection.receive { bytes in
            answer = try? ClientAnswer(inAll: bytes)
            return answer != nil
        }
        guard let answer else { throw CocoaError(.fileReadUnknown) }
        return answer
    }

    // MARK: Streams

    /// - Parameter end: the version behind which nothing comes.
    private func watch(_ session: Int, on port: Int, until end: Int?) {
        do {
            while try !follow(session, on: port, until: end), end != nil {}
        } catch let failure as ClientDocument.Failure {
            report("The stream of s\(session): \(failure)")
        } catch {
            // The server is gone.
            if end != nil { report("The stream of s\(session) ends: \(error)") }
        }
    }

    /// - Returns: all is seen.
    private func follow(_ session: Int, on port: Int, until end: Int?) throws -> Bool {
        var document = board.withLock { $0.documents[session] }
        let isFirst = document.token == nil
        if let end, Self.version(of: document) == end { return true }
        let connection = try BlockingConnection(port: port)
        let request = ClientRequest.events(
            of: Self.path(session), query: "?patch=json-patch", behind: document.token)
        try connection.send(request.bytes(to: "localhost"))
        let events = TestEvents(connection)
        while let event = try events.next() {
            let change = try document.apply(event.name, event.data, id: event.id)
            guard change == .changed, let version = Self.version(of: document) else { continue }
            let counter = document.json.flatMap { try? JSONValue(parsing: $0.span) }
            let seen = Seen(
                session: session, version: version, counter: counter?["counter"]?.integer ?? -1)
            board.withLock { board in
                board.documents[session] = document
                board.seen.append(seen)
                if event.name == "snapshot", !isFirst { board.snapshotCount += 1 }
            }
            if version == end { return true }
        }
        return false
    }

    private static func version(of document: ClientDocument) -> Int? {
        document.token.flatMap { $0.split(separator: "-").last }.flatMap { Int($0) }
    }

    // MARK: What came of it

    /// What is not as it was told.
    func compare(with kept: Kept) -> [String] {
        let board = board.withLock { $0 }
        var findings = board.findings
        let keys = kept.sessions.values.flatMap { $0.entries.map(\.key) }
        let acknowledged = Set(board.acknowledged.map(\.key))
        if Set(keys).count != keys.count { findings.append("A key stands in two entries.") }
        if Set(keys) != acknowledged {
            findings.append(
                "Not kept: \(acknowledged.subtracting(keys)); kept alone: "
                    + "\(Set(keys).subtracting(acknowledged))")
        }
        for post in board.acknowledged {
            let entries = kept.sessions[post.session]?.entries ?? []
            let version = post.version ?? 0
            guard entries.indices.contains(version - 1), entries[version - 1].key == post.key else {
                findings.append("\(post.key) is not version \(version) of s\(post.session).")
                continue
            }
        }
        var last: [Int: Int] = [:]
        for seen in board.seen {
            if seen.version <= last[seen.session] ?? -1 {
                findings.append("s\(seen.session) shows \(seen.version) again.")
            }
            last[seen.session] = seen.version
            if kept.sessions[seen.session]?.counter(at: seen.version) != seen.counter {
                findings.append("s\(seen.session) showed \(seen.counter) at \(seen.version).")
            }
        }
        for session in 0..<Self.watcherCount
        where last[session] ?? 0 != kept.sessions[session]?.entries.count {
            findings.append("The stream of s\(session) ends at \(last[session] ?? 0).")
        }
        if board.snapshotCount > 0 {
            findings.append("\(board.snapshotCount) streams that went on were given snapshots.")
        }
        return findings
    }
}

extension Crowd.Board {
    /// What a client posts next: what it has no answer for, or something new.
    fileprivate mutating func next(of client: Int, isNew: Bool) -> Crowd.Post? {
        if pending[client] == nil, isNew {
            numbers[client] += 1
            pending[client] = Crowd.Post(
                session: Int.random(in: 0..<Crowd.sessionCount),
                key: "\(client)-\(numbers[client])", count: Int.random(in: 1...9))
        }
        return pending[client]
    }

    fileprivate mutating func acknowledge(_ client: Int, at version: Int) {
        guard var post = pending.removeValue(forKey: client) else { return }
        post.version = version
        acknowledged.append(post)
    }
}
