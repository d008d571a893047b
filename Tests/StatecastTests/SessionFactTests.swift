import Journaling
import Logging
import Redux
import Sockets
import StateCoding
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `A fact about a session` {
    private static let table = "/table/sessions/one"

    private func withServer(
        _ application: TableApplication = TableApplication(),
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.authorize = {
            .granted(Principal($0.authorization ?? "nobody", roles: ["act", "observe"]))
        }
        configuration.sessionLimits.absenceDuration = .zero
        change(&configuration)
        try await TestServer.run(
            configuration, serving: { application.served(at: "/table") }, body: body)
    }

    private func watch(_ name: String, on server: TestServer) throws -> TestEvents {
        try server.events(Self.table, fields: ["Authorization": name])
    }

    /// Waits on a stream until these are present.
    private func wait(for present: [String], on events: TestEvents) throws {
        let wanted = present.map { "\"\($0)\"" }.joined(separator: ",")
        let event = try events.next { $0.data.contains(#""present":[\#(wanted)]"#) }
        #expect(event != nil)
    }

    @Test func `tells that a principal watches, and that it does no more`() async throws {
        try await withServer { server async throws in
            try server.create(Self.table)
            let alice = try watch("alice", on: server)
            try wait(for: ["alice"], on: alice)
            do {
                let bob = try watch("bob", on: server)
                await server.advance(by: .seconds(1))
                try wait(for: ["alice", "bob"], on: alice)
                try wait(for: ["alice", "bob"], on: bob)
                try await server.sessions.session("one", of: TableApplication.self)
                    .closeStreams(of: "bob")
            }
            await server.advance(by: .seconds(1))
            try wait(for: ["alice"], on: alice)
        }
    }

    @Test func `is one of few for a thousand who come at once`() async throws {
        try await withServer { server async throws in
            try server.create(Self.table)
            let connections = try (0..<1_000).map { _ in try server.connect() }
            let clock = ContinuousClock()
            let first = clock.now
            for (number, connection) in connections.enumerated() {
                try connection.send(
                    "GET \(Self.table)/events?select=/seats HTTP/1.1\r\nHost: localhost\r\n"
                        + "Authorization: p\(number)\r\n\r\n")
            }
            let table = try server.sessions.session("one", of: TableApplication.self)
            for try await count in table.values(of: \.present.count) where count == 1_000 { break }
            // A fact at once, and then one a second.
            let seconds = Int(first.duration(to: clock.now).components.seconds)
            let token = try server.send("GET", "\(Self.table)/state").etag
            let version = token?.split(separator: "-").last.flatMap { Int($0) }
            #expect(try #require(version) <= 3 + seconds)
            withExtendedLifetime(connections) {}
        }
    }

    @Test func `is an entry of the server's, one for all streams of a principal`() async throws {
        let journal = ScriptedJournal(.later)
        try await withServer(
            TableApplication(), { $0.journal = journal }
        ) { server async throws in
            try server.create(Self.table)
            let streams = try (0..<3).map { _ in try watch("alice", on: server) }
            try wait(for: ["alice"], on: streams[0])
            let other = try watch("bob", on: server)
            await server.advance(by: .seconds(1))
            try wait(for: ["alice", "bob"], on: other)
        }
        let entries = try #require(journal.kept("one", at: "/table")).entries
        #expect(entries.count == 2)
        let head = String(decoding: entries[0].head, as: UTF8.self)
        #expect(head.contains(#""origin":"server""#))
        #expect(!head.contains(#""by""#))
        #expect(head.contains(#""type":"session/watchersChanged""#))
        let alice = #"{"id":"alice","roles":["act","observe"]}"#
        #expect(head.contains(#""payload":{"came":[\#(alice)],"left":[]}"#))
    }

    @Test func `says that a session has come back, before it is watched`() async throws {
        let journal = ScriptedJournal(.later)
        for round in 0..<3 {
            try await withServer(
                TableApplication(), { $0.journal = journal }
            ) { server async throws in
                if round == 0 { try server.create(Self.table) }
                let alice = try watch("alice", on: server)
                let back = try alice.next { $0.data.contains(#""restarts":\#(round)"#) }
                #expect(back != nil)
                await server.advance(by: .seconds(1))
                // The state that was kept may have shown alice from the round before.
                if back?.data.contains(#""present":["alice"]"#) != true {
                    try wait(for: ["alice"], on: alice)
                }
            }
        }
    }

    @Test func `cannot be posted, and stands in no list of actions`() async throws {
        try await withServer { server async throws in
            try server.create(Self.table)
            let posted = try server.post(
                Self.table, #"{"type":"session/watchersChanged","payload":{"came":[],"left":[]}}"#)
            #expect(posted.problem == "fact-not-allowed")
            let unknown = try server.post(Self.table, #"{"type":"session/watchersChange"}"#)
            #expect(!unknown.body.contains("watchersChanged"))
        }
    }

    @Test func `that changes nothing leaves no entry`() async throws {
        struct Quiet: PlainApplication {
            struct State: StateValue { var count = 0 }
            enum Action: ActionGroup { case added, session(SessionFact) }
            let initialState = State()
            func reduce(_ state: inout State, _ action: Action, _ step: Step) {
                if case .added = action { state.count += 1 }
            }
        }
        try await TestServer.run(serving: { Served("/quiet", Quiet()) }) { server in
            try server.create("/quiet/sessions/one")
            let streams = try (0..<5).map { _ in try server.events("/quiet/sessions/one") }
            for stream in streams { #expect(try stream.next() != nil) }
            let answer = try server.post("/quiet/sessions/one", #"{"type":"added"}"#)
            #expect(try answer.json()["version"]?.integer == 1)
        }
    }

    @Test func `that is rejected is told to operators`() async throws {
        let lines = LogLines()
        try await withServer(
            TableApplication(refusesWatchers: true),
            { $0.logger = Logger(label: "test", factory: { _ in lines.handler }) }
        ) { server async throws in
            try server.create(Self.table)
            let alice = try watch("alice", on: server)
            #expect(try alice.next() != nil)
            let answer = try server.post(Self.table, #"{"type":"noted","payload":"x"}"#)
            #expect(try answer.json()["version"]?.integer == 1)
        }
        #expect(lines.all.contains { $0.contains("that watchers came or left with closed") })
    }

    @Test func `is told again where the journal did not keep it`() async throws {
        let journal = ScriptedJournal()
        try await withServer(
            TableApplication(), { $0.journal = journal }
        ) { server async throws in
            try server.create(Self.table)
            let alice = try watch("alice", on: server)
            await journal.answerNext(.refused(.unavailable))
            await server.advance(by: .seconds(1))
            await journal.answerNext(.kept)
            try wait(for: ["alice"], on: alice)
        }
    }
}

@Suite struct `The case for facts about a session` {
    private enum Twice: ActionGroup {
        case added, first(SessionFact), second(Inner)
        enum Inner: ActionGroup { case third(SessionFact) }
    }

    private enum Beside: ActionGroup {
        case added, session(at: Int, SessionFact)
    }

    private enum Deep: ActionGroup {
        case added, inner(Inner)
        enum Inner: ActionGroup { case opened, life(SessionFact) }
    }

    private enum None: ActionGroup { case added }

    @Test func `is found at any depth`() throws {
        let coder = try #require(SessionFactCoder<Deep>(try ActionCoder()))
        #expect(coder.fault == nil)
        #expect(coder.action(of: .restored) == .inner(.life(.restored)))
        let alice = Principal("al\"ice", roles: ["b", "a"])
        let changed = SessionFact.watchersChanged(
            came: [alice, .anonymous], left: [Principal("b")])
        #expect(coder.action(of: changed) == .inner(.life(changed)))
        #expect(SessionFactCoder<None>(try ActionCoder()) == nil)
    }

    @Test func `stands once`() throws {
        let text = try #require(SessionFactCoder<Twice>(try ActionCoder())?.fault)
        #expect(text.hasPrefix("SessionFact stands in first and in second/third"))
    }

    @Test func `carries nothing else`() throws {
        let text = try #require(SessionFactCoder<Beside>(try ActionCoder())?.fault)
        #expect(text.hasSuffix("write `case session(SessionFact)`."))
    }

    private struct Doubled: PlainApplication {
        struct State: StateValue {}
        let initialState = State()
        enum Action: ActionGroup { case added, first(SessionFact), second(SessionFact) }
        func reduce(_ state: inout State, _ action: Action, _ step: Step) {}
    }

    @Test func `is looked for when the server starts`() throws {
        let error = try #require(throws: ServerError.self) {
            try Server(TestServer.configuration) { Served("/doubled", Doubled()) }
        }
        #expect(
            error.description.hasPrefix("/doubled: SessionFact stands in first and in second"))
    }
}
