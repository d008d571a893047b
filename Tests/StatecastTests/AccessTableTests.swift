import Sockets
import Statecast
import StatecastTesting
import TemporaryFolder
import Testing

/// Every verb of every resource, each for every role (protocol §7).
@Suite(.onBothJournals) struct `Who may do what` {
    /// One kind of client, and what it may.
    struct Client: Sendable, CustomTestStringConvertible {
        let name: String
        let roles: Set<String>
        var fields: [String: String] = [:]
        var configure: @Sendable (inout ServerConfiguration) -> Void = { _ in }

        var testDescription: String { name }
    }

    /// A request, the role that it asks for, and the status for those who have the role.
    struct Row: Sendable {
        let method: String
        let target: String
        let role: String?
        let status: Int
        var body = ""
        var type = "application/json"
    }

    private static let everything: Set<String> = ["act", "admin", "inspect", "observe"]
    private static let session = "/diary/sessions/demo"

    /// Names that access control knows: their one role is in them.
    fileprivate static let asked: [Client] = ["none", "observe", "act", "inspect", "admin"].map {
        role in
        Client(
            name: role, roles: role == "none" ? [] : [role],
            fields: ["Authorization": "Bearer \(role)"]
        ) { configuration in
            configuration.authorize = { request in
                let role = request.authorization?.split(separator: " ").last.map(String.init)
                guard let role else { return .unauthenticated }
                return .granted(Principal("p", roles: role == "all" ? everything : [role]))
            }
        }
    }

    /// Nothing asks who these are.
    fileprivate static let strangers: [Client] =
        [
            Client(name: "an author's server", roles: ["act", "observe"]) {
                $0.operators = .none
            },
            Client(
                name: "by a server's field", roles: ["act", "observe"],
                fields: ["Statecast-Relayed": "127.0.0.1 0"]
            ) { $0.operators = .none },
            Client(name: "operators on loopback", roles: everything),
            Client(name: "allowed hosts", roles: ["act", "observe"]) {
                $0.allowedHosts = ["example.org"]
            },
            Client(name: "public origin", roles: ["act", "observe"]) {
                $0.publicOrigin = "https://example.org"
            },
            Client(name: "address field", roles: ["act", "observe"]) {
                $0.clientAddressField = "x-real-ip"
            },
            Client(name: "beyond loopback", roles: ["act", "observe"]) {
                ($0.host, $0.isInsecure) = ("0.0.0.0", true)
            },
        ]
        + ["Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-FORWARDED-HOST", "Via"].map {
            Client(name: "by \($0)", roles: ["act", "observe"], fields: [$0: "1.1 proxy"])
        }
        + ["X-Forwarded", "Viable", "X-Forward-For"].map {
            Client(name: "not by \($0)", roles: everything, fields: [$0: "1.1 proxy"])
        }

