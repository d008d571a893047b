import Journaling
import Redux
import Sockets
import StatecastTesting
import Testing

@testable import Statecast

/// Takes texts: at once, hours later, or when an effect has ended.
private struct SlowApplication: PlainApplication {
    struct State: StateValue { var texts: [String] = [] }

    enum Action: ActionGroup {
        case added(String)
        case delayed(text: String, hours: Int)
        case begun, endless
    }

    /// An effect waits for it, or opens it where it is cancelled.
    let gate: Gate
    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .added(let text), .delayed(let text, _): state.texts.append(text)
        case .begun, .endless: break
        }
    }

    static func run(
        _ gate: Gate = Gate(), _ body: @Sendable (TwoServers) async throws -> Void
    ) async throws {
        try await TwoServers.run(
            serving: { Served("/notes", Self(gate: gate), middleware: [slowness(gate)]) },
            changing: { $0.drainDuration = .seconds(60) }
        ) { servers in
            try servers.one.create(servers.session)
            servers.book.introduce()
            try await body(servers)
        }
    }

    private static func slowness(_ gate: Gate) -> Middleware<State, Action> {
        Middleware(
            "slowness",
            intercept: { action, _, _ in
                guard case .delayed(_, let hours) = action else { return .pass }
                return .delay(.seconds(3_600 * hours), key: nil)
            },
            effectsAfter: { step in
                switch step.action {
                case .added, .delayed: []
                case .begun:
                    [
                        .run { context in
                            await gate.wait()
                            try await context.send(.added("done"))
                        }
                    ]
                case .endless:
                    [
                        .run { context in
                            defer { gate.open() }
                            try await context.sleep(for: .seconds(3_600))
                        }
                    ]
                }
            })
    }
}

/// A server that is about to go has others go on with its sessions.
@Suite struct `A server that drains` {
    @Test func `has another one go on with what is watched, and puts down what nobody uses`()
        async throws
    {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            try servers.one.create("/notes/sessions/quiet")
            servers.book.introduce()
            let streams = try [servers.one, servers.two].map { try $0.events(servers.session) }
            let ids = try streams.map { try $0.next()?.id }
            #expect(ids[0] != nil && ids[0] == ids[1])
            let id = try #require(ids[0])
            let poll = try servers.one.open(
                "GET", "\(servers.session)/state?wait=20", fields: ["If-None-Match": "\"\(id)\""])
            // It is read before these are answered.
            for _ in 0..<2 { _ = try servers.one.send("GET", "/livez") }
            #expect(try servers.one.send("POST", "/cluster/drain").status == 204)
            #expect(servers.book.holder(of: "demo") == 1)
            #expect(servers.book.holder(of: "quiet") == nil)
            #expect(try servers.one.send("GET", "/readyz").status == 503)
            #expect(try servers.two.send("GET", "/readyz").status == 200)
            // No event says that something is wrong.
            for stream in streams { #expect(try stream.next() == nil) }
            #expect(try poll.answer().status == 304)
            for (server, text) in [(servers.one, "a"), (servers.two, "b")] {
                let posted = try server.openPost(servers.session, servers.add(text)).answer()
                #expect(posted.status == 200)
            }
            for server in [servers.one, servers.two] {
                let events = try server.events(servers.session, fields: ["Last-Event-ID": id])
                #expect(try events.next()?.data.contains(#"["a","b"]"#) ?? false)
            }
            #expect(try servers.one.send("GET", "/notes/sessions/quiet/state").status == 200)
            #expect(servers.book.holder(of: "quiet") == 1)
        }
    }

