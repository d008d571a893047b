import Journaling
import StateCoding
import Statecast
import StatecastTesting
import Synchronization
import Testing

/// Counts, and has a secret where it `isSealed`.
private struct Tally: PlainApplication {
    struct State: StateValue {
        var count = 0
        var code: Secret<String>?
    }
    enum Action: ActionGroup { case counted }
    var isSealed = false
    var initialState: State { State(code: isSealed ? Secret("7") : nil) }
    func reduce(_ state: inout State, _ action: Action, _ step: Step) { state.count += 1 }
}

/// Counts.
private final class Tries: Sendable {
    let count = Atomic(0)
}

@Suite struct `A session that a journal opens`: NotesInScriptedJournal {
    @Test(arguments: [JournalFailure.unavailable, .heldElsewhere])
    func `what another server may have is not shown as it was told last`(
        failure: JournalFailure
    ) async throws {
        try await withNotes(ScriptedJournal(isShared: true)) { demo, journal in
            let posted = try demo.openPost(add("a"))
            await journal.waitForAppends(1)
            journal.failOpenings(2, failure)
            journal.answer(.unknown, isKept: true)
            #expect(try posted.answer().status == 503)
            #expect(try demo.get("/state?select=/notes").status == 503)
            #expect(try state(demo) == "[\"a\"]")
        }
    }

