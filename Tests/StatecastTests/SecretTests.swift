import Journaling
import Logging
import Statecast
import StatecastTesting
import Synchronization
import Testing

/// Whatever leaves a server of an application that has secrets.
@Suite("A secret", .onBothJournals)
struct SecretTests {
    private static let session = "/vault/sessions/demo"
    private static let secret = "swordfish"

    private func withVault(
        _ journal: (any Journal)? = nil, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws -> String {
        let lines = LogLines()
        var configuration = TestServer.configuration
        configuration.logger = Logger(label: "test") { _ in lines.handler }
        configuration.logger.logLevel = .trace
        configuration.checksReducers = true
        if let journal { configuration.journal = journal }
        try await TestServer.run(
            configuration, serving: { VaultApplication().served(at: "/vault") }
        ) { server in
            try server.create(Self.session)
            try await body(server)
        }
        return lines.text
    }

    /// Actions that take the secret in, each in another way.
    private static let actions = [
        #"{"type":"locked","payload":"swordfish"}"#,
        #"{"type":"named","payload":{"name":"cellar","code":"swordfish"}}"#,
        #"{"type":"asked","payload":"swordfish"}"#,
        #"{"type":"mixed","payload":"swordfish"}"#,
    ]

    @Test(arguments: [
        "/state", "/state?select=/code", "/state?select=/codes/cellar", "/state?select=/door",
        "/state?view=code",
    ])
    func `is redacted in a state, a part and a view`(path: String) async throws {
        _ = try await withVault { server in
            for action in Self.actions {
                #expect(try server.post(Self.session, action, query: "?settle=20").status == 200)
            }
            let answer = try server.send("GET", Self.session + path)
            #expect(answer.status == 200)
            #expect(answer.body.contains("\"<redacted>\""))
            #expect(!answer.body.contains(Self.secret))
        }
    }

    @Test func `is redacted in the answer to the action that brings it`() async throws {
        _ = try await withVault { server in
            for action in Self.actions {
                let answer = try server.post(
                    Self.session, action, fields: ["Prefer": "return=representation"])
                #expect(answer.body.contains("\"<redacted>\""))
                #expect(!answer.body.contains(Self.secret))
            }
        }
    }

    @Test func `goes to the journal by itself, and into nothing that is shown`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        _ = try await withVault(journal) { server in
            for action in Self.actions {
                try server.post(Self.session, action, query: "?settle=20")
            }
            let entries = journal.batches.flatMap { $0 }
            #expect(entries.count >= Self.actions.count)
            for entry in entries {
                #expect(!String(decoding: entry.head, as: UTF8.self).contains(Self.secret))
                #expect(!String(decoding: entry.patch ?? [], as: UTF8.self).contains(Self.secret))
            }
            let secrets = entries.compactMap(\.secrets).map {
                String(decoding: $0.value, as: UTF8.self)
            }
            #expect(secrets.contains { $0.contains(Self.secret) })
            // What the journal holds is the state, its secrets in their places.
            let kept = try #require(journal.kept("demo", at: "/vault"))
            #expect(kept.json.contains(Self.secret) && !kept.json.contains("<redacted>"))
            let log = try server.send("GET", Self.session + "/log")
            #expect(!log.body.contains(Self.secret))
        }
    }

    @Test(arguments: ["text/event-stream", "application/x-ndjson"])
    func `is redacted in a stream`(format: String) async throws {
        _ = try await withVault { server in
            let stream = try server.open(
                "GET", Self.session + "/events", fields: ["Accept": format])
            for action in Self.actions { try server.post(Self.session, action) }
            #expect(try server.send("DELETE", Self.session).status == 204)
            let body = try stream.answer().body
            #expect(body.contains("\"<redacted>\""))
            #expect(!body.contains(Self.secret))
        }
    }

    @Test func `is in no log, whatever fails`() async throws {
        let log = try await withVault { server in
            for action in Self.actions {
                try server.post(Self.session, action, query: "?settle=20")
            }
            try server.dispatch(Self.session, "tried", "\"swordfish?\"")
        }
        #expect(log.contains("locked(<redacted>)"))
        #expect(log.contains("The reducer is not pure"))
        #expect(log.contains("no answer to <redacted>, <redacted>"))
        #expect(!log.contains(Self.secret))
    }

    @Test func `is neither described nor counted`() async throws {
        _ = try await withVault { server in
            for action in Self.actions { try server.post(Self.session, action) }
            for path in [Self.session, "/metrics"] {
                let answer = try server.send("GET", path)
                #expect(answer.status == 200)
                #expect(!answer.body.contains(Self.secret))
            }
        }
    }

    @Test(arguments: [
        (#"{"type":"tried","payload":"swordfish?"}"#, 422),
        (#"{"type":"pinChosen","payload":"swordfish"}"#, 422),
        (#"{"type":"pinChosen","payload":["swordfish"]}"#, 422),
        (#"{"type":"named","payload":{"name":"a","code":["swordfish"]}}"#, 422),
        (#"{"type":"named","payload":{"name":"a","code":{"swordfish":1}}}"#, 422),
        (#"{"type":"locked","payload":"swordfish}"#, 400),
        (#"{"type":"locked","payload":"swordfish\u12"}"#, 400),
        (#"{"type":"locked","payload":"swordfish"} swordfish"#, 400),
        (#"{"type":"answered","payload":{"token":"swordfish"}}"#, 422),
    ])
    func `is in no problem that a bad action is answered with`(
        body: String, status: Int
    ) async throws {
        _ = try await withVault { server in
            try server.dispatch(Self.session, "locked", "\"swordfish\"")
            let answer = try server.post(Self.session, body)
            #expect(answer.status == status)
            #expect(!answer.body.contains(Self.secret))
        }
    }

    @Test func `is redacted in the entries of the log`() async throws {
        let journal = ScriptedJournal()
        let log = try await withVault(journal) { server in
            let held = try Self.actions.map { try server.openPost(Self.session, $0) }
            for _ in 1...5 {
                await journal.answerNext(.kept)
            }
            for one in held { #expect(try one.answer().status == 200) }
        }
        let entries = journal.batches.joined()
        #expect(entries.count == 5)
        for entry in entries {
            let head = String(decoding: entry.head, as: UTF8.self)
            #expect(head.contains("\"<redacted>\""))
            #expect(!head.contains(Self.secret))
            let patch = String(decoding: entry.patch ?? [], as: UTF8.self)
            #expect(!patch.contains(Self.secret))
        }
        #expect(!log.contains(Self.secret))
    }
}