    @Test func `lets finish what is under way, and sends on what comes meanwhile`() async throws {
        try await TwoServers.run(changing: { $0.drainDuration = .seconds(10) }) { servers in
            let journal = servers.book.journal
            try servers.one.create(servers.session)
            servers.book.introduce()
            journal.setManner(.byHand)
            let first = try servers.one.openPost(servers.session, servers.add("a"))
            await journal.waitForAppends(1)
            let drain = try servers.one.open("POST", "/cluster/drain")
            _ = try servers.one.send("GET", "/livez")
            let second = try servers.one.openPost(servers.session, servers.add("b"))
            _ = try servers.one.send("GET", "/livez")
            #expect(servers.book.holder(of: "demo") == 0)
            for (number, post) in [(1, first), (2, second)] {
                await journal.answerNext(.kept)
                let answer = try post.answer()
                #expect(answer.status == 200)
                #expect(try answer.json()["version"]?.integer == number)
            }
            #expect(try drain.answer().status == 204)
            #expect(servers.book.holder(of: "demo") != 0)
        }
    }

    private func texts(_ servers: TwoServers) throws -> [String?]? {
        try servers.two.send("GET", "\(servers.session)/state").json()["texts"]?.elements?
            .map(\.string)
    }

    private func beginDrain(_ servers: TwoServers) throws -> TestRequest {
        let book = servers.book
        let count = book.entries.withLock(\.lookCount)
        let drain = try servers.one.open("POST", "/cluster/drain")
        while book.entries.withLock(\.lookCount) == count {
            _ = try servers.one.send("GET", "/livez")
        }
        return drain
    }

    @Test(arguments: [false, true])
    func `carries out before what was put off`(byMoving: Bool) async throws {
        try await SlowApplication.run { servers in
            for (text, hours) in [("late", 2), ("soon", 1)] {
                let payload = #"{"text":"\#(text)","hours":\#(hours)}"#
                let answer = try servers.one.dispatch(servers.session, "delayed", payload)
                #expect(answer.status == 202)
            }
            if byMoving {
                #expect(try servers.move(to: 1).status == 204)
            } else {
                #expect(try beginDrain(servers).answer().status == 204)
            }
            #expect(servers.book.holder(of: "demo") != 0)
            #expect(try texts(servers) == ["soon", "late"])
        }
    }

    @Test func `gives effects a while to end, and is asked meanwhile as ever`() async throws {
        let gate = Gate()
        try await SlowApplication.run(gate) { servers in
            #expect(try servers.one.dispatch(servers.session, "begun").status == 200)
            let drain = try beginDrain(servers)
            let posted = try servers.one.dispatch(servers.session, "added", #""a""#)
            #expect(posted.status == 200)
            #expect(servers.book.holder(of: "demo") == 0)
            gate.open()
            #expect(try drain.answer().status == 204)
            #expect(try texts(servers) == ["a", "done"])
        }
    }

    @Test func `cancels effects that go on for half of its time`() async throws {
        let gate = Gate()
        try await SlowApplication.run(gate) { servers in
            #expect(try servers.one.dispatch(servers.session, "endless").status == 200)
            let drain = try beginDrain(servers)
            #expect(servers.book.holder(of: "demo") == 0)
            await servers.one.advance(by: .seconds(31))
            #expect(try drain.answer().status == 204)
            await gate.wait()
            #expect(servers.book.holder(of: "demo") == 1)
        }
    }

    @Test func `opens nothing that other servers may open`() async throws {
        try await SlowApplication.run { servers in
            let drained = try beginDrain(servers).answer()
            #expect(drained.status == 204)
            // The other one has not heard of that.
            servers.book.entries.withLock { entries in
                var server = entries.servers[0]
                server?.isDraining = false
                entries.servers[0] = server
            }
            for number in 0..<20 {
                let path = "/notes/sessions/s\(number)"
                #expect(try servers.two.create(path).status == 201)
                #expect(servers.book.holder(of: "s\(number)") == 1)
            }
        }
    }

    @Test func `keeps what it has where no other one is there`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            let answer = try servers.one.send("POST", "/cluster/drain")
            #expect(answer.status == 503 && answer.problem == "busy")
            #expect(answer.body.contains(#""left":1"#))
            #expect(servers.book.holder(of: "demo") == 0)
            #expect(try servers.one.send("GET", "\(servers.session)/state").status == 200)
        }
    }

    @Test func `gives one session to the server that an operator names`() async throws {
        try await TwoServers.run { servers in
            try servers.one.create(servers.session)
            servers.book.introduce()
            func move(to address: String?) throws -> TestAnswer {
                try servers.one.send(
                    "POST", "\(servers.session)/move",
                    fields: ["Content-Type": "application/json"],
                    body: #"{"to":"\#(address ?? "")"}"#)
            }
            #expect(try move(to: "10.0.0.1:1").problem == "bad-parameter")
            #expect(try move(to: servers.book.address(of: 0)).status == 204)
            #expect(servers.book.holder(of: "demo") == 0)
            servers.book.entries.withLock { $0.releasesNone = true }
            #expect(try move(to: servers.book.address(of: 1)).problem == "busy")
            #expect(servers.book.holder(of: "demo") == 0)
            servers.book.entries.withLock { $0.releasesNone = false }
            // It is opened again.
            #expect(try servers.one.send("GET", "\(servers.session)/state").status == 200)
            let moved = try move(to: servers.book.address(of: 1))
            #expect(moved.status == 204, "\(moved)")
            #expect(servers.book.holder(of: "demo") == 1)
            let posted = try servers.one.openPost(servers.session, servers.add("a")).answer()
            #expect(posted.status == 200)
        }
    }

    @Test func `leaves in parts, those first that nobody uses`() {
        let parts = Array(1...10).departures(unused: 4, used: 2) { $0 % 2 == 0 }
        #expect(parts.map(\.count) == [4, 1, 2, 2, 1])
        #expect(parts[..<2].joined().allSatisfy { $0 % 2 == 0 })
        #expect(Set(parts.joined()) == Set(1...10))
        #expect([Int]().departures { _ in true }.isEmpty)
    }
}

