import Journaling
import Redux
import Sockets
import StateCoding
import StatecastTesting
import Testing
import Threads

@testable import Statecast

/// Counts how often what it hides is written.
private struct SafeApplication: PlainApplication {
    struct State: StateValue {
        var gold = Secret(Gold())
        var count = 0
    }

    struct Gold: Codable, Equatable, Sendable {
        var weight = 1

        func encode(to encoder: any Encoder) throws {
            SafeApplication.writings.withLock { $0 += 1 }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(weight, forKey: .weight)
        }
    }

    enum Action: ActionGroup {
        case counted
    }

    static let writings = Lock(0)
    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        state.count += 1
    }
}

/// Routes and work of one server use sessions that another one has.
@Suite struct `A handle of a session that another server has` {
    private typealias Handle = SessionHandle<NotesApplication>
    private typealias Action = NotesApplication.Action

    /// The handle of the server that has the session, and that of the other one.
    private func withHandles(
        changing change: @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable (TwoServers, [Handle]) async throws -> Void
    ) async throws {
        try await TwoServers.run(changing: change) { servers in
            try servers.one.create(servers.session)
            servers.book.introduce()
            let handles = try [servers.one, servers.two].map {
                try $0.sessions.session("demo", of: NotesApplication.self)
            }
            try await body(servers, handles)
        }
    }

    private func outcome(
        of actions: [Action], by handle: Handle, key: String? = nil
    ) async -> Result<Outcome, SessionError> {
        do throws(SessionError) {
            return .success(try await handle.dispatch(batch: actions, key: key))
        } catch {
            return .failure(error)
        }
    }

    @Test func `dispatches there, on behalf of whom it says, once by a key`() async throws {
        try await withHandles { servers, handles in
            for handle in handles.reversed() {
                let outcome = try await handle.dispatch(
                    .added("a"), as: Principal("alice"), key: "k")
                #expect(outcome == .accepted(first: 1, last: 1, changed: true))
            }
            let head = try #require(servers.book.journal.batches.last?.last?.head)
            #expect(String(decoding: head, as: UTF8.self).contains("alice"))
            let both = try await handles[1].dispatch(.added("b"), .fact(.started))
            #expect(both == .accepted(first: 2, last: 3, changed: true))
            #expect(servers.book.holder(of: "demo") == 0)
            let state = try await handles[0].state
            #expect(state.notes == ["a", "b"] && state.starts == 1)
        }
    }

    @Test func `is told what it would be told here`() async throws {
        try await withHandles { _, handles in
            let batches: [[Action]] = [
                [.dropMe], [.rejectMe], [.conflictMe], [.added("a"), .rejectMe], [.delayMe],
            ]
            for actions in batches {
                let here = await outcome(of: actions, by: handles[0])
                let there = await outcome(of: actions, by: handles[1])
                #expect(there == here)
            }
            _ = await outcome(of: [.added("a")], by: handles[0], key: "k")
            let (here, there) = (
                await outcome(of: [.added("b")], by: handles[0], key: "k"),
                await outcome(of: [.added("b")], by: handles[1], key: "k")
            )
            guard case .failure(.refused(let first)) = here,
                case .failure(.refused(let second)) = there
            else {
                Issue.record("A key is of one dispatch.")
                return
            }
            #expect(first.code == second.code)
        }
    }

    @Test func `finds what it is to make, and goes on where that is given away`() async throws {
        try await withHandles { servers, handles in
            _ = try await servers.two.sessions.create("demo", of: NotesApplication.self)
            #expect(servers.book.holder(of: "demo") == 0)
            #expect(try servers.move(to: 1).status == 204)
            for (version, handle) in zip(UInt64(1)..., handles) {
                let outcome = try await handle.dispatch(.added("a"))
                #expect(outcome == .accepted(first: version, last: version, changed: true))
            }
            #expect(servers.book.holder(of: "demo") == 1)
        }
    }

    @Test func `reads the state there, and ends it`() async throws {
        try await withHandles { servers, handles in
            try await handles[0].dispatch(.added("a"))
            let known = try #require(try await handles[1].state(unlessAt: nil))
            #expect(known.state.notes == ["a"] && known.token.version == 1)
            #expect(try await handles[1].state(unlessAt: known.token) == nil)
            #expect(servers.book.holder(of: "demo") == 0)
            try await handles[1].end()
            for handle in handles {
                await #expect(throws: SessionError.ended) { try await handle.state }
            }
        }
    }

    @Test func `sends there what is larger than a body of a client's`() async throws {
        try await withHandles(changing: { $0.limits.bodyByteCount = 1_024 }) { servers, handles in
            let text = String(repeating: "a", count: 2_000)
            for (version, handle) in zip(UInt64(1)..., handles) {
                let outcome = try await handle.dispatch(.added(text))
                #expect(outcome == .accepted(first: version, last: version, changed: true))
            }
            let posted = try servers.two.send(
                "POST", "\(servers.session)/actions",
                fields: ["Content-Type": "application/json"], body: servers.add(text))
            #expect(posted.status == 413)
        }
    }

