import Counter
import CounterModel
import Journaling
import Redux
import Sockets
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `A session's handle` {
    private static let table = "/table/sessions/one"

    private func withServer(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, loopCount: Int = 1,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.loopCount = loopCount
        change(&configuration)
        try await TestServer.run(
            configuration,
            serving: {
                TableApplication().served(at: "/table")
                Served("/counter", CounterApplication())
            }, body: body)
    }

    private func table(
        _ id: String = "one", on server: TestServer
    ) throws -> SessionHandle<TableApplication> {
        try server.sessions.session(id, of: TableApplication.self)
    }

    /// The error that an operation throws.
    private func error(_ body: () async throws -> Void) async -> SessionError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? SessionError
        }
    }

    /// An operation throws an error.
    private func expect(
        _ expected: SessionError, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        let thrown = await error(body)
        #expect(thrown == expected, sourceLocation: sourceLocation)
    }

    // MARK: Actions

    @Test(arguments: [1, 3])
    func `dispatches as the server and as a principal, and reads the state`(
        loopCount: Int
    ) async throws {
        try await withServer(loopCount: loopCount) { server in
            for id in ["one", "two", "three", "four"] {
                try server.create("/table/sessions/\(id)")
                let table = try table(id, on: server)
                #expect(table.id.description == id)
                let first = try await table.dispatch(.sat(name: "a"))
                #expect(first == .accepted(first: 1, last: 1, changed: true))
                let second = try await table.dispatch(.sat(name: "b"), as: Principal("bob"))
                #expect(second == .accepted(first: 2, last: 2, changed: true))
                #expect(try await table.state.players == ["a by the server", "b by bob"])
                let posted = try server.post("/table/sessions/\(id)", #"{"type":"ignored"}"#)
                #expect(try posted.json()["version"]?.integer == 3)
            }
        }
    }

    @Test func `says facts, which no client may`() async throws {
        try await withServer { server async throws in
            try server.create(Self.table)
            try await table(on: server).dispatch(.said(.value("hello")))
            #expect(try await table(on: server).state.notes == ["hello"])
            let posted = try server.post(
                Self.table, #"{"type":"said","payload":{"value":"hello"}}"#)
            #expect(posted.problem == "fact-not-allowed")
        }
    }

    @Test func `dispatches a batch, all of it or none`() async throws {
        try await withServer {
            $0.sessionLimits.batchCount = 3
        } _: { server async throws in
            try server.create(Self.table)
            let table = try table(on: server)
            let outcome = try await table.dispatch(.noted("a"), .ignored, .noted("b"))
            #expect(outcome == .accepted(first: 1, last: 3, changed: true))
            let refused = await error {
                try await table.dispatch(.noted("c"), .sat(name: "a"), .sat(name: "b"))
                try await table.dispatch(.noted("d"), .sat(name: "c"))
            }
            guard case .rejected(let rejection, index: 1) = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
            #expect(rejection.code == "no-seat")
            #expect(try await table.state.notes == ["a", "b", "c"])
            #expect(try await table.dispatch(batch: []) == .dropped)
            let long = await error {
                try await table.dispatch(batch: Array(repeating: .ignored, count: 4))
            }
            guard case .refused(let refusal) = long else { throw TestProblem() }
            #expect(refusal.code == "batch-too-large")
            #expect(!refusal.isTemporary)
        }
    }

    private struct TestProblem: Error {}

    @Test func `goes through the middleware`() async throws {
        try await withServer { server async throws in
            try server.create(Self.table)
            let table = try table(on: server)
            #expect(try await table.dispatch(.dropped) == .dropped)
            #expect(try await table.dispatch(.delayed) == .delayed(.milliseconds(1)))
            let mixed = try await table.dispatch(.dropped, .noted("x"))
            guard case .accepted(_, _, changed: true) = mixed else { throw TestProblem() }
        }
    }

    @Test func `gets the first outcome for a key that comes again`() async throws {
        try await withServer { server async throws in
            try server.create(Self.table)
            let table = try table(on: server)
            let first = try await table.dispatch(.noted("a"), .noted("b"), key: "k")
            for _ in 0..<3 {
                #expect(try await table.dispatch(.noted("a"), .noted("b"), key: "k") == first)
            }
            #expect(try await table.state.notes == ["a", "b"])
            let other = await error { try await table.dispatch(.noted("c"), key: "k") }
            guard case .refused(let refusal) = other else { throw TestProblem() }
            #expect(refusal.code == "idempotency-key-reused")
            // Another principal's keys are its own, and so are those of clients.
            try await table.dispatch(.noted("d"), as: Principal("d"), key: "k")
            let fields = ["Idempotency-Key": "k"]
            let body = #"{"type":"noted","payload":"e"}"#
            #expect(try server.post(Self.table, body, fields: fields).status == 200)
            #expect(try await table.state.notes == ["a", "b", "d", "e"])
            for key in ["", String(repeating: "x", count: 129)] {
                await expect(.badKey) { try await table.dispatch(.ignored, key: key) }
            }
        }
    }

    @Test func `waits until the journal has kept its entries, and tells where it has not`()
        async throws
    {
        let journal = ScriptedJournal()
        try await withServer {
            $0.journal = journal
        } _: { server async throws in
            try server.create(Self.table)
            let table = try table(on: server)
            async let outcome = table.dispatch(.noted("a"), key: "k")
            await journal.waitForAppends(1)
            #expect(try await table.state.notes == [])
            async let repeated = table.dispatch(.noted("a"), key: "k")
            journal.answer(.kept)
            #expect(try await outcome == .accepted(first: 1, last: 1, changed: true))
            #expect(try await repeated == .accepted(first: 1, last: 1, changed: true))
            #expect(try await table.state.notes == ["a"])
            async let refused = error { try await table.dispatch(.noted("b"), key: "l") }
            await journal.answerNext(.refused(.unavailable))
            guard case .refused(let refusal) = await refused else { throw TestProblem() }
            #expect(refusal.code == "journal-unavailable")
            #expect(refusal.isTemporary)
            async let unknown = error { try await table.dispatch(.noted("c"), key: "m") }
            await journal.answerNext(.unknown)
            guard case .refused(let doubt) = await unknown else { throw TestProblem() }
            #expect(doubt.code == "outcome-unknown")
        }
        let entries = try #require(journal.kept("one", at: "/table")?.entries)
        let head = String(decoding: try #require(entries.first).head, as: UTF8.self)
        #expect(head.contains(#""origin":"server""#))
        #expect(!head.contains(#""by""#))
        #expect(head.contains(#""key":"§k""#))
    }

    @Test func `finds a session that sleeps in the journal`() async throws {
        let journal = ScriptedJournal(.later)
        for round in 1...2 {
            try await withServer {
                $0.journal = journal
            } _: { server async throws in
                if round == 1 { try server.create(Self.table) }
                try await table(on: server).dispatch(.noted("a"), key: "k")
                #expect(try await table(on: server).state.notes == ["a"])
            }
        }
    }

    // MARK: Finding

    @Test func `is of an application that is served, at a path that is clear`() async throws {
        try await TestServer.run(serving: {
            Served("/a", CounterApplication())
            Served("/b", CounterApplication())
        }) { server in
            let sessions = server.sessions
            await expect(.notMounted("TableApplication")) {
                _ = try sessions.session("x", of: TableApplication.self)
            }
            let unclear = await error { _ = try sessions.session("x", of: CounterApplication.self) }
            guard case .ambiguousMount(let paths) = unclear else { throw TestProblem() }
            #expect(paths.sorted() == ["/a", "/b"])
            await expect(.notMounted("CounterApplication")) {
                _ = try sessions.session("x", of: CounterApplication.self, at: "/c")
            }
            await expect(.badID("a/b")) {
                _ = try sessions.session("a/b", of: CounterApplication.self, at: "/a")
            }
            try server.create("/b/sessions/x")
            let a = try sessions.session("x", of: CounterApplication.self, at: "/a")
            await expect(.notFound) { _ = try await a.state }
            let b = try sessions.session("x", of: CounterApplication.self, at: "/b")
            #expect(try await b.state.count == 0)
        }
    }

    @Test func `is of a new session, made with its input`() async throws {
        try await withServer(loopCount: 2) { server in
            let sessions = server.sessions
            let made = try await sessions.create(
                of: TableApplication.self, input: .init(seats: 3, name: "n"), as: Principal("al"))
            #expect(made.id.description.count == 32)
            let state = try await made.state
            #expect(state.seats == 3)
            #expect(state.name == "n")
            #expect(state.owner == "al")
            let plain = try await sessions.create("mine", of: TableApplication.self)
            #expect(try await plain.state.owner == nil)
            try await sessions.create("mine", of: TableApplication.self, input: .init(seats: 4))
            #expect(try await plain.state.seats == 2)
            #expect(try server.create("/table/sessions/mine").status == 200)
            let refused = await error {
                _ = try await sessions.create(
                    "bad", of: TableApplication.self, input: .init(seats: 9))
            }
            guard case .rejected(let rejection, index: nil) = refused else { throw TestProblem() }
            #expect(rejection.field == "seats")
            #expect(try server.send("GET", "/table/sessions/bad").status == 404)
            #expect(try await sessions.create("c", of: CounterApplication.self).state.count == 0)
        }
    }

    @Test func `of a new session waits for a slow journal, as a request does`() async throws {
        let journal = ScriptedJournal(.later)
        try await withServer {
            $0.journal = journal
        } _: { server async throws in
            journal.openSlowly()
            async let found = error { _ = try await table(on: server).state }
            await journal.waitForOpening()
            async let made = server.sessions.create("one", of: TableApplication.self)
            #expect(try server.send("GET", "/livez").status == 200)
            journal.finishOpenings()
            #expect(await found == .notFound)
            #expect(try await made.state.seats == 2)
        }
    }

    // MARK: Values

    @Test func `shows values as they change, the newest to a slow reader`() async throws {
        try await withServer { server async throws in
            try server.create(Self.table)
            let table = try table(on: server)
            var values = table.values(of: \.notes.count).makeAsyncIterator()
            #expect(try await values.next() == 0)
            try server.post(Self.table, #"{"type":"noted","payload":"a"}"#)
            #expect(try await values.next() == 1)
            try await table.dispatch(.ignored)
            for text in ["b", "c", "d"] { try await table.dispatch(.noted(text)) }
            #expect(try await values.next() == 4)
            try await table.end()
            await #expect(throws: SessionError.ended) { _ = try await values.next() }
        }
    }

    @Test func `shows no values of a session that is not there`() async throws {
        try await withServer { server async throws in
            let values = try table(on: server).values(of: \.seats)
            await #expect(throws: SessionError.notFound) { for try await _ in values {} }
        }
    }

    @Test func `lets go of the readers that have gone`() async throws {
        try await withServer {
            $0.sessionLimits.callCount = 5
        } _: { server async throws in
            try server.create(Self.table)
            let table = try table(on: server)
            for _ in 0..<50 {
                var values = table.values(of: \.seats).makeAsyncIterator()
                #expect(try await values.next() == 2)
            }
            let kept = (0..<5).map { _ in table.values(of: \.seats) }
            for values in kept {
                var iterator = values.makeAsyncIterator()
                #expect(try await iterator.next() == 2)
            }
            #expect(kept.count == 5)
        }
    }

    @Test func `is used by so many at once`() async throws {
        try await withServer {
            $0.sessionLimits.callCount = 2
        } _: { server async throws in
            try server.create(Self.table)
            let table = try table(on: server)
            var first = table.values(of: \.seats).makeAsyncIterator()
            var second = table.values(of: \.seats).makeAsyncIterator()
            #expect(try await first.next() == 2)
            #expect(try await second.next() == 2)
            guard case .refused(let refusal) = await error({ _ = try await table.state }) else {
                throw TestProblem()
            }
            #expect(refusal.code == "too-many-calls")
        }
    }

    // MARK: The end

    @Test func `ends the session as DELETE does`() async throws {
        try await withServer { server async throws in
            try server.create(Self.table)
            let events = try server.events(Self.table)
            #expect(try events.next() != nil)
            let table = try table(on: server)
            try await table.end()
            #expect(try events.next { $0.name == "end" } != nil)
            #expect(try server.send("GET", Self.table).status == 410)
            await expect(.ended) { try await table.dispatch(.ignored) }
            await expect(.ended) { try await table.end() }
            await expect(.ended) {
                _ = try await server.sessions.create("one", of: TableApplication.self)
            }
        }
    }

    @Test func `closes the streams and held requests of one principal`() async throws {
        try await withServer {
            $0.authorize = {
                .granted(Principal($0.authorization ?? "nobody", roles: ["act", "observe"]))
            }
        } _: { server async throws in
            try server.create(Self.table)
            let (alice, bob) = (["Authorization": "alice"], ["Authorization": "bob"])
            let streams = try [alice, alice, bob].map { try server.events(Self.table, fields: $0) }
            for stream in streams { #expect(try stream.next() != nil) }
            // Watching is told, which changes the tag.
            let tag = try server.send("GET", "\(Self.table)/state", fields: alice).etag ?? ""
            let wait = [
                "If-None-Match": "\"\(tag)\"", "Prefer": "wait=50", "Authorization": "alice",
            ]
            let held = try server.open("GET", "\(Self.table)/state", fields: wait)
            #expect(try server.send("GET", "/livez").status == 200)
            try await table(on: server).closeStreams(of: "alice")
            for stream in streams.prefix(2) {
                var last: String?
                while let event = try stream.next() { last = event.name }
                #expect(last == "unauthorized")
            }
            _ = try held.answer()
            try await table(on: server).dispatch(.noted("x"))
            var data = ""
            while !data.contains("\"x\"") { data = try streams[2].next()?.data ?? "\"x\" never" }
            #expect(!data.contains("never"))
        }
    }

    @Test func `throws before the server has started and once it has stopped`() async throws {
        var configuration = TestServer.configuration
        configuration.journal = ScriptedJournal(.later)
        let server = try Server(configuration) { TableApplication().served(at: "/table") }
        let table = try server.sessions.session("one", of: TableApplication.self)
        await expect(.notServing) { _ = try await table.state }
        try server.start()
        try await server.sessions.create("one", of: TableApplication.self)
        var values = table.values(of: \.seats).makeAsyncIterator()
        #expect(try await values.next() == 2)
        await server.shutDown()
        await #expect(throws: SessionError.notServing) { _ = try await values.next() }
        await expect(.notServing) { try await table.dispatch(.ignored) }
        let late = table.values(of: \.seats)
        await #expect(throws: SessionError.notServing) { for try await _ in late {} }
    }

    @Test func `that waits for the journal when the server stops is told of the doubt`()
        async throws
    {
        let journal = ScriptedJournal()
        var configuration = TestServer.configuration
        configuration.journal = journal
        let server = try Server(configuration) { TableApplication().served(at: "/table") }
        try server.start()
        let table = try await server.sessions.create("one", of: TableApplication.self)
        async let outcome = error { try await table.dispatch(.noted("a")) }
        await journal.waitForAppends(1)
        await server.shutDown()
        guard case .refused(let refusal) = await outcome else { throw TestProblem() }
        #expect(refusal.code == "outcome-unknown")
    }
}
