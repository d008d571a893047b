import Foundation
import JournalSQLite
import Statecast
import StatecastTesting
import Synchronization
import Testing

@Suite struct `People whom a journal keeps` {
    private struct Wish: Decodable { let name: String }

    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "people-\(UUID().uuidString)").path

    private func serve(
        _ body: @Sendable (TestServer, People<Secret<String>>) async throws -> Void
    ) async throws {
        let people = People<Secret<String>>()
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder)
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
        try JournalDirectory(folder).export("people/sessions/all") {
            lines.append(String(decoding: $0, as: UTF8.self))
        }
        return lines
    }

    @Test func `are signed in after a restart, and what was erased stays so`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cookies = Mutex<[[String: String]]>([])
        try await serve { server, people in
            let signedIn = try ["Ann", "Bob"].map { try Self.signIn($0, on: server) }
            cookies.withLock { $0 = signedIn }
            try await people.keep(Secret("planted-secret"), of: "Ann")
        }
        let fields = cookies.withLock { $0 }
        let kept = try entries()
        try await serve { server, people in
            #expect(try server.send("GET", "/me", fields: fields[0]).status == 200)
            #expect(people["Ann"]?.details?.value == "planted-secret")
            try await people.keep(Secret("planted-secret"), of: "Ann")
            #expect(try entries() == kept, "What was just read is not written again.")
            #expect(try server.send("POST", "/sign-out", fields: fields[1]).status == 204)
            try await people.erase("Ann")
        }
        let bytes = try FileManager.default.contentsOfDirectory(atPath: folder).map {
            try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))
        }
        let secrets =
            fields.compactMap { $0["Cookie"].map { String($0.suffix(16)) } }
            + ["planted-secret"]
        for secret in secrets {
            #expect(!bytes.contains { $0.contains(Data(secret.utf8)) })
        }
        #expect(try !entries().joined().contains("Ann"), "The past is gone as well.")
        try await serve { server, people in
            #expect(people.all.isEmpty)
            let answers = try fields.map { try server.send("GET", "/me", fields: $0).status }
            #expect(answers == [401, 401])
        }
    }
}
