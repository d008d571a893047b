import Bytes
import ClientWire
import Foundation
import HTTPMessages
import Sockets
import StateCoding
import StatecastTesting
import Threads

/// Clients that post numbered actions to many sessions and read them, and streams that watch some of them,
/// over the lives of several servers, one after the other or side by side.
final class Crowd: Sendable {
    static let sessionCount = 200
    static let clientCount = 64
    /// The first ones.
    private static let watchedCount = 16

    private let board = Monitor(CrowdBoard())
    private let running = Monitor(0)
    /// Where the servers are, and until when they are asked.
    private let servers = Lock((ports: [Int](), end: Instant.never))
    /// The disk of a server that is to be ended does not read: sessions on such a page are 423 there.
    private let hasUnreadablePages: Bool

    /// The streams that watch the first session; of fifteen more each has one.
    private let audience: Int
    private var watcherCount: Int { audience + Self.watchedCount - 1 }

    init(hasUnreadablePages: Bool = false, audience: Int = 1) {
        (self.hasUnreadablePages, self.audience) = (hasUnreadablePages, audience)
    }

    static func path(_ session: Int) -> String { "/benchmark/sessions/s\(session)" }

    var summary: String {
        board.withLock { board in
            "\(board.acknowledged.count) acknowledged, \(board.unknown.count) unknown, "
                + "\(board.reads.count) reads, \(board.seen.count) events, "
                + "\(board.snapshotCount) snapshots"
        }
    }

