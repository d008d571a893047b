import Bytes
import ClientWire
import Foundation
import PostgreSQLServer
import Sockets
import StateCoding
import StatecastTesting
import Testing

/// Real servers on a real PostgreSQL, of which each, and each way between them, fails.
@Suite(
    .serialized,
    .enabled(
        if: PostgreSQLServer.isThere, "PostgreSQL 15 is not installed (Debian's package postgresql)"
    )) struct ClusterFaultTests
{
    /// `CLUSTER_FAULTS=220`: so many, of each kind equally many.
    private static let wanted =
        ProcessInfo.processInfo.environment["CLUSTER_FAULTS"].flatMap { Int($0) }

    enum Fault: CaseIterable {
        case killed, hung, cutOff, late, alone, slow, backendsEnded, standbyLost, failedOver
        case restarted

        /// What streams have missed cannot be read somewhere, or for a moment.
        var isOfDatabase: Bool { ![.killed, .alone, .slow, .standbyLost].contains(self) }

        /// It may be there for longer than a lease.
        var mayLast: Bool { [.hung, .cutOff, .alone].contains(self) }
    }

    @Test func `whatever fails, what is acknowledged is there once, and nobody is shown less`()
        throws
    {
        let seed = UInt64.random(in: 0..<1 << 32)
        print("Seed \(seed)")
        var random = SplitMix(seed: seed)
        let settings = "synchronous_standby_names = '*'\nwal_retrieve_retry_interval = '500ms'"
        let primary = try PostgreSQLServer(settings)
        let standby = try PostgreSQLServer(settings, following: primary.place)
        let servers = try ClusterServers(3, on: [primary, standby])
        // As many of one session as have servers follow it.
        let crowd = Crowd(audience: 40)
        try crowd.makeSessions(on: servers.ports)
        try crowd.post(to: servers.ports) {
            for number in 0..<(Self.wanted ?? Fault.allCases.count) {
                let fault = Fault.allCases[number % Fault.allCases.count]
                let count = Int.random(in: 1...20, using: &random)
                let server = Int.random(in: 0..<3, using: &random)
                let isLong =
                    Self.wanted != nil && fault.mayLast
                    && Int.random(in: 0..<3, using: &random) == 0
                if isLong { try until { try servers.isAlive(server) } }
                crowd.expect(databaseToFail: fault.isOfDatabase)
                try cause(fault, at: server, servers, crowd) {
                    crowd.wait(forMore: count)
                    if isLong { Self.outlast(fault, at: server, servers, crowd) }
                }
                if isLong { try until { try servers.isAlive(server) } }
                crowd.wait(forMore: Int.random(in: 1...50, using: &random))
                crowd.expect(databaseToFail: false)
            }
        }
        crowd.finish(on: servers.ports)
        print("\(Self.followerCount(servers)) sessions of others are followed")
        for process in servers.processes { #expect(process.terminate() == 0) }
        let findings = crowd.compare(with: try Kept(exportedFrom: servers.journal))
        for finding in findings { Issue.record("Seed \(seed): \(finding)") }
        print("After \(Self.wanted ?? Fault.allCases.count) faults: \(crowd.summary)")
    }

    private static func followerCount(_ servers: ClusterServers) -> Int {
        servers.processes.reduce(0) { count, process in
            let answer = try? process.answer(ClientRequest("GET", "/metrics"))
            let text = String(decoding: answer?.body ?? [], as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("statecast_followers ") }
            return count + (line?.split(separator: " ").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// Waits until the database says that a server has ended; of one that only others do not reach, for
    /// longer than that takes.
    private static func outlast(
        _ fault: Fault, at number: Int, _ servers: ClusterServers, _ crowd: Crowd
    ) {
        let begun = Instant.read()
        let end = begun.advanced(by: .seconds(fault == .alone ? 12 : 30))
        while Instant.read() < end, fault == .alone || (try? servers.isAlive(number)) != false {
            crowd.wait(forMore: 10)
        }
        print("\(fault) at server \(number) for \(begun.duration(to: .read()))")
    }

    /// - Parameter body: returns when it is to be over.
    private func cause(
        _ fault: Fault, at number: Int, _ servers: ClusterServers, _ crowd: Crowd,
        until body: () -> Void
    ) throws {
        let (peer, process) = (servers.peers[number], servers.processes[number])
        switch fault {
        case .killed:
            process.kill()
            body()
            try servers.start(number)
            crowd.move(to: servers.ports)
        case .hung:
            try process.hang()
            body()
            process.goOn()
        case .cutOff: servers.cutOff(number, until: body)
        case .late: servers.holdBack(number, until: body)
        case .alone: Self.isolate(peer, until: body)
        case .slow:
            peer.hold()
            body()
            peer.release()
        case .backendsEnded:
            _ = try servers.ask(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                """)
        case .standbyLost:
            try servers.databases[1].tell("crash")
            // What is posted waits, and reads go on.
            try until {
                try servers.ask(
                    "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "t"
            }
            try until { try (0..<9).contains { try state(of: $0, at: process).status == 200 } }
            try servers.databases[1].tell("start")
        case .failedOver: try servers.failOver()
        case .restarted:
            try servers.databases[0].tell("crash")
            try servers.databases[0].tell("start")
        }
    }

    /// Other servers do not reach a server.
    private static func isolate(_ peer: Proxy, until body: () throws -> Void) rethrows {
        peer.isClosed = true
        peer.cut()
        defer { peer.isClosed = false }
        try body()
    }

    @Test func `what a server had that hangs, is gone or is cut off is had by another`() throws {
        let servers = try ClusterServers(4)
        // Three a server: the one that would choose it is another for most.
        for number in 0..<9 {
            try servers.make(Crowd.path(number), at: number % 3)
            #expect(try post(number, at: servers.processes[number % 3]).status == 200)
        }
        let (gone, hung, cutOff, other) =
            (
                servers.processes[0], servers.processes[1], servers.processes[2],
                servers.processes[3]
            )
        let events = try watch(2, at: cutOff)
        #expect(try events.next()?.name == "snapshot")
        // One stream is passed on, and a session is followed that many watch.
        let watched = [1] + Array(repeating: 4, count: 20)
        let streams = try watched.map { try watch($0, at: other) }
        for stream in streams { #expect(try stream.next()?.name == "snapshot") }
        for number in 0..<9 {
            #expect(try post(number, at: servers.processes[number % 3]).status == 200)
        }
        // Those that had the session followed were ended for that.
        let live = try streams.filter { try $0.next { $0.name == "patch" } != nil }
        #expect(live.count >= 6)
        #expect(try events.next { $0.name == "patch" } != nil)
        // It is read once the server goes on, whose time is then over.
        let late = try BlockingConnection(port: hung.port)
        _ = try Crowd.exchange(Self.reading(1), on: late)
        try servers.holdBack(0) {
            let begun = Instant.read()
            gone.kill()
            try hung.hang()
            try late.send(Self.reading(1).bytes(to: "localhost"))
            try servers.cutOff(2) {
                for number in [2, 5, 8, 0, 3, 6, 1, 4, 7] {
                    try until { try post(number, at: other, key: "a").status == 200 }
                    let duration = begun.duration(to: .read())
                    print("s\(number) was taken over in \(duration)")
                    #expect(duration < .seconds(12))
                }
                // Who watches what it had elsewhere hears of it as soon as anybody does.
                for stream in live {
                    let news = try stream.next(within: .seconds(3)) {
                        $0.id?.hasSuffix("-3") == true
                    }
                    #expect(news == nil || news?.name == "patch")
                }
                // Who watches there has what there was until that may be old.
                let end = try events.next(within: .seconds(60)) { $0.name != "patch" }
                #expect(end?.name == "busy")
                for answer in [try state(of: 2, at: cutOff), try post(2, at: cutOff)] {
                    #expect(answer.status == 503)
                }
                #expect(try cutOff.answer(ClientRequest("GET", "/readyz")).status == 503)
            }
        }
        hung.goOn()
        let bytes = try late.receive { (try? ClientAnswer(inAll: $0)) != nil }
        let answer = try ClientAnswer(inAll: bytes)
        #expect(answer.status == 503 || Self.version(answer) == 3)
        for (number, server) in [(1, hung), (2, cutOff)] {
            try until { try post(number, at: server, key: "b").status == 200 }
            #expect(Self.version(try state(of: number, at: other)) == 4)
        }
        // A server that was given up has a new row a moment later.
        try until { try servers.ask(Self.alive) == "3" }
    }

    @Test func `who is taken for dead, and there again at once, shows nothing of what it had`()
        throws
    {
        let servers = try ClusterServers(2)
        let (one, two) = (servers.processes[0], servers.processes[1])
        for number in 0..<12 {
            try servers.make(Crowd.path(number), at: 0)
            #expect(try post(number, at: one).status == 200)
        }
        let streams = try (0..<8).map { try watch($0, at: one) }
        for stream in streams { #expect(try stream.next()?.name == "snapshot") }
        // It hears of that as it connects again, and joins in the same moment.
        _ = try servers.ask(
            """
            UPDATE statecast.server SET ended = now() WHERE id = \(Self.holder);
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        for number in 0..<12 {
            try until { try post(number, at: two, key: "a").status == 200 }
        }
        // Long before the next one is due that a silent stream is spoken to.
        for stream in streams {
            let news = try stream.next(within: .seconds(5)) { $0.id?.hasSuffix("-2") == true }
            #expect(news == nil || news?.name == "patch")
        }
        // Some are in the former one's memory for a minute.
        let list = ClientRequest("GET", "\(Crowd.path(0).dropLast(3))?limit=100")
        for server in [one, two] {
            let answer = try server.answer(list)
            let rows = try JSONValue(parsing: answer.body.span).elements ?? []
            #expect(rows.compactMap { $0["version"]?.integer } == Array(repeating: 2, count: 12))
        }
    }

    /// The server that has a session.
    private static let holder = "(SELECT max(holder) FROM statecast.session)"

    @Test func `what fails in the database alone, or between servers alone, ends with its cause`()
        throws
    {
        let servers = try ClusterServers(2)
        let (one, two) = (servers.processes[0], servers.processes[1])
        try servers.make(Crowd.path(0), at: 0)
        #expect(try post(0, at: two).status == 200)
        // Other servers do not reach it, and nobody ends it.
        try Self.isolate(servers.peers[0]) {
            let refused = try state(of: 0, at: two)
            #expect(refused.status == 503 && Self.problem(refused, is: "moved"))
            #expect(try post(0, at: one).status == 200)
            #expect(try servers.ask(Self.alive) == "2")
            try until { try two.answer(ClientRequest("GET", "/readyz")).status == 503 }
            #expect(try one.answer(ClientRequest("GET", "/readyz")).status == 200)
            #expect(try servers.ask(Self.alive) == "2")
        }
        try until { try two.answer(ClientRequest("GET", "/readyz")).status == 200 }
        try until { try post(0, at: two, key: "a").status == 200 }
        // The database is full.
        _ = try servers.ask(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE disk_full; END $$;
            CREATE TRIGGER filled BEFORE INSERT ON statecast.entry EXECUTE FUNCTION fail()
            """)
        for server in servers.processes {
            let refused = try post(0, at: server)
            #expect(refused.status == 503 && Self.problem(refused, is: "journal-unavailable"))
            #expect(Self.version(try state(of: 0, at: server)) == 3)
        }
        _ = try servers.ask("DROP TRIGGER filled ON statecast.entry")
        try until { try post(0, at: two, key: "b").status == 200 }
        // Its clock jumps: servers are ended, and begin anew.
        _ = try servers.ask("UPDATE statecast.server SET expires = expires - interval '1 hour'")
        try until { try servers.ask("\(Self.alive) AND expires > clock_timestamp()") == "2" }
        for (number, server) in servers.processes.enumerated() {
            try until { try post(0, at: server, key: "k\(number)").status == 200 }
        }
        try until { Self.version(try state(of: 0, at: one)) == 6 }
        // It has lost what was acknowledged: who watches is shown another epoch.
        let former = try state(of: 0, at: one).fields["etag"]?.dropFirst().dropLast() ?? ""
        _ = try servers.ask(
            """
            SET search_path = statecast;
            UPDATE session SET head = 1, chain = (SELECT sum FROM entry e WHERE e.session = id
                AND version = 1);
            DELETE FROM entry WHERE version > 1
            """)
        try until { try post(0, at: two, key: "c").status == 200 }
        let watched = try BlockingConnection(port: two.port)
        let request = ClientRequest.events(
            of: Crowd.path(0), query: "?patch=json-patch", behind: String(former))
        try watched.send(request.bytes(to: "localhost"))
        let event = try TestEvents(watched).next()
        #expect(event?.name == "snapshot" && event?.id?.hasSuffix("-2") == true)
    }

    // MARK: What is asked

    /// The servers that nobody has ended.
    private static let alive = "SELECT count(*) FROM statecast.server WHERE ended IS NULL"

    private static func reading(_ session: Int) -> ClientRequest {
        ClientRequest("GET", "\(Crowd.path(session))/state")
    }

    private func watch(_ session: Int, at server: ServerProcess) throws -> TestEvents {
        let connection = try BlockingConnection(port: server.port)
        let request = ClientRequest.events(of: Crowd.path(session), query: "?patch=json-patch")
        try connection.send(request.bytes(to: "localhost"))
        return TestEvents(connection)
    }

    private func state(of session: Int, at server: ServerProcess) throws -> ClientAnswer {
        try server.answer(Self.reading(session))
    }

    private func post(
        _ session: Int, at server: ServerProcess, key: String? = nil
    ) throws -> ClientAnswer {
        let body = Array(#"{"type":"incremented","payload":{"by":1}}"#.utf8)
        let fields = key.map { ["Idempotency-Key": $0] } ?? [:]
        return try server.answer(.posting(body, to: Crowd.path(session), fields: fields))
    }

    private static func version(_ answer: ClientAnswer) -> Int? {
        answer.fields["etag"]?.split(separator: "-").last.flatMap { Int($0.dropLast()) }
    }

    private static func problem(_ answer: ClientAnswer, is name: String) -> Bool {
        String(decoding: answer.body, as: UTF8.self).contains("/problems/\(name)\"")
    }

    /// Looks until something is so, for a minute at most; what cannot be asked is not so.
    private func until(_ isSo: () throws -> Bool) throws {
        let end = Instant.read().advanced(by: .seconds(60))
        while (try? isSo()) != true { try #require(Instant.read() < end) }
    }
}
