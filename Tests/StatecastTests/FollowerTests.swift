import HTTPMessages
import HTTPServer
import Journaling
import Redux
import Sockets
import StateCoding
import StatecastTesting
import Testing

@testable import Statecast

/// A session of the first server, of which the second serves its watchers itself.
@Suite struct `A session that many watch at another server` {
    private func watch(
        _ servers: TwoServers, _ query: String = "", _ fields: [String: String] = [:]
    ) throws -> TestEvents {
        let events = try servers.two.events(servers.session, query: query, fields: fields)
        #expect(try events.next() != nil)
        return events
    }

    /// Sixteen watch it at the second server. Those who came before it was followed come again.
    private func follow(
        _ servers: TwoServers, _ query: String = "", _ fields: [String: String] = [:]
    ) throws -> [TestEvents] {
        let first = try (0..<15).map { _ in try watch(servers, query, fields) }
        let last = try watch(servers, query, fields)
        for events in first { #expect(try events.next() == nil) }
        return try [last] + (0..<15).map { _ in try watch(servers, query, fields) }
    }

    /// The streams that the first server has: it knows of one that has ended after a moment.
    private func count(
        atMost limit: Int, _ servers: TwoServers, _ fields: [String: String] = [:]
    ) throws -> Int? {
        var count: Int?
        for _ in 0..<5_000 where count ?? .max > limit {
            let answer = try servers.one.send("GET", servers.session, fields: fields)
            count = try answer.json()["watchers"]?.integer
        }
        return count
    }

    @Test(arguments: [1, 3])
    func `costs the server that has it one stream`(loopCount: Int) async throws {
        try await TwoServers.run(loopCount: loopCount) { servers in
            try servers.one.create(servers.session)
            let watchers =
                try follow(servers) + (0..<48).map { _ in try watch(servers, "?select=/notes") }
            #expect(try count(atMost: 1, servers) == 1)
            try servers.two.post(servers.session, servers.add("a"))
            for events in watchers { #expect(try events.next()?.data.contains("\"a\"") ?? false) }
            #expect(try count(atMost: 1, servers) == 1)
            await servers.two.advance(by: .seconds(1))
            var metrics = ""
            for _ in 0..<5_000 where !metrics.contains("statecast_watchers 64\n") {
                metrics = try servers.two.send("GET", "/metrics").body
            }
            #expect(metrics.contains("statecast_followers 1\n"))
        }
    }

    @Test func `is shown as the server shows it that has it`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let watchers = try follow(servers)
            let queries = ["", "?select=/notes", "?view=count", "?view=last&prefix=x"]
            let pairs = try queries.map { query in
                try [servers.one, servers.two].map {
                    try $0.events(servers.session, query: query)
                }
            }
            let lines = try [servers.one, servers.two].map {
                try $0.events(servers.session, fields: ["Accept": "application/x-ndjson"])
            }
            for text in ["", "a", "b", "c"] {
                if !text.isEmpty { try servers.two.post(servers.session, servers.add(text)) }
                for (pair, query) in zip(pairs, queries) {
                    let seen = try pair.map { try $0.next() }
                    #expect(seen[0] == seen[1] && seen[0] != nil, "\(query) \(text)")
                }
                #expect(try lines[0].nextLine() == lines[1].nextLine())
            }
            #expect(watchers.count == 16)
        }
    }