    /// What is not as it was told.
    func compare(with kept: Kept) -> [String] { board.withLock { $0 }.compare(with: kept) }

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
        start(watcherCount) { $0.watch($1, isLast: false) }
        defer {
            servers.withLock { $0.end = .read() }
            waitForAll()
        }
        try end()
    }

    /// The servers are there from now on.
    func move(to ports: [Int]) { servers.withLock { $0.ports = ports } }

    /// Gets an answer for what has none, asks each server for each session, and lets the streams catch up,
    /// for a minute at most each.
    func finish(on ports: [Int]) {
        servers.withLock { $0.ports = ports }
        run(Self.clientCount) { $0.post(as: $1, isLast: true) }
        run(ports.count) { $0.readAll(at: ports[$1]) }
        run(watcherCount) { $0.watch($1, isLast: true) }
    }

    private func run(_ count: Int, _ body: @escaping @Sendable (Crowd, Int) -> Void) {
        servers.withLock { $0.end = .read().advanced(by: .seconds(60)) }
        start(count, body)
        waitForAll()
    }

    /// A server may be unable to read what streams have missed, until this is called again.
    func expect(databaseToFail isExpected: Bool) {
        // A server tries once a second to reach it, and what has come before is yet to be looked at.
        if !isExpected, board.withLock({ $0.isWithoutPast }) { pause(.seconds(2)) }
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
    private func pause(_ duration: Duration = .milliseconds(20)) {
        let end = Instant.read().advanced(by: duration)
        running.wait(until: end) { _ in Void?.none }
    }

    /// Once, however often it is found.
    private func report(_ finding: String) {
        board.withLock { if !$0.findings.contains(finding) { $0.findings.append(finding) } }
    }

    /// - Returns: false for what is reported: no server that is gone, or says nothing.
    private func goesOn(_ what: String, after error: any Error) -> Bool {
        guard error is ResponseError || error is ClientDocument.Failure else {
            pause()
            return true
        }
        report("\(what): \(error)")
        return false
    }

    // MARK: Posts and reads

    private func post(as client: Int, isLast: Bool) {
        var connections: [Int: BlockingConnection] = [:]
        while let port, let post = board.withLock({ $0.next(of: client, isNew: !isLast) }) {
            do {
                let connection = try connections[port] ?? BlockingConnection(port: port)
                connections[port] = connection
                guard try take(post, as: client, on: connection, isLast) else { return }
                let session = CrowdBoard.anySession()
                switch isLast ? 0 : Int.random(in: 0..<16) {
                case 1...4: _ = try read(session, on: connection, isLast)
                case 5: try glance(at: session, on: port)
                default: break
                }
            } catch {
                connections[port] = nil
                guard goesOn("An answer to client \(client)", after: error) else { return }
            }
        }
    }

    /// - Returns: false for what is reported.
    private func take(
        _ post: CrowdBoard.Post, as client: Int, on connection: BlockingConnection, _ isLast: Bool
    ) throws -> Bool {
        let answer: ClientAnswer
        do { answer = try send(post, on: connection) } catch {
            // Whether it was done is told by its key.
            board.withLock { $0.doubt(client) }
            throw error
        }
        guard answer.status == 200 else {
            let text = String(decoding: answer.body, as: UTF8.self)
            if text.contains("/outcome-unknown\"") { board.withLock { $0.doubt(client) } }
            return isRefused(answer, isLast) || found("\(post.name) is answered", by: answer)
        }
        let version = (try? JSONValue(parsing: answer.body.span))?["version"]
        guard let version = version?.integer else { return found(post.name, by: answer) }
        board.withLock { $0.acknowledge(client, at: version) }
        board.wakeAll()
        return true
    }

    private func send(
        _ post: CrowdBoard.Post, on connection: BlockingConnection
    ) throws -> ClientAnswer {
        let body = Array(#"{"type":"incremented","payload":{"by":\#(post.count)}}"#.utf8)
        let fields = post.key.map { ["Idempotency-Key": $0] } ?? [:]
        let path = Self.path(post.session)
        return try Self.exchange(.posting(body, to: path, fields: fields), on: connection)
    }

    /// - Returns: false where it is to be asked again.
    private func read(
        _ session: Int, on connection: BlockingConnection, _ isLast: Bool
    ) throws -> Bool {
        let least = board.withLock { $0.newest[session] }
        let request = ClientRequest("GET", "\(Self.path(session))/state")
        let answer = try Self.exchange(request, on: connection)
        let version = answer.fields["etag"]?.split(separator: "-").last.flatMap {
            Int($0.dropLast())
        }
        guard answer.status == 200, let version else {
            return !isRefused(answer, isLast) && !found("A read", by: answer)
        }
        let seen = CrowdBoard.Seen(session, version, answer.body)
        board.withLock { $0.read(seen, atLeast: least) }
        return true
    }

    /// Where another server is asked instead, one that stays broken is not found.
    private func readAll(at port: Int) {
        var connection: BlockingConnection?
        var rest = (0..<Self.sessionCount)[...]
        while let session = rest.first {
            if self.port == nil { return report("s\(session) is not shown by a server.") }
            do {
                let open = try connection ?? BlockingConnection(port: port)
                connection = open
                if try read(session, on: open, true) { rest = rest.dropFirst() }
            } catch {
                connection = nil
                guard goesOn("A read of s\(session)", after: error) else { return }
            }
        }
    }

    /// It is to be asked again.
    private func isRefused(_ answer: ClientAnswer, _ isLast: Bool) -> Bool {
        guard answer.status == 503 || answer.status == 423 && hasUnreadablePages && !isLast else {
            return false
        }
        if answer.status == 503, answer.fields["retry-after"] == nil {
            report("503 without Retry-After: \(String(decoding: answer.body, as: UTF8.self))")
        }
        pause()
        return true
    }

    private func found(_ what: String, by answer: ClientAnswer) -> Bool {
        report("\(what) by \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        return false
    }

    /// Throws a `ResponseError` for what is no answer; another error where none comes.
    static func exchange(
        _ request: ClientRequest, on connection: BlockingConnection
    ) throws -> ClientAnswer {
        try connection.send(request.bytes(to: "localhost"))
        var (reader, answer) = (ResponseReader(), ClientAnswer?.none)
        while true {
            if let answer { return answer }
            let bytes = try connection.receive()
            guard !bytes.isEmpty else { throw CocoaError(.fileReadUnknown) }
            try reader.read(bytes.span) { answer = ClientAnswer($0, $1, $2) }
        }
    }

    // MARK: Streams

    /// - Parameter isLast: nothing comes any more behind what anybody was shown.
    private func watch(_ watcher: Int, isLast: Bool) {
        let session = max(0, watcher - audience + 1)
        let end = isLast ? board.withLock { $0.newest[session] } : nil
        while let port {
            do {
                if try follow(session, as: watcher, on: port, until: end) { return }
            } catch {
                guard goesOn("The stream of s\(session)", after: error) else { return }
            }
        }
        if let end { report("A stream of s\(session) does not come to \(end).") }
    }

    /// - Returns: all is seen.
    private func follow(
        _ session: Int, as watcher: Int, on port: Int, until end: Int?
    ) throws -> Bool {
        var (document, mayMissAll) = board.withLock {
            ($0.documents[watcher] ?? ClientDocument(), $0.isWithoutPast)
        }
        // A server that follows the session does not know what was before.
        let mayBegin = document.token == nil || audience > 1 && session == 0
        if let end, CrowdBoard.Seen(session, document)?.version ?? -1 >= end { return true }
        let events = try events(of: session, on: port, behind: document.token)
        defer { check(events.head, of: session) }
        while let event = try events.next(within: .seconds(1)) {
            let change = try document.apply(event.name, event.data, id: event.id)
            guard change == .changed, let seen = CrowdBoard.Seen(session, document) else {
                continue
            }
            board.withLock { board in
                board.documents[watcher] = document
                board.show(seen, to: watcher)
                mayMissAll = mayMissAll || board.isWithoutPast
                if event.name == "snapshot", !mayBegin, !mayMissAll { board.snapshotCount += 1 }
                mayMissAll = false
            }
            if let end, seen.version >= end { return true }
        }
        return false
    }

    /// What a stream begins with that follows no other is as new as what is read.
    private func glance(at session: Int, on port: Int) throws {
        let least = board.withLock { $0.newest[session] }
        let events = try events(of: session, on: port, behind: nil)
        defer { check(events.head, of: session) }
        var document = ClientDocument()
        while let event = try events.next(within: .seconds(2)) {
            _ = try document.apply(event.name, event.data, id: event.id)
            guard let seen = CrowdBoard.Seen(session, document) else { continue }
            return board.withLock { $0.read(seen, atLeast: least) }
        }
    }

    private func events(of session: Int, on port: Int, behind token: String?) throws -> TestEvents {
        let connection = try BlockingConnection(port: port)
        let request = ClientRequest.events(
            of: Self.path(session), query: "?patch=json-patch", behind: token)
        try connection.send(request.bytes(to: "localhost"))
        return TestEvents(connection)
    }

    /// A stream is there, or is to be asked for again.
    private func check(_ head: String, of session: Int) {
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        guard let status, ![200, 503].contains(status), status != 423 || !hasUnreadablePages else {
            return
        }
        report("The stream of s\(session) is answered by \(status).")
    }
}