    @Test func `a session is made although somebody has just asked for it`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        journal.openSlowly()
        try await withNotes(journal, isNew: false) { demo, journal in
            let asked = try demo.server.open("GET", demo.path)
            await journal.waitForOpening()
            let made = try demo.server.open("PUT", demo.path)
            let again = try demo.server.open("PUT", demo.path)
            let third = try demo.server.open("PUT", demo.path, fields: ["If-None-Match": "*"])
            _ = try demo.server.send("GET", "/livez")
            journal.finishOpenings()
            #expect(try asked.answer().status == 404)
            let answers = try [made, again].map { try $0.answer().status }.sorted()
            let refused = try third.answer().status
            #expect(answers.count { $0 == 201 } + (refused == 201 ? 1 : 0) == 1)
            #expect(answers.allSatisfy { $0 == 200 || $0 == 201 })
            #expect([201, 412].contains(refused))
        }
    }

    @Test func `whoever waits for an opening is told that another one has ended the session`()
        async throws
    {
        let journal = ScriptedJournal(.atOnce(.kept))
        journal.openSlowly()
        try await withNotes(journal, isNew: false) { demo, journal in
            let ended = try demo.server.open("DELETE", demo.path)
            await journal.waitForOpening()
            let others = try ["DELETE", "PUT", "GET"].map { try demo.server.open($0, demo.path) }
            _ = try demo.server.send("GET", "/livez")
            journal.finishOpenings()
            let answers = try ([ended] + others).map { try $0.answer().status }
            #expect(answers.count { $0 == 404 } == 1)
            #expect(answers.count { $0 == 410 } == 3)
        }
    }

    @Test(arguments: [false, true])
    func `whoever ends a session that another one makes ends it once it is there`(
        isSlow: Bool
    ) async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        journal.openSlowly()
        try await withNotes(journal, isNew: false) { demo, journal in
            let requests = try ["GET", "PUT", "DELETE"].map { method in
                let request = try demo.server.open(method, demo.path)
                _ = try demo.server.send("GET", "/livez")
                return request
            }
            await journal.waitForOpening()
            journal.finishOpenings(opensSlowly: isSlow)
            if isSlow {
                await journal.waitForOpening()
                journal.finishOpenings()
            }
            let answers = try requests.map { try $0.answer().status }
            #expect(answers == [404, 201, 204])
            #expect(try demo.server.send("GET", demo.path).status == 410)
        }
    }

    @Test func `a session that another server takes meanwhile has not ended`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        let key = ["Idempotency-Key": "k"]
        try await withNotes(journal) { demo, _ in try demo.post(add("a"), fields: key) }
        journal.tellKeysLater()
        try await withNotes(journal, isNew: false) { demo, journal in
            #expect(try state(demo) == #"["a"]"#)
            journal.setManner(.byHand)
            let first = try demo.openPost(add("b"))
            await journal.waitForAppends(1)
            journal.openSlowly()
            let second = try demo.openPost(add("c"), fields: key)
            await journal.waitForOpening()
            journal.answer(.stale)
            #expect(try first.answer().status == 503)
            journal.finishOpenings()
            #expect(try second.answer().problem == "moved")
        }
    }

    @Test func `what another server may have gone on with is told by no answer`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept), isShared: true)
        let key = ["Idempotency-Key": "k"]
        try await withNotes(journal) { demo, journal in
            try demo.post(add("a"), fields: key)
            journal.cutOff(true)
            for (body, fields) in [
                (add("b"), [:]), (add("b"), ["If-Match": "\"x-0\""]), (add("a"), key),
                (#"{"type":"rejectMe"}"#, [:]),
            ] {
                let answer = try demo.openPost(body, fields: fields).answer()
                #expect(answer.status == 503 && answer.problem == "journal-unavailable")
                #expect(answer.etag == nil)
            }
            #expect(try demo.get("/state").status == 503)
            let handle = try demo.server.sessions.session("demo", of: NotesApplication.self)
            await #expect(throws: SessionError.self) { try await handle.state }
            journal.cutOff(false)
            let again = try demo.openPost(add("a"), fields: key).answer()
            #expect(again.fields["idempotency-replayed"] == "true")
            #expect(try await handle.state.notes == ["a"])
        }
    }

    @Test func `what cannot be opened leaves nothing in the journal's memory`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        try await withNotes(journal) { _, _ in }
        journal.callUnsafe()
        try await withNotes(journal, isNew: false) { demo, journal in
            let answer = try demo.get("/state")
            #expect(answer.status == 423 && journal.givenBackCount == 1)
        }
    }

    @Test func `a revert whose end nobody knows is told so, and the journal is asked again`()
        async throws
    {
        try await withNotes(ScriptedJournal(.atOnce(.kept))) { demo, journal in
            #expect(try demo.post(add("a")).status == 200)
            let answer = try demo.server.send(
                "POST", demo.path + "/revert", fields: ["Content-Type": "application/json"],
                body: #"{"version":0}"#)
            #expect(answer.status == 503 && answer.problem == "outcome-unknown")
            let count = journal.openingCount
            #expect(try state(demo) == #"["a"]"#)
            #expect(journal.openingCount == count + 1)
        }
    }

    @Test func `where memory is full others sleep for a session, and nothing is read without room`()
        async throws
    {
        let journal = ScriptedJournal(.atOnce(.kept))
        try await Demo.notes { configuration in
            configuration.journal = journal
            configuration.sessionLimits.sessionCount = 2
        } _: { demo in
            // A server looks for room for a second, which is short where the machine is busy.
            for id in ["a", "b"] {
                for _ in 1...30 {
                    let made = try? await demo.server.sessions.create(id, of: NotesApplication.self)
                    if made != nil { break }
                }
            }
            let streams = try ["demo", "a"].map { id in
                for _ in 1...30 {
                    let events = try demo.server.events("/notes/sessions/\(id)")
                    if try events.next() != nil { return events }
                }
                throw CancellationError()
            }
            let count = journal.openingCount
            // Until all are looked at who waits may have waited for as long as anybody does.
            var problem: String?
            repeat {
                problem = try demo.server.send("GET", "/notes/sessions/b").problem
            } while problem == "busy"
            #expect(problem == "too-many-sessions")
            #expect(journal.openingCount == count)
            _ = streams
        }
    }

    @Test func `a session whose lifetime seems over is waited for, and may stay`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        try await withNotes(journal) { _, _ in }
        journal.openSlowly()
        journal.list([
            SessionSummary(
                name: SessionName(mount: "/notes", id: "demo"), epoch: "e",
                created: Timestamp(milliseconds: 0), version: 7,
                lastTime: Timestamp(milliseconds: 0), alarm: nil)
        ])
        try await Demo.notes(
            changing: {
                $0.journal = journal
                $0.sessionLimits.lifetime = .milliseconds(1)
            }, isNew: false
        ) { demo in
            await journal.waitForOpening()
            let asked = try demo.server.open("GET", demo.path)
            _ = try demo.server.send("GET", "/livez")
            journal.finishOpenings()
            #expect(try asked.answer().status == 200)
            #expect(journal.givenBackCount == 1)
        }
    }

    @Test func `a session that cannot be read is read once, and not at each request`() async throws
    {
        try await withNotes(ScriptedJournal(.atOnce(.kept)), isNew: false) { demo, journal in
            journal.failOpenings(9, .damaged(good: 3))
            for _ in 1...3 {
                let answer = try demo.get("/state")
                #expect(answer.status == 423 && answer.problem == "unreadable")
                #expect(try answer.json()["good"]?.integer == 3)
            }
            #expect(try demo.post(add("a")).status == 423)
            #expect(try demo.server.create(demo.path).status == 423)
            #expect(journal.openingCount == 1)
        }
    }

    @Test(arguments: [
        (count: 300, isSealed: false, failing: Int.max, good: 198, readings: 9),
        (count: 300, isSealed: false, failing: 2, good: 150, readings: 3),
        (count: 1, isSealed: true, failing: Int.max, good: nil, readings: 1),
    ])
    func `a state that the application does not read has few others read`(
        count: Int, isSealed: Bool, failing: Int, good: Int?, readings: Int
    ) async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        let tally = Tally(isSealed: isSealed)
        try await Demo.serve(Served("/tally", tally), changing: { $0.journal = journal }) { demo in
            for _ in 1...count { try demo.dispatch("counted") }
        }
        journal.failDocuments(behind: failing)
        let tries = Tries()
        let options = SessionOptions<Tally.State, Tally.Action>(
            validate: { (state) throws(Rejection) in
                tries.count.add(1, ordering: .relaxed)
                if state.count > count * 2 / 3 { throw Rejection("high", "Too high.") }
            })
        let served = Served("/tally", tally, options: options)
        try await Demo.serve(served, changing: { $0.journal = journal }, isNew: false) { demo in
            let answer = try demo.get("/state")
            #expect(answer.status == 423)
            #expect(try answer.json()["good"]?.integer == good)
            #expect(tries.count.load(ordering: .relaxed) == readings)
        }
    }

    @Test func `a session that a route makes may go as those of clients may`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        let notes = NotesApplication().served(at: "/notes")
        try await TestServer.run(changing: { $0.journal = journal }) {
            notes
            Route(.post, "/make", callers: .anywhere, access: .open) { request in
                try await request.sessions.create("a", of: NotesApplication.self)
                return RouteResponse(.noContent)
            }
        } body: { server in
            #expect(try server.send("POST", "/make").status == 204)
            try await server.sessions.create("b", of: NotesApplication.self)
            let makers = ["a", "b"].map { journal.kept($0, at: "/notes")?.opened.maker }
            #expect(makers == [.max, 0])
        }
    }

    @Test func `a request behind one that waits for the keys waits as well`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        let key = ["Idempotency-Key": "k"]
        try await withNotes(journal) { demo, _ in try demo.post(add("a"), fields: key) }
        journal.tellKeysLater()
        try await withNotes(journal, isNew: false) { demo, journal in
            #expect(try state(demo) == #"["a"]"#)
            journal.openSlowly()
            let repeated = try demo.openPost(add("a"), fields: key)
            await journal.waitForOpening()
            let first = try demo.openPost(add("b"), fields: ["Idempotency-Key": "l"])
            _ = try demo.server.send("GET", "/livez")
            let second = try demo.openPost(add("c"))
            _ = try demo.server.send("GET", "/livez")
            journal.finishOpenings()
            #expect(try repeated.answer().fields["idempotency-replayed"] == "true")
            #expect(try first.answer().etag?.hasSuffix("-2") == true)
            #expect(try second.answer().etag?.hasSuffix("-3") == true)
            #expect(try state(demo) == #"["a","b","c"]"#)
        }
    }

    @Test func `requests wait for a session that is being opened, in their order`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        journal.openSlowly()
        try await withNotes(journal, isNew: false) { demo, journal in
            let made = try demo.server.open("PUT", demo.path)
            await journal.waitForOpening()
            let first = try demo.openPost(add("a"))
            journal.finishOpenings()
            #expect(try made.answer().status == 201)
            #expect(try first.answer().status == 200)
            #expect(try state(demo) == #"["a"]"#)
        }
    }

    @Test func `a server whose journal is away for a while is not ready`() async throws {
        try await withNotes(ScriptedJournal(.atOnce(.kept))) { demo, journal in
            #expect(try demo.server.send("GET", "/readyz").status == 200)
            var status = JournalStatus()
            (status.isAvailable, status.commitCount) = (false, 3)
            status.commitDuration = .milliseconds(1_500)
            journal.setStatus(status)
            let answer = try demo.server.send("GET", "/readyz")
            #expect(answer.status == 503 && answer.problem == "journal-unavailable")
            let metrics = try demo.server.send("GET", "/metrics").body
            for line in [
                "# TYPE statecast_journal_commit_seconds summary",
                "statecast_journal_commit_seconds_count 3",
                "statecast_journal_commit_seconds_sum 1.5", "statecast_journal_available 0",
            ] { #expect(metrics.contains("\(line)\n")) }
        }
    }

    @Test func `a state that takes long to read holds no other session up`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        let isRead = Mutex(false)
        let options = SessionOptions<NotesApplication.State, NotesApplication.Action>(
            validate: { _ in
                while !isRead.withLock({ $0 }) {}
            })
        try await withNotes(journal) { demo, _ in try demo.post(add("a")) }
        var configuration = TestServer.configuration
        (configuration.journal, configuration.loopCount) = (journal, 1)
        try await TestServer.run(
            configuration,
            serving: { Served("/notes", NotesApplication(), options: options) }
        ) { server in
            let large = try server.open("GET", "/notes/sessions/demo/state")
            try server.create("/notes/sessions/other")
            #expect(try server.send("GET", "/notes/sessions/other/state").status == 200)
            isRead.withLock { $0 = true }
            #expect(try large.answer().status == 200)
        }
    }

    @Test func `at most 64 are read at once, and the others in their turn`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        journal.openSlowly()
        try await withNotes(journal, isNew: false) { demo, journal in
            let asked = try (0..<70).map { try demo.server.open("GET", "/notes/sessions/s\($0)") }
            await journal.waitForOpening()
            for _ in 0..<3 { _ = try demo.server.send("GET", "/livez") }
            #expect(journal.openingCount == 64)
            journal.finishOpenings()
            for request in asked { #expect(try request.answer().status == 404) }
            #expect(journal.openingCount == 70)
        }
    }
}