    @Test func `is led on by patches, also from what was shown at the other server`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let watchers = try follow(servers)
            let events = try servers.two.events(servers.session, query: "?patch=json-patch")
            var document = try shown(by: events.next(), "")
            var states = [document]
            for text in ["a", "b", "c"] {
                try servers.two.post(servers.session, servers.add(text))
                document = try shown(by: events.next(), document)
                states.append(document)
                #expect(try servers.one.send("GET", "\(servers.session)/state").body == document)
            }
            let epoch = try servers.one.send("GET", "\(servers.session)/state").etag?.prefix {
                $0 != "-"
            }
            for server in [servers.one, servers.two] {
                for (version, state) in states.enumerated().dropLast() {
                    let id = "\(try #require(epoch))-\(version)"
                    let next = try server.events(
                        servers.session, query: "?patch=json-patch", fields: ["Last-Event-ID": id]
                    ).next()
                    #expect(next?.id?.hasSuffix("-3") == true)
                    // Three patches are more than this state.
                    if version == 2 { #expect(next?.name == "patch") }
                    #expect(try shown(by: next, state) == document)
                }
            }
            #expect(watchers.count == 16)
        }
    }

    /// What a client shows after an event of patches.
    private func shown(by event: TestEvent?, _ former: String) throws -> String {
        let data = Array(try #require(event).data.utf8)
        let members = try JSONValue(parsing: data.span)
        if let state = members["state"]?.json { return String(decoding: state, as: UTF8.self) }
        var document = PatchedDocument(Array(former.utf8))
        let operations = try #require(members["ops"]?.json)
        try document.apply(operations.span)
        return String(decoding: document.bytes(), as: UTF8.self)
    }

    @Test func `is never shown older than it was told before`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let watchers = try follow(servers)
            for number in 1...50 {
                try servers.one.post(servers.session, servers.add("n\(number)"))
                let event = try servers.two.events(servers.session).next()
                #expect(event?.data.contains("\"n\(number)\"") ?? false)
                // Who has the state is told the version alone, also one that has changed nothing.
                if number % 10 == 0 { try servers.one.dispatch(servers.session, "closed") }
                let tag = try #require(try servers.one.send("GET", "\(servers.session)/state").etag)
                let next = try servers.two.events(
                    servers.session, fields: ["Last-Event-ID": tag])
                #expect(try next.nextID() == tag)
            }
            #expect(watchers.count == 16)
        }
    }

    @Test func `is shown to each as its application says`() async throws {
        try await TwoServers.run(
            serving: { Served("/notes", HandsApplication()) }, changing: Self.askingWho
        ) { servers in
            func fields(_ name: String) -> [String: String] { ["Authorization": name] }
            try servers.one.create(servers.session, fields: fields("alice"))
            for (name, card) in [("alice", 11), ("bob", 22)] {
                try servers.two.post(
                    servers.session,
                    #"[{"type":"sat"},{"type":"drew","payload":{"card":\#(card)}}]"#,
                    fields: fields(name))
            }
            let watchers = try follow(servers, "", fields("eve"))
            let seen = try ["alice", "bob", "carol"].map { name in
                try [servers.one, servers.two].map {
                    try $0.events(servers.session, fields: fields(name))
                }
            }
            for step in 0..<2 {
                if step == 1 {
                    try servers.two.dispatch(
                        servers.session, "drew", #"{"card":33}"#, fields: fields("alice"))
                }
                let events = try seen.map { pair in try pair.map { try $0.next() } }
                for pair in events { #expect(pair[0] == pair[1] && pair[0] != nil) }
                #expect(events.map { $0[1]?.data.contains("11") } == [true, false, false])
                #expect(events.map { $0[1]?.data.contains("22") } == [false, true, false])
                #expect(events.map { $0[1]?.data.contains("33") } == [step == 1, false, false])
            }
            // A player's ids are no spectator's.
            let id = try #require(try watchers[0].next()?.id)
            let other = try servers.two.events(
                servers.session, fields: fields("alice").merging(["Last-Event-ID": id]) { $1 })
            #expect(try other.next()?.data.contains("11") ?? false)
            #expect(try servers.two.send("GET", "\(servers.session)/events").status == 401)
        }
    }

    /// Whoever has a name is somebody.
    private static func askingWho(_ configuration: inout ServerConfiguration) {
        configuration.authorize = { request in
            guard let name = request.authorization else { return .unauthenticated }
            return .granted(Principal(name, roles: ["act", "observe"]))
        }
    }

    @Test func `is shown on as long as access is granted`() async throws {
        let isOver = Lock(false)
        try await TwoServers.run(changing: { configuration in
            configuration.authorize = { _ in
                isOver.withLock { $0 }
                    ? .unauthenticated : .granted(Principal("eve", roles: ["act", "observe"]))
            }
        }) { servers in
            try servers.one.create(servers.session)
            let watchers = try follow(servers)
            isOver.withLock { $0 = true }
            await servers.two.advance(by: .seconds(61))
            for events in watchers {
                #expect(try events.next { $0.name != "ping" }?.name == "unauthorized")
                #expect(try events.next() == nil)
            }
        }
    }

    @Test func `goes on where the stream between the servers breaks`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let watchers = try follow(servers)
            for round in 1...3 {
                // It is not known what was kept, so that the session is opened again.
                servers.book.journal.setManner(.atOnce(.unknown))
                let lost = try servers.two.openPost(servers.session, servers.add("lost")).answer()
                #expect(lost.problem == "outcome-unknown")
                servers.book.journal.setManner(.atOnce(.kept))
                let kept = try servers.two.openPost(servers.session, servers.add("kept")).answer()
                #expect(kept.status == 200)
                for events in watchers {
                    let event = try events.next()
                    #expect(event?.id?.hasSuffix("-\(round)") ?? false)
                    #expect(event?.data.contains("lost") == false)
                }
            }
            #expect(try count(atMost: 1, servers) == 1)
        }
    }

    @Test func `is watched where it goes, behind what was seen`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            try servers.one.post(servers.session, servers.add("a"))
            let watchers = try follow(servers)
            let tag = try #require(try servers.one.send("GET", "\(servers.session)/state").etag)
            servers.book.give("demo", to: 1)
            // It is looked at by then.
            await servers.one.advance(by: .seconds(16))
            for events in watchers { #expect(try events.next() == nil) }
            let next = try servers.two.events(servers.session, fields: ["Last-Event-ID": tag])
            #expect(try next.nextID() == tag)
            try servers.one.post(servers.session, servers.add("b"))
            #expect(try next.next()?.data.contains(#""notes":["a","b"]"#) ?? false)
            let other = try servers.one.events(servers.session, fields: ["Last-Event-ID": tag])
            #expect(try other.next()?.data.contains(#""notes":["a","b"]"#) ?? false)
        }
    }

    @Test func `begins anew where it goes on from another state`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let watchers = try follow(servers)
            #expect(try servers.one.send("DELETE", servers.session).isSuccess)
            for events in watchers { #expect(try events.next() == nil) }
            let gone = try servers.two.send("GET", "\(servers.session)/events")
            #expect(gone.status == 410)
        }
    }

    @Test func `is forgotten there as far as it is where it is`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let watchers = try follow(servers, "?patch=json-patch")
            // Two patches are less than this state.
            let text = String(repeating: "a", count: 1_000)
            try servers.two.post(servers.session, servers.add(text))
            let id = try #require(try watchers[0].next()?.id)
            for text in ["b", "c"] { try servers.two.post(servers.session, servers.add(text)) }
            func again() throws -> [String?] {
                try [servers.one, servers.two].map { server in
                    try server.events(
                        servers.session, query: "?patch=json-patch", fields: ["Last-Event-ID": id]
                    ).next()?.name
                }
            }
            #expect(try again() == ["patch", "patch"])
            let forgotten = try servers.one.send(
                "POST", "\(servers.session)/forget", fields: ["Content-Type": "application/json"],
                body: #"{"before":3}"#)
            #expect(forgotten.status == 204)
            // Whatever the other server has heard by now.
            #expect(try again() == ["snapshot", "snapshot"])
            try servers.two.post(servers.session, servers.add("d"))
            let last = try watchers.map { events in try events.next { $0.data.contains("\"d\"") } }
            #expect(last.allSatisfy { $0?.name == "patch" })
        }
    }

    @Test func `is not followed for few`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            var watchers = try follow(servers)
            watchers.removeLast(9)
            // Their ends are read before these are answered.
            for _ in 0..<2 { _ = try servers.two.send("GET", "/livez") }
            for _ in 0..<3 { await servers.two.advance(by: .seconds(31)) }
            for events in watchers { #expect(try events.next { $0.name != "ping" } == nil) }
            let again = try (0..<7).map { _ in try watch(servers) }
            #expect(try count(atMost: 7, servers) == 7)
            try servers.two.post(servers.session, servers.add("a"))
            for events in again { #expect(try events.next()?.data.contains("\"a\"") ?? false) }
        }
    }

    @Test func `is passed on alone once it has a secret`() async throws {
        try await TwoServers.run(serving: { VaultApplication().served(at: "/notes") }) { servers in
            try servers.one.create(servers.session)
            let watchers = try follow(servers)
            try servers.two.dispatch(servers.session, "locked", #""open sesame""#)
            for events in watchers { #expect(try events.next() == nil) }
            let again = try (0..<20).map { _ in
                let events = try servers.two.events(servers.session)
                let data = try #require(try events.next()?.data)
                #expect(data.contains("<redacted>") && !data.contains("sesame"))
                return events
            }
            #expect(try count(atMost: 20, servers) == 20)
            try servers.two.dispatch(servers.session, "tried", #""open sesame""#)
            for events in again {
                #expect(try events.next()?.data.contains(#""attempts":1"#) ?? false)
            }
        }
    }

    @Test func `is shown whole to servers of the same build alone`() async throws {
        try await TwoServers.run(changing: Self.askingWho) { servers in
            try servers.one.create(servers.session, fields: ["Authorization": "eve"])
            let own = "?build=\(RunningBuild.id)&schema=1"
            let (server, client) = (IPAddress.ofServers, IPAddress(v4: 0xCB00_7105))
            for (path, sender, status) in [
                ("/events\(own)", server, 200), ("/events\(own)", client, 401),
                ("/events?build=other&schema=1", server, 406), ("/events", server, 406),
                ("/events?build=\(RunningBuild.id)&schema=2", server, 406),
                ("/log\(own)", server, 407), ("\(own)", server, 407),
            ] {
                #expect(try ask(path, by: sender, servers) == status, "\(path)")
            }
            let answer = try servers.one.send("HEAD", "\(servers.session)/events\(own)")
            #expect(answer.status == 401)
        }
    }

    /// The status of the answer at the listener for servers.
    private func ask(_ path: String, by sender: IPAddress, _ servers: TwoServers) throws -> Int {
        let text = "HEAD \(servers.session)\(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let bytes = Array(text.utf8)
        var parser = RequestParser()
        #expect(try parser.parse(bytes.span))
        let keys = try #require(ClusterKeys(TwoServers.key))
        let (connection, place) = try servers.greet(server: 0)
        let message = ClusterKeys.relayed(parser.head, in: bytes.span, of: sender)
        try connection.send(keys.sign(message, at: place))
        return RawAnswer(try connection.receive { $0.suffix(4) == Array("\r\n\r\n".utf8) }).status
    }
}
