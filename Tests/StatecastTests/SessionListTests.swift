import Counter
import CounterModel
import Journaling
import Redux
import Sockets
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `The list of sessions` {
    private static func ids(_ answer: TestAnswer) throws -> [String] {
        try #require(try answer.json().elements).compactMap { $0["id"]?.string }
    }

    @Test func `has all of an application in pages, whichever loop they live on`() async throws {
        try await TestServer.run(
            changing: { $0.loopCount = 3 },
            serving: {
                Served("/counter", CounterApplication())
                Served("/other", CounterApplication())
            }
        ) { server in
            let ids = (0..<25).map { "s\($0)" }.sorted()
            for id in ids { try server.create("/counter/sessions/\(id)") }
            try server.create("/other/sessions/a")
            try server.dispatch("/counter/sessions/s7", "incremented", #"{"by":1}"#)
            var (found, next): ([String], String?) = ([], "/counter/sessions?limit=10")
            while let path = next {
                let page = try server.send("GET", path)
                #expect(page.status == 200)
                found += try Self.ids(page)
                next = page.fields["link"].map { link in
                    String(link.dropFirst().prefix { $0 != ">" })
                }
            }
            #expect(found == ids)
            let all = try server.send("GET", "/counter/sessions")
            #expect(try Self.ids(all) == ids && all.fields["link"] == nil)
            let seven = try server.send("GET", "/counter/sessions?after=s6&limit=1").json()
            #expect(seven.elements?.first?["version"]?.integer == 1)
            #expect(seven.elements?.first?["watchers"]?.integer == 0)
            #expect(seven.elements?.first?["token"]?.string?.hasSuffix("-1") == true)
            for query in ["limit=0", "limit=1001", "limit=x", "after=a/b", "after="] {
                #expect(try server.send("GET", "/counter/sessions?\(query)").status == 400)
            }
        }
    }

    private func summary(
        version: UInt64, last: Int64, alarm: Int64? = nil, maker: UInt16 = 1
    ) -> SessionSummary {
        SessionSummary(
            name: SessionName(mount: "", id: "a"), epoch: "e", created: Timestamp(milliseconds: 0),
            version: version, lastTime: Timestamp(milliseconds: last),
            alarm: alarm.map { Timestamp(milliseconds: $0) }, maker: maker)
    }

    @Test(
        arguments: [
            // Never posted to; with an alarm; posted to.
            (0, 0, nil, 30, 1), (0, 0, nil, nil, 1), (0, 0, 9, 30, 10), (1, 5, nil, 30, 35),
            (1, 5, nil, nil, nil), (1, 5, 50, 30, 80), (0, 0, nil, 0, 0),
        ] as [(UInt64, Int64, Int64?, Int64?, Int64?)])
    func `shows those that end by themselves`(
        version: UInt64, last: Int64, alarm: Int64?, lifetime: Int64?, end: Int64?
    ) {
        let summary = summary(version: version, last: last, alarm: alarm)
        let found = summary.end(
            lifetime.map { .milliseconds($0) }, unposted: .milliseconds(1))
        #expect(found == end.map { Timestamp(milliseconds: $0) })
    }

    @Test func `ends none that the server has made before its lifetime is over`() {
        let summary = summary(version: 0, last: 0, maker: 0)
        #expect(summary.end(.seconds(30), unposted: .seconds(1))?.milliseconds == 30_000)
        #expect(summary.end(nil, unposted: .seconds(1)) == nil)
    }
}

@Suite struct `The list of the sessions of several servers` {
    private func summary(_ id: String) -> SessionSummary {
        let begin = Timestamp(milliseconds: 0)
        return SessionSummary(
            name: SessionName(mount: "/notes", id: id), epoch: "e", created: begin, version: 0,
            lastTime: begin, alarm: nil)
    }

    @Test func `tells who watches at each, and what nobody can tell`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            try servers.two.create("/notes/sessions/other")
            servers.book.journal.list(["asleep", "demo", "other"].map(summary))
            servers.book.introduce()
            let events = try servers.two.events(servers.session)
            #expect(try events.next() != nil)
            func rows(_ server: TestServer) throws -> [String] {
                let list = try server.send("GET", "/notes/sessions")
                #expect(list.status == 200)
                return try #require(try list.json().elements).map { row in
                    let watchers = row["watchers"]?.integer.map { "\($0)" } ?? "-"
                    return "\(row["id"]?.string ?? "") \(watchers) \(row["asleep"] != nil)"
                }
            }
            let known = ["asleep - true", "demo 1 false", "other 0 false"]
            for server in [servers.one, servers.two] { #expect(try rows(server) == known) }
            let page = try servers.one.send("GET", "/notes/sessions?after=demo&limit=1").json()
            #expect(page.elements?.first?["watchers"]?.integer == 0)
            servers.book.entries.withLock { entries in
                entries.servers[2] = LiveServer(address: "127.0.0.1:1")
            }
            for server in [servers.one, servers.two] {
                #expect(try rows(server) == ["asleep - false"] + known.dropFirst())
            }
        }
    }

    @Test func `takes no more of another server than a list may have`() async throws {
        try await TwoServers.run { servers in
            let peer = try servers.makeThird()
            servers.book.journal.list([summary("asleep")])
            servers.book.entries.withLock {
                $0.servers[2] = LiveServer(address: "127.0.0.1:\(peer.port)")
            }
            servers.book.introduce()
            for (byteCount, isKnown) in [(1 << 20, true), (16 << 20, true), (16 << 20 + 1, false)] {
                let body = "[\(String(repeating: " ", count: byteCount - 2))]"
                let list = try servers.two.open("GET", "/notes/sessions")
                peer.answer(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\n"
                        + "Content-Length: \(byteCount)\r\n\r\n\(body)")
                let row = try list.answer().json().elements?.first
                #expect(row?["id"]?.string == "asleep" && (row?["asleep"] != nil) == isKnown)
            }
        }
    }
}
