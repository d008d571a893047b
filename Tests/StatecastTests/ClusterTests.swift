import HTTPMessages
import HTTPServer
import Journaling
import Logging
import Redux
import Sockets
import StatecastTesting
import TemporaryFolder
import Testing

@testable import Statecast

/// Servers that share a journal answer for each other's sessions.
@Suite struct `A session that another server has` {
    @Test(arguments: [1, 3])
    func `is answered for as if this one had it`(loopCount: Int) async throws {
        try await TwoServers.run(loopCount: loopCount, changing: { $0.operators = .none }) {
            servers in
            let session = servers.session
            try servers.one.create(session)
            let key = ["Idempotency-Key": "k"]
            let posted = try servers.two.openPost(session, servers.add("a"), fields: key).answer()
            #expect(posted.status == 200)
            #expect(try posted.json()["version"]?.integer == 1)
            let again = try servers.one.openPost(session, servers.add("a"), fields: key).answer()
            #expect(again.fields["idempotency-replayed"] == "true")
            let tag = try #require(posted.etag)
            for (method, path, fields) in [
                ("GET", "/state", [:]), ("HEAD", "/state", [:]), ("GET", "", [:]),
                ("GET", "/state", ["If-None-Match": "\"\(tag)\""]),
                ("GET", "/state?select=/notes", ["Accept-Encoding": "gzip"]),
                ("GET", "/state?select=/nothing", [:]), ("GET", "/nothing", [:]),
                ("POST", "/actions", ["Content-Type": "application/json", "If-Match": "\"x-0\""]),
                ("PATCH", "/state", [:]), ("PUT", "", [:]),
                ("GET", "/state", ["Origin": "https://other.example"]),
            ] as [(String, String, [String: String])] {
                let body = method == "POST" ? servers.add("b") : nil
                let own = try servers.one.send(method, session + path, fields: fields, body: body)
                let other = try servers.two.send(method, session + path, fields: fields, body: body)
                #expect(other.status == own.status, "\(method) \(path)")
                #expect(other.body == own.body, "\(method) \(path)")
                let names = Set(own.fields.keys).union(other.fields.keys).subtracting(["date"])
                for name in names {
                    #expect(other.fields[name] == own.fields[name], "\(method) \(path): \(name)")
                }
            }
        }
    }