    /// The last rows end the session, so their order counts.
    fileprivate static let rows: [Row] = [
        Row(method: "GET", target: session, role: "observe", status: 200),
        Row(method: "HEAD", target: session, role: "observe", status: 200),
        Row(method: "GET", target: session + "/state", role: "observe", status: 200),
        Row(method: "HEAD", target: session + "/state", role: "observe", status: 200),
        Row(method: "GET", target: "/diary/schema", role: "observe", status: 200),
        Row(method: "HEAD", target: "/diary/schema", role: "observe", status: 200),
        Row(method: "GET", target: session + "/state?version=0", role: "observe", status: 200),
        Row(method: "GET", target: session + "/state?wait=1", role: "observe", status: 200),
        Row(method: "HEAD", target: session + "/events", role: "observe", status: 200),
        Row(
            method: "POST", target: session + "/actions", role: "act", status: 200,
            body: #"{"type":"noted","payload":"x"}"#),
        Row(method: "PUT", target: session, role: "act", status: 200),
        Row(method: "PUT", target: "/diary/sessions/new", role: "act", status: 201),
        Row(method: "POST", target: "/diary/sessions", role: "act", status: 201),
        Row(method: "PUT", target: "/table/sessions/new", role: "admin", status: 201),
        Row(method: "POST", target: "/table/sessions", role: "admin", status: 201),
        Row(method: "GET", target: session + "/log", role: "inspect", status: 200),
        Row(method: "HEAD", target: session + "/log", role: "inspect", status: 200),
        Row(method: "GET", target: session + "/recording", role: "inspect", status: 200),
        Row(method: "HEAD", target: session + "/recording", role: "inspect", status: 200),
        Row(method: "GET", target: session + "/replay", role: "inspect", status: 404),
        Row(
            method: "POST", target: session + "/replay", role: "inspect", status: 404, body: "{}"),
        Row(
            method: "POST", target: "/diary/sessions?replay=step", role: "inspect", status: 422,
            body: "{}", type: "application/x-ndjson"),
        Row(method: "GET", target: "/metrics", role: "inspect", status: 200),
        Row(method: "HEAD", target: "/metrics", role: "inspect", status: 200),
        Row(method: "GET", target: "/inspect/timeline/", role: "inspect", status: 200),
        Row(method: "GET", target: "/%69nspect", role: "inspect", status: 404),
        Row(
            method: "PUT", target: session + "/state", role: "admin", status: 200,
            body: #"{"notes":{}}"#),
        Row(method: "GET", target: "/diary/sessions", role: "admin", status: 200),
        Row(method: "HEAD", target: "/diary/sessions", role: "admin", status: 200),
        Row(
            method: "POST", target: session + "/forget", role: "admin", status: 204,
            body: #"{"before":0}"#),
        Row(
            method: "POST", target: session + "/revert", role: "admin", status: 404,
            body: #"{"version":99}"#),
        Row(
            method: "POST", target: session + "/move", role: "admin", status: 400,
            body: #"{"to":"10.0.0.8:8090"}"#),
        Row(method: "POST", target: "/cluster/drain", role: "admin", status: 404),
        Row(method: "GET", target: "/inspection", role: nil, status: 404),
        Row(method: "GET", target: "/client/statecast.js", role: nil, status: 200),
        Row(method: "GET", target: "/livez", role: nil, status: 200),
        Row(method: "GET", target: "/readyz", role: nil, status: 200),
        Row(method: "GET", target: "/problems/frozen", role: nil, status: 200),
        Row(method: "GET", target: "/own", role: nil, status: 200),
        Row(method: "OPTIONS", target: session + "/log", role: nil, status: 204),
        Row(method: "GET", target: session + "/unheard", role: nil, status: 404),
        Row(method: "DELETE", target: session, role: "admin", status: 204),
    ]

    /// - Parameter makes: the session, which another server has otherwise.
    fileprivate static func serve<Result: Sendable>(
        _ client: Client, makes: Bool = true, _ body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        var configuration = TestServer.configuration
        client.configure(&configuration)
        let server = try Server(configuration) {
            Served("/diary", DiaryApplication(), options: SessionOptions(history: .always))
            Served("/table", TableApplication(), maker: "admin")
            Route(.get, "/own") { _ in try .json("own") }
        }
        try server.start()
        do {
            if makes { _ = try await server.sessions.create("demo", of: DiaryApplication.self) }
            let result = try await TestServer.runBlocking { try await body(TestServer(server)) }
            await server.shutDown()
            return result
        } catch {
            await server.shutDown()
            throw error
        }
    }

    @Test(arguments: asked + strangers)
    func `is decided by the role that each verb of each resource asks for`(
        client: Client
    ) async throws {
        try await Self.serve(client) { server in
            for row in Self.rows {
                let fields = client.fields.merging(["Content-Type": row.type]) { own, _ in own }
                let answer = try server.send(
                    row.method, row.target, fields: row.body.isEmpty ? client.fields : fields,
                    body: row.body)
                let may = row.role.map(client.roles.contains) ?? true
                #expect(
                    answer.status == (may ? row.status : 403), "\(row.method) \(row.target)")
            }
        }
    }

    @Test(arguments: ["none", "observe", "act", "inspect", "admin"])
    func `is decided before anything tells whether a session exists`(role: String) async throws {
        let client = try #require(Self.asked.first { $0.name == role })
        try await Self.serve(client) { server in
            for row in Self.rows where row.target.hasPrefix(Self.session) {
                guard let needed = row.role, needed != role else { continue }
                let other = row.target.replacing("/demo", with: "/other")
                let bodies = try [row.target, other, row.target.replacing("/demo", with: "/a b")]
                    .map { target in
                        try server.send(
                            row.method, target.replacing(" ", with: "%20"), fields: client.fields,
                            body: row.body
                        )
                    }
                #expect(bodies.allSatisfy { $0.status == 403 && $0.body == bodies[0].body })
            }
        }
    }

    @Test(arguments: asked + strangers)
    func `is told to each`(client: Client) async throws {
        guard client.roles.contains("observe") else { return }
        try await Self.serve(client) { server in
            let answer = try server.send("GET", Self.session, fields: client.fields)
            let roles = client.roles.sorted().map { "\"\($0)\"" }.joined(separator: ",")
            #expect(answer.body.contains(#""roles":[\#(roles)]}}"#))
            #expect(answer.body.contains("effects") == client.roles.contains("inspect"))
        }
    }

    @Test func `shows who only acts no state`() async throws {
        let client = try #require(Self.asked.first { $0.name == "act" })
        try await Self.serve(client) { server in
            let fields = client.fields.merging([
                "Prefer": "return=representation", "Content-Type": "application/json",
            ]) { $1 }
            let answer = try server.send(
                "POST", Self.session + "/actions", fields: fields,
                body: #"{"type":"noted","payload":"swordfish"}"#)
            #expect(answer.status == 200 && !answer.body.contains("swordfish"))
        }
    }
}

/// The same, asked at a server that does not have the session.
@Suite struct `Who may do what by another server` {
    typealias Table = `Who may do what`

    /// Two servers, the first of which has the session.
    private static func serve<Result: Sendable>(
        _ client: Table.Client,
        _ body: @Sendable (_ servers: [TestServer]) async throws -> Result
    ) async throws -> Result {
        let (book, folder) = (SharedJournal.Book(), TemporaryFolder())
        try folder.write("key", Array("0123456789abcdef".utf8), mode: 0o600)
        let clients = (0..<2).map { number in
            var joined = client
            joined.configure = { configuration in
                client.configure(&configuration)
                configuration.journal = SharedJournal(book: book, server: number)
                configuration.cluster = Cluster(host: "127.0.0.1", keyFile: "\(folder.path)/key")
            }
            return joined
        }
        return try await Table.serve(clients[0]) { one in
            try await Table.serve(clients[1], makes: false) { two in try await body([one, two]) }
        }
    }

    /// Whom a server takes for its operator by their connection is none at another server.
    @Test(arguments: (Table.asked + Table.strangers).filter { $0.roles.count < 4 })
    func `is decided as by the one that has it`(client: Table.Client) async throws {
        var answers: [[String]] = []
        for number in 0..<2 {
            answers.append(
                try await Self.serve(client) { servers in
                    try Table.rows.map { row in
                        let type = row.body.isEmpty ? [:] : ["Content-Type": row.type]
                        let answer = try servers[number].send(
                            row.method, row.target, fields: client.fields.merging(type) { $1 },
                            body: row.body)
                        return "\(row.method) \(row.target) \(answer.status) "
                            + (answer.problem ?? "")
                    }
                })
        }
        for (own, other) in zip(answers[0], answers[1]) { #expect(own == other) }
    }

    @Test func `has no secret told on its way`() async throws {
        let fields = ["Authorization": "Bearer all"]
        try await Self.serve(Table.asked[0]) { servers in
            let session = Diaries.session
            func post(_ type: String, _ payload: String) throws {
                let all = fields.merging(["Content-Type": "application/json"]) { $1 }
                let answer = try servers[0].send(
                    "POST", "\(session)/actions", fields: all,
                    body: #"{"type":"\#(type)","payload":\#(payload)}"#)
                #expect(answer.status == 200)
            }
            try post("locked", #"{"key":"swordfish","pin":987654321}"#)
            let streams = try ["", "?patch=json-patch"].map {
                try servers[1].events(session, query: $0, fields: fields)
            }
            var told = try streams.map { try $0.next()?.data ?? "" }
            try post("locked", #"{"key":"tunafish","pin":987654321}"#)
            try post("noted", #""there""#)
            for stream in streams {
                let event = try stream.next { $0.data.contains("there") }
                told.append(event?.data ?? "")
            }
            for path in ["", "/state", "/log", "/recording"] {
                told.append(try servers[1].send("GET", session + path, fields: fields).body)
            }
            for text in told {
                #expect(!text.isEmpty && !text.contains("fish") && !text.contains("987654321"))
            }
        }
    }
}
