import Accounting
import ClientWire
import Foundation
import Sockets
import StateCoding
import StatecastTesting
import Threads

/// Clients that post numbered actions to many sessions and read them, and streams that watch some of them,
/// over the lives of several servers, one after the other or side by side.
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
        /// What reads have shown, and the newest version of each session that any answer has told.
        var reads: [Seen] = []
        var newest = [Int](repeating: 0, count: Crowd.sessionCount)
        var findings: [String] = []
        /// Posts without an answer, one a client at most, and the number of the client's last.
        var pending: [Int: Post] = [:]
        var numbers = [Int](repeating: 0, count: Crowd.clientCount)
        var documents = [ClientDocument](repeating: ClientDocument(), count: Crowd.watcherCount)
        /// Of streams that went on while what they had missed could be read.
        var snapshotCount = 0
        /// The database, or the way to it, fails.
        var isWithoutPast = false
    }

    private let board = Monitor(Board())
    private let running = Monitor(0)
    /// Where the servers are, and until when they are asked.
    private let servers = Lock((ports: [Int](), end: Instant.never))
    /// The disk of a server that is to be ended does not read: sessions on such a page are 423 there.
    private let hasUnreadablePages: Bool

    init(hasUnreadablePages: Bool = false) { self.hasUnreadablePages = hasUnreadablePages }

    static func path(_ session: Int) -> String { "/benchmark/sessions/s\(session)" }

    var summary: String {
        board.withLock { board in
            "\(board.acknowledged.count) acknowledged, \(board.reads.count) reads, "
                + "\(board.seen.count) events, \(board.snapshotCount) snapshots"
        }
    }

    /// Makes them at each server in turn.
    func makeSessions(on ports: [Int]) throws {
        let connections = try ports.map { try BlockingConnection(port: $0) }
        for session in 0..<Self.sessionCount {
            let connection = connections[session % ports.count]
            _ = try Self.exchange(ClientRequest.making(Self.path(session)), on: connection)
        }
    }

    /// Posts, reads and watches until `end` returns, at any of the servers; they may come and go meanwhile.
    func post(to ports: [Int], until end: () throws -> Void) rethrows {
        servers.withLock { $0 = (ports, .never) }
        start(Self.clientCount) { $0.post(as: $1, isLast: false) }
        start(Self.watcherCount) { $0.watch($1, until: nil) }
        defer {
            servers.withLock { $0.end = .read() }
            waitForAll()
        }
        try end()
    }

    /// The servers are there from now on.
    func move(to ports: [Int]) { servers.withLock { $0.ports = ports } }

    /// Gets an answer for what has none, and lets the streams catch up, for a minute at most each.
    func finish(on ports: [Int]) {
        servers.withLock { $0 = (ports, .read().advanced(by: .seconds(60))) }
        start(Self.clientCount) { $0.post(as: $1, isLast: true) }
        waitForAll()
        let last = board.withLock { $0.acknowledged }.reduce(into: [:]) { last, post in
            last[post.session] = max(last[post.session] ?? 0, post.version ?? 0)
        }
        servers.withLock { $0.end = .read().advanced(by: .seconds(60)) }
        start(Self.watcherCount) { $0.watch($1, until: last[$1] ?? 0) }
        waitForAll()
    }

    /// A server may be unable to read what streams have missed, until this is called again.
    func expect(databaseToFail isExpected: Bool) {
        board.withLock { $0.isWithoutPast = isExpected }
    }

    /// Waits until so many more posts are acknowledged, for a minute at most.
    func wait(forMore count: Int) {
        let target = board.withLock { $0.acknowledged.count } + count
        let isThere: Void? = board.wait(until: .read().advanced(by: .seconds(60))) {
            $0.acknowledged.count >= target ? () : nil
        }
        if isThere == nil { report("Nothing more was acknowledged for a minute.") }
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

    /// Any server that there is; nil where none is asked any more.
    private var port: Int? {
        servers.withLock { $0.end > .read() ? $0.ports.randomElement() : nil }
    }

    /// What a refusal asks for, in a test: 20 ms.
    private func pause() {
        let end = Instant.read().advanced(by: .milliseconds(20))
        running.wait(until: end) { _ in Void?.none }
    }

    private func report(_ finding: String) { board.withLock { $0.findings.append(finding) } }

    // MARK: Posts and reads

    private func post(as client: Int, isLast: Bool) {
        var connections: [Int: BlockingConnection] = [:]
        while let port, let post = board.withLock({ $0.next(of: client, isNew: !isLast) }) {
            do {
                let connection = try connections[port] ?? BlockingConnection(port: port)
                connections[port] = connection
                guard try take(post, as: client, on: connection, isLast) else { return }
                if Int.random(in: 0..<4) == 0 {
                    try read(Int.random(in: 0..<Self.sessionCount), on: connection, isLast)
                }
            } catch {
                // Whether it was done is told by its key.
                connections[port] = nil
                pause()
            }
        }
    }

    /// - Returns: false for what is reported.
    private func take(
        _ post: Post, as client: Int, on connection: BlockingConnection, _ isLast: Bool
    ) throws -> Bool {
        let body = Array(#"{"type":"incremented","payload":{"by":\#(post.count)}}"#.utf8)
        let request = ClientRequest.posting(
            body, to: Self.path(post.session), fields: ["Idempotency-Key": post.key])
        let answer = try Self.exchange(request, on: connection)
        guard answer.status == 200 else {
            return isRefused(answer, isLast) || found("\(post.key) is answered", by: answer)
        }
        let version = (try? JSONValue(parsing: answer.body.span))?["version"]
        guard let version = version?.integer else { return found("\(post.key)", by: answer) }
        board.withLock { $0.acknowledge(client, at: version) }
        board.wakeAll()
        return true
    }

    private func read(
        _ session: Int, on connection: BlockingConnection, _ isLast: Bool
    ) throws {
        let least = board.withLock { $0.newest[session] }
        let request = ClientRequest("GET", "\(Self.path(session))/state")
        let answer = try Self.exchange(request, on: connection)
        let version = answer.fields["etag"]?.split(separator: "-").last.flatMap {
            Int($0.dropLast())
        }
        guard answer.status == 200, let version else {
            if !isRefused(answer, isLast) { _ = found("A read", by: answer) }
            return
        }
        if version < least { report("s\(session) is shown at \(version), behind \(least).") }
        let counter = try? JSONValue(parsing: answer.body.span)["counter"]?.integer
        board.withLock { board in
            board.newest[session] = max(board.newest[session], version)
            board.reads.append(Seen(session: session, version: version, counter: counter ?? -1))
        }
    }

    /// It is to be asked again.
    private func isRefused(_ answer: ClientAnswer, _ isLast: Bool) -> Bool {
        guard answer.status == 503 || answer.status == 423 && hasUnreadablePages && !isLast else {
            return false
        }
        pause()
        return true
    }

    private func found(_ what: String, by answer: ClientAnswer) -> Bool {
        report("\(what) by \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        return false
    }

    static func exchange(
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
    private func watch(_ session: Int, until end: Int?) {
        while let port {
            do {
                if try follow(session, on: port, until: end) { return }
            } catch let failure as ClientDocument.Failure {
                return report("The stream of s\(session): \(failure)")
            } catch {
                // The server is gone, or says nothing.
                pause()
            }
        }
    }

    /// - Returns: all is seen.
    private func follow(_ session: Int, on port: Int, until end: Int?) throws -> Bool {
        var (document, mayMissAll) = board.withLock { ($0.documents[session], $0.isWithoutPast) }
        let isFirst = document.token == nil
        if let end, Self.version(of: document) == end { return true }
        let connection = try BlockingConnection(port: port)
        let request = ClientRequest.events(
            of: Self.path(session), query: "?patch=json-patch", behind: document.token)
        try connection.send(request.bytes(to: "localhost"))
        let events = TestEvents(connection)
        while let event = try events.next(within: .seconds(1)) {
            let change = try document.apply(event.name, event.data, id: event.id)
            guard change == .changed, let version = Self.version(of: document) else { continue }
            let counter = document.json.flatMap { try? JSONValue(parsing: $0.span) }
            let seen = Seen(
                session: session, version: version, counter: counter?["counter"]?.integer ?? -1)
            board.withLock { board in
                board.documents[session] = document
                board.seen.append(seen)
                mayMissAll = mayMissAll || board.isWithoutPast
                if event.name == "snapshot", !isFirst, !mayMissAll { board.snapshotCount += 1 }
                mayMissAll = false
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
        for client in board.pending.values { findings.append("\(client.key) has no answer.") }
        for read in board.reads
        where kept.sessions[read.session]?.counter(at: read.version) != read.counter {
            findings.append("s\(read.session) was \(read.counter) at \(read.version).")
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
        newest[post.session] = max(newest[post.session], version)
        acknowledged.append(post)
    }
}