    @Test func `is watched there, and the stream ends with its connection`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let events = try servers.two.events(servers.session, query: "?select=/notes")
            #expect(try events.next()?.data == "[]")
            // More than waits for a slow client.
            let long = String(repeating: "x", count: 300_000)
            for text in ["a", long, "c"] {
                try servers.two.post(servers.session, servers.add(text))
            }
            var last: String?
            repeat { last = try events.next()?.data } while last?.hasSuffix("\"c\"]") == false
            #expect(last == "[\"a\",\"\(long)\",\"c\"]")
            let metrics = try servers.two.send("GET", "/metrics").body
            #expect(metrics.contains("statecast_relays_total"))
            #expect(try servers.one.send("DELETE", servers.session).isSuccess)
            #expect(try events.next()?.name == "end")
            #expect(try events.next() == nil)
        }
    }

    @Test func `is watched on behind what was seen at another server`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let id = try servers.two.events(servers.session).next()?.id
            let fields = ["Last-Event-ID": try #require(id)]
            try servers.two.post(servers.session, servers.add("a"))
            for query in ["", "?patch=json-patch"] {
                let seen = try [servers.one, servers.two].map { server in
                    try server.events(servers.session, query: query, fields: fields).next()
                }
                #expect(seen[0] == seen[1])
                #expect(seen[0]?.data.contains("\"a\"") ?? false)
            }
        }
    }

    @Test func `is another one's by now: the server that is asked opens it, or finds that out`()
        async throws
    {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            // The second remembers the first, which does not have it any more.
            #expect(try servers.two.send("GET", "\(servers.session)/state").status == 200)
            servers.book.give("demo", to: 2)
            let moved = try servers.two.send("GET", "\(servers.session)/state")
            #expect(moved.status == 503 && moved.problem == "moved")
            servers.book.give("demo", to: nil)
            #expect(try servers.two.send("GET", "\(servers.session)/state").status == 200)
            let posted = try servers.one.openPost(servers.session, servers.add("a")).answer()
            #expect(posted.status == 200)
        }
    }

    @Test func `is asked for where it went, as the server says that had it`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let state = "\(servers.session)/state"
            #expect(try servers.two.send("GET", state).status == 200)
            let peer = try servers.makeThird()
            let third = "127.0.0.1:\(peer.port)"
            servers.book.entries.withLock { $0.servers[2] = LiveServer(address: third) }
            servers.book.introduce()
            let moved = try servers.one.send(
                "POST", "\(servers.session)/move", fields: ["Content-Type": "application/json"],
                body: #"{"to":"\#(third)"}"#)
            #expect(moved.status == 204)
            let count = servers.book.entries.withLock(\.questionCount)
            let request = try servers.two.open("GET", state)
            peer.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            #expect(try request.answer().body == "{}")
            #expect(servers.book.entries.withLock(\.questionCount) == count)
        }
    }

    @Test func `is opened by the server that is asked where the other one does not read it`()
        async throws
    {
        let count = Lock(0)
        try await TwoServers.run(serving: {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1
                ? NotesApplication().served(at: "/notes") : VaultApplication().served(at: "/notes")
        }) { servers in
            try servers.one.create(servers.session)
            try servers.one.post(servers.session, servers.add("a"))
            servers.book.give("demo", to: 1)
            let answer = try servers.one.send("GET", "\(servers.session)/state")
            #expect(answer.status == 200 && answer.body.contains("\"a\""))
            #expect(servers.book.holder(of: "demo") == 0)
        }
    }

    @Test func `is not known to be changed where the answer was lost, unless a key tells`()
        async throws
    {
        try await TwoServers.run { servers in
            let peer = try servers.makeThird()
            let key = ["Idempotency-Key": "k"]
            for (path, fields, next, problem) in [
                ("/actions", [:], nil, "outcome-unknown"),
                ("/actions", key, nil, "session-not-found"),
                // Nobody knows where that server is.
                ("/actions", key, 3, "outcome-unknown"),
                // Nobody remembers the keys of others.
                ("/forget", key, nil, "outcome-unknown"),
            ] as [(String, [String: String], Int?, String)] {
                servers.book.give("demo", to: 2)
                let request = try servers.two.open(
                    "POST", servers.session + path,
                    fields: fields.merging(["Content-Type": "application/json"]) { $1 },
                    body: servers.add("a"))
                peer.answer("") { servers.book.give("demo", to: next) }
                #expect(try request.answer().problem == problem, "\(path)")
            }
        }
    }

    @Test(arguments: [
        (401, "unauthenticated", "outcome-unknown"), (403, "forbidden", "outcome-unknown"),
        (423, "unreadable", "outcome-unknown"), (503, "moved", "outcome-unknown"),
        (403, "rejected/locked", "locked"), (412, "precondition-failed", "precondition-failed"),
        (422, "idempotency-key-reused", "idempotency-key-reused"), (429, "too-often", "too-often"),
    ])
    func `is known to be unchanged, where an answer was lost, by who has looked for the key`(
        status: Int, code: String, told: String
    ) async throws {
        try await TwoServers.run { servers in
            let peer = try servers.makeThird()
            servers.book.give("demo", to: 2)
            let request = try servers.two.openPost(
                servers.session, servers.add("a"), fields: ["Idempotency-Key": "k"])
            peer.answer("")
            peer.answer(status, problem: code)
            #expect(try request.answer().problem == told)
        }
    }

    @Test(arguments: [
        "nonsense\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 999 No\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}", "HTTP/1.1 200 OK\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nA: b\r\n",
        "HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 70_000),
    ])
    func `is in doubt where the other server answers anything`(answer: String) async throws {
        try await TwoServers.run { servers in
            let peer = try servers.makeThird()
            servers.book.give("demo", to: 2)
            let request = try servers.two.openPost(servers.session, servers.add("a"))
            peer.answer(answer)
            #expect(try request.answer().problem == "outcome-unknown")
            let whole = "Transfer-Encoding: chunked\r\n\r\n2;x\r\n{}\r\n0\r\nA: b\r\n\r\n"
            let state = try servers.two.open("GET", "\(servers.session)/state")
            peer.answer("HTTP/1.1 200 OK\r\nKeep-Alive: x\r\n\(whole)")
            let shown = try state.answer()
            #expect(shown.body == "{}" && shown.fields["keep-alive"] == nil)
        }
    }

    @Test func `takes requests that are all alike, and those that come behind others`() async throws
    {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let requests = try (0..<20).map { _ in
                try servers.two.openPost(servers.session, servers.add("a"))
            }
            #expect(try requests.allSatisfy { try $0.answer().status == 200 })
            let connection = try servers.two.connect()
            let head = "\(servers.session)/state HTTP/1.1\r\nHost: localhost\r\n"
            try connection.send(
                "HEAD \(head)\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    + "GET \(head)Connection: close\r\n\r\n")
            let text = String(decoding: try connection.receiveAll(), as: UTF8.self)
            #expect(text.ranges(of: "HTTP/1.1 200 OK").count == 3)
            #expect(text.hasSuffix("}"))
        }
    }

    @Test func `is asked for once the whole request is there`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let body = servers.add("a")
            let connection = try servers.two.connect()
            try connection.send(
                "POST \(servers.session)/actions HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Expect: 100-continue\r\nConnection: close\r\n\r\n")
            let word = try connection.receive { $0.suffix(4) == Array("\r\n\r\n".utf8) }
            #expect(RawAnswer(word).status == 100)
            try connection.send(body)
            #expect(RawAnswer(try connection.receiveAll()).status == 200)
        }
    }

    @Test func `is asked for also where clients fill the server that has it`() async throws {
        try await TwoServers.run(changing: { $0.limits.connectionCount = 2 }) { servers in
            try servers.one.create(servers.session)
            let connections = try (0..<2).map { _ in try servers.one.connect() }
            for connection in connections {
                try connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = try connection.receive { $0.last == UInt8(ascii: "}") }
                #expect(RawAnswer(answer).status == 200)
            }
            #expect(try servers.two.send("GET", "\(servers.session)/state").status == 200)
            for connection in connections {
                try connection.send(
                    "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(RawAnswer(try connection.receiveAll()).status == 200)
            }
        }
    }

    @Test func `is polled no longer than the server is there that was asked`() async throws {
        let asked = Lock<TestRequest?>(nil)
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let state = "\(servers.session)/state"
            let tag = try #require(try servers.two.send("GET", state).etag)
            let poll = try servers.two.open(
                "GET", "\(state)?wait=20", fields: ["If-None-Match": "\"\(tag)\""])
            asked.withLock { $0 = poll }
            // It is read before these are answered.
            for _ in 0..<2 { _ = try servers.two.send("GET", "/livez") }
        }
        #expect(try asked.withLock { $0 }?.answer().status == 503)
    }

    // MARK: Who may ask

    @Test func `is not told to who is no server`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let head = "GET \(servers.session)/state HTTP/1.1\r\nHost: localhost\r\n"
            for fields in [
                "", "Statecast-Relayed: 127.0.0.1 0\r\n", "Statecast-Hello: 1\r\n",
            ] {
                let connection = try servers.connect(toServer: 0)
                try connection.send("\(head)Connection: close\r\n\(fields)\r\n")
                #expect(RawAnswer(try connection.receiveAll()).status == 407)
                // At the listener for clients the field is nothing.
                let answer = try RawAnswer(servers.one, "\(head)\(fields)")
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `has no body taken of who is no server`() async throws {
        try await TwoServers.run { servers in
            let head = "POST \(servers.session)/actions HTTP/1.1\r\nHost: localhost\r\n"
            for rest in [
                "Content-Length: 60000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n",
                "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
            ] {
                let connection = try servers.connect(toServer: 0)
                try connection.send(head + rest)
                #expect(RawAnswer(try connection.receiveAll()).status == 407)
            }
            let (connection, place) = try servers.greet(server: 0)
            var sent = try #require(ClusterKeys(TwoServers.key)).sign(
                ClusterKeys.own("POST \(servers.session)/actions", body: [0x5B, 0x5D]), at: place)
            sent[sent.count - 1] ^= 1
            try connection.send(sent)
            let answer = try connection.receive { $0.suffix(4) == Array("\r\n\r\n".utf8) }
            #expect(RawAnswer(answer).status == 407)
        }
    }

    @Test func `has access asked nothing by who is no server`() async throws {
        let asked = Lock(0)
        try await TwoServers.run(changing: {
            $0.authorize = { _ in
                asked.withLock { $0 += 1 }
                return .granted(Principal("alice", roles: ["admin"]))
            }
        }) { servers in
            let connection = try servers.connect(toServer: 0)
            try connection.send(
                "POST /notes/sessions?replay=4x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Type: application/x-ndjson\r\nContent-Length: 0\r\n\r\n")
            #expect(RawAnswer(try connection.receiveAll()).status == 407)
            #expect(asked.withLock { $0 } == 0)
        }
    }

    @Test func `is changed once by what another server has sent once`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let bytes = Array(
                """
                POST \(servers.session)/actions HTTP/1.1\r\nHost: localhost\r
                Content-Type: application/json\r\n\r\n\(servers.add("a"))
                """.utf8)
            var parser = RequestParser()
            #expect(try parser.parse(bytes.span))
            let message = ClusterKeys.relayed(
                parser.head, in: bytes.span, of: IPAddress(v4: 0x7F00_0001))
            let (connection, place) = try servers.greet(server: 0)
            let signed = try #require(ClusterKeys(TwoServers.key)).sign(message, at: place)
            try connection.send(signed)
            let answer = try connection.receive { $0.last == UInt8(ascii: "}") }
            #expect(RawAnswer(answer).status == 200)
            for connection in [connection, try servers.greet(server: 0).connection] {
                try connection.send(signed)
                let refusal = try connection.receive { $0.suffix(4) == Array("\r\n\r\n".utf8) }
                #expect(RawAnswer(refusal).status == 407)
            }
            let state = try servers.one.send("GET", "\(servers.session)/state")
            #expect(state.body.contains(#""notes":["a"]"#))
        }
    }

    @Test func `is told by the old key and the new one while they are changed`() async throws {
        let other: [UInt8] = Array(200..<216)
        for (keys, status) in [
            ([TwoServers.key + other, other + TwoServers.key], 200),
            ([TwoServers.key, TwoServers.key + other], 200), ([TwoServers.key, other], 503),
        ] {
            let lines = LogLines()
            try await TwoServers.run(
                keys: keys,
                changing: { $0.logger = Logger(label: "test") { _ in lines.handler } }
            ) { servers in
                try servers.one.create(servers.session)
                let answer = try servers.two.send("GET", "\(servers.session)/state")
                #expect(answer.status == status)
                let sentence = "\(servers.book.address(of: 0) ?? "") takes no requests from here"
                #expect(lines.text.contains(sentence) == (status == 503))
            }
        }
    }

    @Test func `is asked for on the account, and by the rights, of the client`() async throws {
        try await TwoServers.run(changing: { configuration in
            configuration.authorize = { request in
                guard let name = request.authorization else { return .unauthenticated }
                let roles = name.split(separator: "-").dropFirst().map(String.init)
                return .granted(Principal(name, roles: Set(roles)))
            }
        }) { servers in
            let all = ["Authorization": "eve-act-observe-admin-inspect"]
            try servers.one.create(servers.session, fields: all)
            for name in ["none", "eve-observe", "eve-act", "eve-admin", "eve-inspect"] {
                let fields = ["Authorization": name, "Content-Type": "application/json"]
                for (method, path, body) in [
                    ("GET", "/state", nil), ("POST", "/actions", servers.add("x")),
                    ("GET", "/log", nil), ("PUT", "/state", #"{"notes":[]}"#),
                ] as [(String, String, String?)] {
                    let target = servers.session + path
                    let own = try servers.one.send(method, target, fields: fields, body: body)
                    let other = try servers.two.send(method, target, fields: fields, body: body)
                    #expect(own.status == other.status, "\(name) \(method) \(path)")
                }
            }
            let nobody = try servers.two.send("GET", "\(servers.session)/state")
            #expect(nobody.status == 401)
        }
    }

    @Test func `is not ended by who is an operator at another server alone`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            #expect(try servers.two.send("DELETE", servers.session).status == 403)
            #expect(try servers.one.send("DELETE", servers.session).status == 204)
        }
    }

    @Test(arguments: ["8.8.8.8", "0.0.0.0", "::"])
    func `needs a private network`(host: String) throws {
        #expect(IPAddress(parsing: host)?.isPrivate == false)
        let folder = TemporaryFolder()
        try folder.write("key", TwoServers.key, mode: 0o600)
        #expect(throws: ServerError.self) {
            try Cluster(host: host, keyFile: "\(folder.path)/key").open()
        }
    }

    @Test func `needs a key that nobody else on the machine can read`() throws {
        let folder = TemporaryFolder()
        for (mode, isTaken) in [(0o600, true), (0o640, true), (0o644, false), (0o602, false)] {
            try folder.write("key", TwoServers.key, mode: mode)
            let cluster = Cluster(host: "127.0.0.1", keyFile: "\(folder.path)/key")
            #expect(((try? cluster.open()) != nil) == isTaken, "\(mode)")
        }
    }

    @Test(arguments: [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.1", "192.168.1.1", "100.64.0.1",
        "169.254.1.1", "::1", "fd00::1", "fe80::1",
    ])
    func `has one here`(host: String) {
        #expect(IPAddress(parsing: host)?.isPrivate == true)
    }
}
