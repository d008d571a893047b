import Journaling
import Redux
import Sockets
import StateCoding
import StatecastTesting
import Testing
import Threads

@testable import Statecast

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
            let moved = try servers.one.send(
                "POST", "\(servers.session)/move", fields: ["Content-Type": "application/json"],
                body: #"{"to":"\#(servers.book.address(of: 1) ?? "")"}"#)
            #expect(moved.status == 204)
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
