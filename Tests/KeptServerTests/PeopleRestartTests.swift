import Foundation
import JournalSQLite
import Logging
import StatecastTesting
import Synchronization
import TemporaryFolder
import Testing

@testable import Statecast

@Suite struct `People whom a journal keeps` {
    private struct Wish: Decodable { let name: String }

    private let folder = TemporaryFolder()

    private func serve(
        _ body: @Sendable (TestServer, People<Secret<String>>) async throws -> Void
    ) async throws {
        let people = People<Secret<String>>()
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder.path)
        try await TestServer.run(
            configuration,
            serving: {
                people.parts
                people.signIn(at: "/sign-in") { request in
                    let wish: Wish = try request.decode()
                    return .init(wish.name, name: wish.name, roles: ["observe"])
                }
                people.signOut(at: "/sign-out")
                people.me(at: "/me")
            }
        ) { server in try await body(server, people) }
    }

    private static func signIn(_ name: String, on server: TestServer) throws -> [String: String] {
        let answer = try server.send(
            "POST", "/sign-in", fields: ["Content-Type": "application/json"],
            body: #"{"name":"\#(name)"}"#)
        return ["Cookie": String(answer.fields["set-cookie"]?.prefix { $0 != ";" } ?? "")]
    }

    /// The entries of the session that keeps the people.
    private func entries() throws -> [String] {
        var lines: [String] = []
        try JournalDirectory(folder.path).export("people/sessions/all") {
            lines.append(String(decoding: $0, as: UTF8.self))
        }
        return lines
    }

    @Test func `are signed in after a restart, and what was erased stays so`() async throws {
        let cookies = Mutex<[[String: String]]>([])
        try await serve { server, people in
            let signedIn = try ["Annabel", "Bob"].map { try Self.signIn($0, on: server) }
            cookies.withLock { $0 = signedIn }
            try await people.keep(Secret("planted-secret"), of: "Annabel")
        }
        let fields = cookies.withLock { $0 }
        let kept = try entries()
        try await serve { server, people in
            #expect(try server.send("GET", "/me", fields: fields[0]).status == 200)
            #expect(people["Annabel"]?.details?.value == "planted-secret")
            try await people.keep(Secret("planted-secret"), of: "Annabel")
            #expect(try entries() == kept, "What was just read is not written again.")
            #expect(try server.send("POST", "/sign-out", fields: fields[1]).status == 204)
            try await people.erase("Annabel")
        }
        let bytes = try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
            try Data(contentsOf: URL(filePath: "\(folder.path)/\($0)"))
        }
        let secrets =
            fields.compactMap { $0["Cookie"].map { String($0.suffix(16)) } }
            + ["planted-secret", "Annabel"]
        for secret in secrets {
            #expect(!bytes.contains { $0.range(of: Data(secret.utf8)) != nil })
        }
        #expect(try !entries().joined().contains("Annabel"), "The past is gone as well.")
        try await serve { server, people in
            #expect(people.all.isEmpty)
            let answers = try fields.map { try server.send("GET", "/me", fields: $0).status }
            #expect(answers == [401, 401])
        }
    }

    @Test func `are erased for ever although the server was killed between`() async throws {
        try await serve { server, people in
            _ = try Self.signIn("Annabel", on: server)
            let session = try server.sessions.session(
                "all", of: PeopleApplication<Secret<String>>.self)
            try await session.dispatch(.erased(id: "Annabel"))
        }
        #expect(try entries().joined().contains("Annabel"))
        try await serve { _, people in #expect(people.all.isEmpty) }
        #expect(try !entries().joined().contains("Annabel"))
    }

    private struct Card: StateValue { var number: Secret<String> }
    private struct NewCard: StateValue { var number: Secret<String>, kind: String }

    /// Serves people of whom something is kept, and returns what the server says.
    private func serve<Details: StateValue>(
        _ people: People<Details>, _ body: @Sendable (Sessions) async throws -> Void
    ) async throws -> String {
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder.path)
        let lines = Mutex<[String]>([])
        configuration.logger = Logger(label: "people") { _ in
            LinesHandler { line in lines.withLock { $0.append(line) } }
        }
        try await TestServer.run(configuration, serving: { people.parts }) {
            try await body($0.sessions)
        }
        return lines.withLock { $0.joined(separator: "\n") }
    }

    @Test func `are migrated with what is kept of them, or begin anew under another name`()
        async throws
    {
        let old = People<Card>()
        _ = try await serve(old) { _ in
            for id in ["Ann", "Bob"] {
                try await old.keep(Card(number: Secret("4711 \(id)")), of: id)
            }
            try await old.add(.init("Cem"), by: SignInCookie())
        }
        let lost = People<NewCard>()
        let said = try await serve(lost) { _ in
            await #expect(throws: SessionError.self) {
                try await lost.add(.init("Ann"), by: SignInCookie())
            }
        }
        #expect(said.contains("under another name all begins anew"))
        let migration = Migration(from: 1) { (card: Card) in
            NewCard(number: card.number, kind: "library")
        }
        let new = People<NewCard>(schema: Schema(version: 2, migrations: [migration]))
        _ = try await serve(new) { _ in
            #expect(new.all.keys.sorted() == ["Ann", "Bob", "Cem"])
            #expect(new["Bob"]?.details == NewCard(number: Secret("4711 Bob"), kind: "library"))
        }
        let others = People<NewCard>("others")
        _ = try await serve(others) { _ in try await others.add(.init("Dora"), by: SignInCookie()) }
        #expect(others.all.keys.sorted() == ["Dora"])
    }
}

/// Hands on what is logged.
struct LinesHandler: LogHandler {
    let take: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error

    init(_ take: @escaping @Sendable (String) -> Void) { self.take = take }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { take("\(event.message)") }
}