@Suite struct `A session that nobody has` {
    private static let servers = [1.0, 1, 2].enumerated().map { number, share in
        LiveServer(address: "10.0.0.\(number):8090", share: share)
    }
    private static let names = (0..<4_000).map { SessionName(mount: "/notes", id: "s\($0)") }

    private func choices(among servers: [LiveServer]) -> [LiveServer?] {
        Self.names.map { servers.choice(for: $0, by: SharedJournal.hash) }
    }

    @Test func `is opened by the server that all choose`() async throws {
        try await TwoServers.run { servers in
            servers.book.introduce()
            for name in Self.names.prefix(20) {
                let path = "/notes/sessions/\(name.id)"
                try servers.two.create(path)
                let choice = servers.book.servers.choice(for: name, by: SharedJournal.hash)
                let isFirst = choice?.address == servers.book.address(of: 0)
                #expect(servers.book.holder(of: name.id) == (isFirst ? 0 : 1))
                #expect(try servers.one.send("GET", "\(path)/state").status == 200)
            }
            // One that another has all the same is found.
            let former = try #require(servers.book.holder(of: "s0"))
            servers.book.give("s0", to: 1 - former)
            for server in [servers.one, servers.two] {
                #expect(try server.send("GET", "/notes/sessions/s0/state").status == 200)
            }
            #expect(servers.book.holder(of: "s0") == 1 - former)
        }
    }

    @Test func `is called for its alarm by the server that all choose, and later by any`()
        async throws
    {
        try await TwoServers.run { servers in
            let (book, names) = (servers.book, Self.names.prefix(30))
            book.introduce()
            // A third one does nothing.
            book.entries.withLock { $0.servers[2] = LiveServer(address: "10.0.0.9:8090") }
            let now = Timestamp(milliseconds: Instant.readWallClock())
            for name in names { try await book.make(name, alarm: now) }
            let all = book.servers
            let choices = names.map { name in
                all.firstIndex(of: all.choice(for: name, by: SharedJournal.hash) ?? all[0])
            }
            #expect(Set(choices) == [0, 1, 2])
            func call() async throws {
                for server in [servers.one, servers.two] {
                    await server.advance(by: .seconds(1))
                    _ = try server.send("GET", "/livez")
                }
            }
            func holders() -> [Int?] { names.map { book.holder(of: $0.id) } }
            let expected = choices.map { $0 == 2 ? nil : $0 }
            while holders().count(where: { $0 == nil }) > expected.count(where: { $0 == nil }) {
                try await call()
            }
            #expect(holders() == expected)
            for (name, choice) in zip(names, choices) where choice == 2 {
                try await book.make(name, alarm: Timestamp(milliseconds: now.milliseconds - 9_000))
            }
            while holders().contains(nil) { try await call() }
            for (holder, choice) in zip(holders(), choices) where choice != 2 {
                #expect(holder == choice)
            }
        }
    }