    @Test func `sends there what is large also where it wakes the session`() async throws {
        try await withHandles { servers, handles in
            // From here on it is known where that is.
            try await handles[1].dispatch(.added("a"))
            let _: Void = try await handles[0].directory.call(handles[0].id) {
                registry, reply, loop in
                for session in registry.tables.flatMap(\.all) {
                    registry.layToRest(session, on: loop)
                }
                reply(.success(()))
            }
            let outcome = try await handles[1].dispatch(
                .added(String(repeating: "a", count: 2 << 20)))
            #expect(outcome == .accepted(first: 2, last: 2, changed: true))
            #expect(servers.book.holder(of: "demo") == 0)
        }
    }

    @Test func `is taken from there by the form that it has here`() throws {
        func take(_ count: Int, key: String? = nil, isOfWork: Bool = false) throws {
            let sent = SentDispatch(
                actions: Array(repeating: #"{"type":"added","payload":"a"}"#, count: count),
                by: nil, key: key, isOfWork: isOfWork, depth: 3)
            let taken = try HandledActions<Action>(
                sent, try ActionCoder(), batchLimit: 2, hash: SharedJournal.hash)
            #expect(taken.list.count == count && taken.chain?.depth == 3)
        }
        let long = String(repeating: "k", count: 129)
        try take(2, key: String(long.dropLast()))
        // The names of work are its application's.
        try take(1, key: long, isOfWork: true)
        for key in ["", long] {
            #expect(throws: SessionError.badKey) { try take(1, key: key) }
        }
        for count in [0, 3] {
            #expect(throws: SessionError.self) { try take(count) }
        }
        for depth in ["-1", "9223372036854775807"] {
            let text = #"{"actions":[],"isOfWork":true,"depth":\#(depth)}"#
            #expect(throws: DecodingFailure.self) {
                try StateDecoder().decode(SentDispatch.self, from: Array(text.utf8))
            }
        }
    }

    @Test func `is busy where as much is under way to other servers as may, and only then`()
        async throws
    {
        try await withHandles { _, handles in
            let handle = handles[1]
            func hold(_ count: Int) async throws -> Bool {
                try await handle.directory.call(handle.id) { registry, reply, _ in
                    reply(.success(registry.peers?.connections.hold(count) ?? false))
                }
            }
            for version in UInt64(1)...2 {
                #expect(try await hold(64 << 20))
                let refused = await outcome(of: [.added("a")], by: handle)
                #expect(refused == .failure(SessionError(.busy)))
                await #expect(throws: SessionError(.busy)) { try await handle.state }
                #expect(try await hold(-64 << 20))
                let outcome = try await handle.dispatch(.added("a"))
                #expect(outcome == .accepted(first: version, last: version, changed: true))
                #expect(try await handle.state.notes.count == Int(version))
            }
        }
    }

    // MARK: Values

    @Test func `shows values there as they change, until the session ends`() async throws {
        try await withHandles { _, handles in
            var values = handles[1].values(of: \.notes).makeAsyncIterator()
            #expect(try await values.next() == [])
            try await handles[0].dispatch(.added("a"))
            #expect(try await values.next() == ["a"])
            try await handles[0].dispatch(.opened(text: "x"))
            try await handles[1].dispatch(.added("b"))
            #expect(try await values.next() == ["a", "b"])
            try await handles[0].end()
            await #expect(throws: SessionError.ended) { _ = try await values.next() }
        }
    }

    @Test func `goes on with values where the session moves, and shows none twice`() async throws {
        try await withHandles { servers, handles in
            var here = handles[0].values(of: \.notes.count).makeAsyncIterator()
            var there = handles[1].values(of: \.notes.count).makeAsyncIterator()
            #expect(try await [here.next(), there.next()] == [0, 0])
            for (count, holder) in zip(1..., [1, 0, 1, 0]) {
                #expect(try servers.move(to: holder).status == 204)
                try await handles[0].dispatch(.added("a"))
                #expect(try await [here.next(), there.next()] == [count, count])
                #expect(servers.book.holder(of: "demo") == holder)
            }
            #expect(try servers.one.send("POST", "/cluster/drain").status == 204)
            try await handles[1].dispatch(.added("a"))
            #expect(try await [here.next(), there.next()] == [5, 5])
            #expect(servers.book.holder(of: "demo") == 1)
        }
    }

    @Test func `shows the secrets of a state there`() async throws {
        try await TwoServers.run(serving: { VaultApplication().served(at: "/notes") }) { servers in
            try servers.one.create(servers.session)
            servers.book.introduce()
            let handles = try [servers.one, servers.two].map {
                try $0.sessions.session("demo", of: VaultApplication.self)
            }
            var codes = handles[1].values(of: { $0.code?.value ?? "" }).makeAsyncIterator()
            #expect(try await codes.next() == "")
            for code in ["a", "b"] {
                try await handles[0].dispatch(.locked(Secret(code)))
                #expect(try await codes.next() == code)
            }
        }
    }

