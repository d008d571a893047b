import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `The metrics of actions` {
    private static let session = "/table/sessions/demo"

    /// Serves a table, to whom a name with roles is enough: `Bearer alice/member/admin`.
    private static func serve(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            let parts = request.authorization?.split(separator: " ").last?.split(separator: "/")
            guard let parts, let name = parts.first else {
                return .granted(Principal("", roles: ["act", "inspect", "observe"]))
            }
            return .granted(Principal(String(name), roles: Set(parts.dropFirst().map(String.init))))
        }
        try await TestServer.run(
            configuration, serving: { TableApplication().served(at: "/table") }
        ) { server in
            try server.create(session)
            try await body(server)
        }
    }

    private static func post(
        _ body: String, as name: String?, on server: TestServer, query: String = ""
    ) throws -> TestAnswer {
        let fields = name.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return try server.post(session, body, query: query, fields: fields)
    }

    /// The counters, by their labels without the application's.
    private static func counts(_ server: TestServer) throws -> [String: Int] {
        let head = #"statecast_actions_total{application="/table","#
        let lines = try server.send("GET", "/metrics").body.split(separator: "\n")
        var counts: [String: Int] = [:]
        for line in lines where line.hasPrefix(head) {
            let parts = String(line.dropFirst(head.count)).split(separator: "} ")
            counts[parts[0].filter { $0 != "\"" }] = Int(parts[1])
        }
        return counts
    }

    @Test func `are labelled by type, role and outcome, and by no id`() async throws {
        try await Self.serve { server in
            let alice = "alice/member/act"
            _ = try Self.post(#"{"type":"noted","payload":"x"}"#, as: alice, on: server)
            _ = try Self.post(
                #"{"type":"noted","payload":"y"}"#, as: "bob/act/member", on: server)
            _ = try Self.post(#"{"type":"noted","payload":"z"}"#, as: "carol/act", on: server)
            _ = try Self.post(#"{"type":"ignored"}"#, as: nil, on: server)
            for _ in 0..<3 {
                _ = try Self.post(#"{"type":"sat","payload":{"name":"a"}}"#, as: alice, on: server)
            }
            _ = try Self.post(#"{"type":"dropped"}"#, as: "carol/act", on: server)
            for body in ["{", #"{"type":"unheard/of"}"#, #"{"type":"noted"}"#] {
                #expect(try Self.post(body, as: "carol/act", on: server).status >= 400)
            }
            #expect(
                try Self.counts(server) == [
                    "type=noted,role=act+member,origin=client,outcome=accepted": 2,
                    "type=noted,role=act,origin=client,outcome=accepted": 1,
                    "type=ignored,role=anonymous,origin=client,outcome=accepted": 1,
                    "type=sat,role=act+member,origin=client,outcome=accepted": 2,
                    "type=sat,role=act+member,origin=client,outcome=rejected": 1,
                    "type=dropped,role=act,origin=client,outcome=dropped": 1,
                    "type=unknown,role=act,origin=client,outcome=refused": 3,
                ])
            let text = try server.send("GET", "/metrics").body
            for id in ["alice", "bob", "carol", "demo"] { #expect(!text.contains(id)) }
            #expect(text.contains("# TYPE statecast_actions counter\n"))
        }
    }

    @Test func `count the actions of a batch, and a delayed one once more when it goes on`()
        async throws
    {
        try await Self.serve { server in
            let batch = #"[{"type":"ignored"},{"type":"sat","payload":{"name":"a"}}]"#
            for _ in 0..<3 { _ = try Self.post(batch, as: "bob/act", on: server) }
            #expect(
                try Self.counts(server) == [
                    "type=ignored,role=act,origin=client,outcome=accepted": 2,
                    "type=ignored,role=act,origin=client,outcome=refused": 1,
                    "type=sat,role=act,origin=client,outcome=accepted": 2,
                    "type=sat,role=act,origin=client,outcome=rejected": 1,
                ])
            #expect(try Self.post(#"{"type":"delayed"}"#, as: "bob/act", on: server).status == 202)
            let delayed = "type=delayed,role=act,origin=client,outcome="
            while try Self.counts(server)[delayed + "accepted"] == nil {}
            #expect(try Self.counts(server)[delayed + "delayed"] == 1)
            #expect(try Self.counts(server)[delayed + "accepted"] == 1)
        }
    }

    @Test func `label what work reports by the role of the one who has caused it`() async throws {
        try await Self.serve { server in
            let body = #"{"type":"thrown","payload":{"to":"none"}}"#
            _ = try Self.post(body, as: "alice/member/act", on: server, query: "?settle=10")
            let counts = try Self.counts(server)
            #expect(counts["type=said,role=act+member,origin=effect,outcome=accepted"] == 1)
            #expect(counts["type=thrown,role=act+member,origin=client,outcome=accepted"] == 1)
        }
    }

    @Test func `label what the server says as the server's, and a handle's by its principal`()
        async throws
    {
        try await Self.serve { server in
            let table = try server.sessions.session("demo", of: TableApplication.self)
            try await table.dispatch(.noted("x"), .noted("y"))
            try await table.dispatch(.noted("z"), as: Principal("alice", roles: ["member"]))
            let stream = try server.events(
                Self.session, fields: ["Authorization": "Bearer alice/member/observe"])
            _ = try stream.next()
            _ = try stream.next()
            let counts = try Self.counts(server)
            #expect(counts["type=noted,role=server,origin=server,outcome=accepted"] == 2)
            #expect(counts["type=noted,role=member,origin=server,outcome=accepted"] == 1)
            let came = "type=session/watchersChanged,role=server,origin=server,outcome=accepted"
            #expect(counts[came] == 1)
        }
    }
}