    @Test func `has a server by that one's share, whatever their order`() {
        let choices = choices(among: Self.servers)
        for (server, count) in zip(Self.servers, [1_000, 1_000, 2_000]) {
            let found = choices.count { $0 == server }
            #expect(abs(found - count) < 150, "\(server.address): \(found)")
        }
        #expect(self.choices(among: Self.servers.reversed()) == choices)
    }

    @Test func `has a server that has its application, and reads its schema`() {
        var servers = Self.servers
        for (index, schemas) in [["/notes": 2], ["/notes": 1], ["/list": 3]].enumerated() {
            servers[index].schemas = schemas
        }
        for (schema, expected) in [(0, 2), (1, 2), (2, 1), (3, 0)] {
            let choices = Self.names.prefix(99).compactMap {
                servers.choice(for: $0, of: schema, by: SharedJournal.hash)?.address
            }
            #expect(Set(choices).count == expected, "\(schema)")
        }
    }

    @Test func `and is of a newer schema is opened by who reads it, and given to nobody else`()
        async throws
    {
        let count = Lock(0)
        try await TwoServers.run(serving: {
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return Served(
                "/notes", NotesApplication(),
                options: .init(schema: Schema(version: isFirst ? 1 : 2)))
        }) { servers in
            let ids = (0..<20).map { "s\($0)" }
            let early = (0..<20).map { "e\($0)" }
            for id in ids + early + ["late"] { try servers.two.create("/notes/sessions/\(id)") }
            // Who cannot read one remembers that for a while, in which another one may open it.
            for id in early {
                servers.book.give(id, to: nil)
                let unread = try servers.one.send("GET", "/notes/sessions/\(id)/state")
                #expect(unread.status == 423 && unread.problem == "unreadable")
            }
            servers.book.introduce()
            for server in [servers.two, servers.one] {
                for id in early {
                    #expect(try server.send("GET", "/notes/sessions/\(id)/state").status == 200)
                }
            }
            for id in ids {
                servers.book.give(id, to: nil)
                for server in [servers.one, servers.two] {
                    #expect(try server.send("GET", "/notes/sessions/\(id)/state").status == 200)
                    #expect(servers.book.holder(of: id) == 1)
                }
            }
            let moved = try servers.two.send(
                "POST", "/notes/sessions/s0/move", fields: ["Content-Type": "application/json"],
                body: #"{"to":"\#(servers.book.address(of: 0) ?? "")"}"#)
            #expect(moved.problem == "bad-parameter")
            #expect(try servers.two.send("POST", "/cluster/drain").status == 503)
            #expect(ids.allSatisfy { servers.book.holder(of: $0) == 1 })
            // Of those who stay nobody reads it.
            servers.book.give("late", to: nil)
            let unread = try servers.one.send("GET", "/notes/sessions/late/state")
            #expect(unread.status == 423 && unread.problem == "unreadable")
        }
    }

    @Test func `has another server only where its own comes or goes`() {
        let all = choices(among: Self.servers)
        var fewer = Self.servers
        fewer[1].isDraining = true
        for (choice, former) in zip(choices(among: fewer), all) {
            #expect(former == Self.servers[1] ? choice != former : choice == former)
        }
        #expect(choices(among: []).allSatisfy { $0 == nil })
    }
}