    @Test func `asks no more for values that nobody reads`() async throws {
        try await TwoServers.run { servers in
            let peer = try servers.makeThird()
            servers.book.give("demo", to: 2)
            let handle = try servers.two.sessions.session("demo", of: NotesApplication.self)
            var values: AsyncThrowingStream<[String], any Error>? = handle.values(of: \.notes)
            let state = #"{"notes":[],"loads":0,"starts":0}"#
            peer.answer(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"e-1\"\r\n"
                    + "Content-Length: \(state.utf8.count)\r\n\r\n\(state)")
            peer.answer("", awaitsEnd: true) { values = nil }
            #expect(values == nil)
        }
    }

    /// Asks the first server for another state, as a handle of another one does.
    private func wait(behind token: Token, of servers: TwoServers) throws -> BlockingConnection {
        let line = "GET \(servers.session)/state?schema=1&behind=\(token)&waits=true"
        let keys = try #require(ClusterKeys(TwoServers.key))
        let (connection, place) = try servers.greet(server: 0)
        try connection.send(keys.sign(ClusterKeys.own(line), at: place))
        // It is read before these are answered.
        for _ in 0..<2 { _ = try servers.one.send("GET", "/livez") }
        return connection
    }

    @Test func `has a state written there once for all that wait`() async throws {
        try await TwoServers.run(serving: { Served("/notes", SafeApplication()) }) { servers in
            try servers.one.create(servers.session)
            let handle = try servers.one.sessions.session("demo", of: SafeApplication.self)
            try await handle.dispatch(.counted)
            var counts: [Int] = []
            for readerCount in [1, 4] {
                let token = try #require(try await handle.state(unlessAt: nil)).token
                let readers = try (0..<readerCount).map { _ in
                    try wait(behind: token, of: servers)
                }
                let before = SafeApplication.writings.withLock { $0 }
                try await handle.dispatch(.counted)
                for reader in readers {
                    let answer = try reader.receive { $0.last == UInt8(ascii: "}") }
                    #expect(RawAnswer(answer).status == 200)
                }
                counts.append(SafeApplication.writings.withLock { $0 } - before)
            }
            #expect(counts[0] > 0 && counts[1] == counts[0])
        }
    }

    @Test func `waits there with so many others, as long as its own server does`() async throws {
        try await withHandles {
            $0.sessionLimits.waiterCount = 1
        } _: { servers, handles in
            let token = try #require(try await handles[0].state(unlessAt: nil)).token
            func ask() throws -> BlockingConnection { try wait(behind: token, of: servers) }
            func status(_ connection: BlockingConnection) throws -> Int {
                let end = Array("\r\n\r\n".utf8)
                return RawAnswer(try connection.receive { $0.contains(end) }).status
            }
            var held: BlockingConnection? = try ask()
            #expect(try status(ask()) == 503)
            withExtendedLifetime(held) {}
            held = nil
            var last = 503
            while last == 503 {
                let connection = try ask()
                await servers.one.advance(by: .seconds(11))
                last = try status(connection)
            }
            #expect(last == 204)
        }
    }

    @Test(arguments: [
        (503, "busy", "outcome-unknown"),
        (422, "idempotency-key-reused", "idempotency-key-reused"),
    ])
    func `is told that nothing was done, where an answer was lost, by who has looked for the key`(
        status: Int, code: String, told: String
    ) async throws {
        try await TwoServers.run { servers in
            let peer = try servers.makeThird()
            servers.book.give("demo", to: 2)
            let handle = try servers.two.sessions.session("demo", of: NotesApplication.self)
            async let result = outcome(of: [.added("a")], by: handle, key: "k")
            peer.answer("")
            peer.answer(status, problem: code)
            guard case .failure(.refused(let refusal)) = await result else {
                Issue.record("Who has not done it refuses it.")
                return
            }
            #expect(refusal.code == told)
        }
    }

    @Test func `knows of no outcome where the other server answers as none does`() async throws {
        try await TwoServers.run { servers in
            let peer = try servers.makeThird()
            servers.book.give("demo", to: 2)
            let handle = try servers.two.sessions.session("demo", of: NotesApplication.self)
            for status in [204, 205, 302, 304] {
                async let result = outcome(of: [.added("a")], by: handle)
                let length = status % 100 == 4 ? "" : "Content-Length: 0\r\n"
                peer.answer("HTTP/1.1 \(status) No\r\nConnection: close\r\n\(length)\r\n")
                #expect(await result == .failure(SessionError(.outcomeUnknown)))
            }
        }
    }

    @Test func `waits for no server that has gone`() async throws {
        try await withHandles { servers, handles in
            // Nobody listens there.
            servers.book.entries.withLock { $0.addresses[2] = "127.0.0.1:1" }
            servers.book.give("demo", to: 2)
            for key in [nil, "k"] {
                let tried = await outcome(of: [.added("a")], by: handles[1], key: key)
                #expect(tried == .failure(SessionError(.sessionMoved)))
            }
        }
    }
}
