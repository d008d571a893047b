import HTTPServer
import Statecast
import StatecastTesting
import Testing

/// A server of one table, where alice and bob sit with a card each, and anybody looks on.
struct HandsTable {
    static let session = "/hands/sessions/demo"

    let server: TestServer
    let application: HandsApplication

    /// Serves the table while `body` runs.
    static func serve(
        _ configuration: ServerConfiguration = TestServer.configuration,
        _ body: @Sendable (HandsTable) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.limits.compressionThresholdByteCount = 1
        configuration.authorize = { request in
            guard let name = request.authorization?.split(separator: " ").last else {
                return .unauthenticated
            }
            let roles: Set<String> =
                name == "root" ? ["act", "inspect", "observe"] : ["act", "observe"]
            return .granted(Principal(String(name), roles: roles))
        }
        let application = HandsApplication()
        try await TestServer.run(
            configuration, serving: { Served("/hands", application) }
        ) { server in
            let table = HandsTable(server: server, application: application)
            try server.create(session, fields: fields("alice"))
            for (name, card) in [("alice", 11), ("bob", 22)] {
                try table.post(
                    #"[{"type":"sat"},{"type":"drew","payload":{"card":\#(card)}}]"#, name)
            }
            try await body(table)
        }
    }

    /// The fields that say who asks.
    static func fields(_ name: String, _ more: [String: String] = [:]) -> [String: String] {
        more.merging(["Authorization": "Bearer \(name)"]) { $1 }
    }

    // MARK: Requests

    func get(
        _ path: String, _ name: String, _ fields: [String: String] = [:], method: String = "GET"
    ) throws -> TestAnswer {
        try server.send(method, Self.session + path, fields: Self.fields(name, fields))
    }

    func events(
        _ name: String, _ query: String = "", _ fields: [String: String] = [:]
    ) throws -> TestEvents {
        try server.events(Self.session, query: query, fields: Self.fields(name, fields))
    }

    @discardableResult
    func post(
        _ body: String, _ name: String, query: String = "", _ fields: [String: String] = [:]
    ) throws -> TestAnswer {
        let answer = try server.post(
            Self.session, body, query: query, fields: Self.fields(name, fields))
        #expect(answer.isSuccess, "\(answer)")
        return answer
    }

    /// The tag of what somebody sees.
    func tag(_ name: String, _ path: String = "/state") throws -> String {
        try #require(try get(path, name).etag)
    }

    // MARK: Actions

    func sit(_ name: String) throws { try post(#"{"type":"sat"}"#, name) }

    func stand(_ name: String) throws { try post(#"{"type":"stood"}"#, name) }

    func draw(_ card: Int, _ name: String) throws {
        try post(#"{"type":"drew","payload":{"card":\#(card)}}"#, name)
    }

    func play(_ card: Int, _ name: String) throws {
        try post(#"{"type":"played","payload":{"card":\#(card)}}"#, name)
    }

    func note(_ text: String, _ name: String) throws {
        try post(#"{"type":"noted","payload":"\#(text)"}"#, name)
    }
}
