import Foundation
import Statecast
import StatecastTesting
import TemporaryFolder
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `A configuration` {
    @Test func `bounds what one client may cost`() async throws {
        var configuration = TestServer.configuration
        configuration.limits.bodyByteCount = 64 * 1024
        configuration.limits.connectionsPerAddress = 100
        configuration.sessionLimits.sessionCount = 2
        configuration.sessionLimits.stateByteCount = 256 * 1024
        configuration.sessionLimits.idleDuration = .seconds(600)

        try await servingShoppingList(configuration) { server in
            try server.create("/list/sessions/a")
            try server.create("/list/sessions/b")
            #expect(try server.create("/list/sessions/c").status == 503)
            let large = String(repeating: "x", count: 70_000)
            #expect(try server.post("/list/sessions/a", "\"\(large)\"").status == 413)
        }
    }

    @Test func `has options for the sessions of one application`() throws {
        let options = SessionOptions<ShoppingState, ShoppingAction>(
            schema: Schema(
                version: 2, migrations: [Migration(from: 1) { ShoppingState(items: $0) }]),
            validate: { (list) throws(Rejection) in
                guard list.items.count <= 500 else {
                    throw Rejection("too-long", "At most 500 things.")
                }
            },
            lifetime: .seconds(3600))

        let milk = ShoppingState.Item(id: "1", name: "Milk")
        try options.validate?(ShoppingState(items: [milk]))
        let long = ShoppingState(items: Array(repeating: milk, count: 501))
        #expect(throws: Rejection.self) { try options.validate?(long) }
    }

    @Test func `says how often clients may send`() async throws {
        let options = SessionOptions<ShoppingState, ShoppingAction>(rates: [
            .atMost(20, per: .seconds(1)),
            .atMost(3, per: .seconds(60), of: "ordered", from: .session),
            .newest(every: .milliseconds(250), of: "search/edited"),
        ])

        let edited = #"{"type":"search/edited","payload":{"text":"mi"}}"#
        try await TestServer.run(serving: {
            Served("/list", ShoppingApplication(shop: .corner, cards: .init()), options: options)
        }) { server in
            try server.create("/list/sessions/a")
            let twice = try server.post("/list/sessions/a", "[\(edited),\(edited)]")
            #expect(twice.body.contains(#"{"changed":false,"delayed":true}"#))
            let many = "[\((0..<21).map { _ in edited }.joined(separator: ","))]"
            #expect(try server.post("/list/sessions/a", many).status == 413)
        }
    }

    @Test(arguments: NamedLimit.all.map(\.name))
    func `has bounds that the article lists, each with its default`(name: String) throws {
        let article = try Articles.text(
            of: "Sources/Statecast/Statecast.docc/Limits-and-configuration.md")
        let limit = try #require(NamedLimit.named(name))
        let row = "| `\(name)` | \(limit.text(in: ServerConfiguration())) |"
        #expect(article.contains(row), "expected \(row)")
    }

    @Test func `decides by what a request is about`() async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            guard request.authorization == "Bearer ada" else { return .unauthenticated }
            let isOwn = request.mount == "/list" && request.session?.description == "home-of-ada"
            return isOwn ? .granted(Principal("ada", roles: ["act", "observe"])) : .forbidden
        }
        try await servingShoppingList(configuration) { server in
            let ada = ["Authorization": "Bearer ada"]
            for (session, status) in [("home-of-ada", 201), ("home-of-bob", 403)] {
                let answer = try server.send("PUT", "/list/sessions/\(session)", fields: ada)
                #expect(answer.status == status)
            }
            #expect(try server.send("GET", "/metrics", fields: ada).status == 403)
        }
    }

    @Test func `decides who may do what`() async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            switch request.authorization {
            case "Bearer all": .granted(Principal("alice", roles: ["act", "observe"]))
            case "Bearer look": .granted(Principal("bob", roles: ["observe"]))
            default: .unauthenticated
            }
        }
        try await servingShoppingList(configuration) { server in
            let home = "/list/sessions/home"
            let refused = try server.send("PUT", home)
            #expect(refused.status == 401)
            let alice = ["Authorization": "Bearer all"]
            #expect(try server.send("PUT", home, fields: alice).status == 201)
            let bob = ["Authorization": "Bearer look"]
            #expect(try server.send("GET", "\(home)/state", fields: bob).status == 200)
            #expect(try server.send("DELETE", home, fields: bob).status == 403)
        }
    }

    @Test func `is refused where it is open to everybody`() {
        var configuration = ServerConfiguration()
        configuration.host = "0.0.0.0"
        let application = ShoppingApplication(shop: .corner, cards: .init())
        #expect(throws: ServerError.self) {
            _ = try Server(configuration) { Served("/list", application) }
        }
    }

    @Test func `refuses pages of other origins and foreign names`() async throws {
        try await servingShoppingList { server in
            let home = "/list/sessions/home"
            let foreign = try server.send("PUT", home, fields: ["Origin": "https://example.com"])
            #expect(foreign.status == 403)
            let rebound = try server.send("PUT", home, fields: ["Host": "example.com"])
            #expect(rebound.status == 421)
        }
    }

    @Test func `lists the origins whose pages may use the server`() async throws {
        var configuration = TestServer.configuration
        configuration.cors = CORS(origins: ["https://app.example"], allowsCredentials: true)
        try await servingShoppingList(configuration) { server in
            let home = "/list/sessions/home"
            let listed = ["Origin": "https://app.example"]
            let made = try server.send("PUT", home, fields: listed)
            #expect(made.fields["access-control-allow-origin"] == "https://app.example")
            #expect(made.fields["vary"] == "Origin")
            let question = listed.merging(["Access-Control-Request-Method": "POST"]) { $1 }
            #expect(try server.send("OPTIONS", "\(home)/actions", fields: question).status == 204)
        }
    }

    @Test func `says what pages may do`() async throws {
        let place = try TemporaryFolder(["index.html": "<!doctype html>"])
        var configuration = TestServer.configuration
        configuration.publicDirectory = place.path
        configuration.contentSecurityPolicy =
            "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
            + "frame-ancestors https://portal.example"
        configuration.imageSources = ["https://images.example"]
        try await servingShoppingList(configuration) { server in
            let page = try server.send("GET", "/")
            #expect(
                page.fields["content-security-policy"]
                    == "default-src 'self'; img-src 'self' data: https://images.example; "
                    + "style-src 'self' 'unsafe-inline'; frame-ancestors https://portal.example")
        }
    }

    /// Is compiled alone: a test that runs it would have to end the process.
    private func main(
        _ configuration: ServerConfiguration, _ application: ShoppingApplication
    ) async {
        await Server.main(configuration) { sessions in
            try await sessions.create("home", of: ShoppingApplication.self)
        } _: {
            Served("/list", application, maker: "nobody")
        }
    }

    private struct Offer: Codable { var name: String }

    private func serverWithRoute(
        _ configuration: ServerConfiguration, _ application: ShoppingApplication
    ) throws -> Server {
        try Server(configuration) {
            Served("/list", application)
            Route(.post, "/offers/{shop}", bodyLimit: 16 << 10, access: .open) { request in
                let offer: Offer = try request.decode()
                guard offer.name != "Spam" else { throw Rejection("no-spam", "Not here.") }
                return try .json(["shop": request.parameters["shop"], "offer": offer.name])
            }
        }
    }

    @Test func `has routes of its author's own`() async throws {
        let application = ShoppingApplication(shop: .corner, cards: .init())
        let server = try serverWithRoute(TestServer.configuration, application)
        try server.start()
        let client = TestServer(server)
        let json = ["Content-Type": "application/json"]
        let spam = #"{"name":"Spam"}"#
        let refused = try client.send("POST", "/offers/corner", fields: json, body: spam)
        #expect(refused.problem == "no-spam")
        let milk = #"{"name":"Milk"}"#
        let kept = try client.send("POST", "/offers/corner", fields: json, body: milk)
        #expect(kept.body == #"{"offer":"Milk","shop":"corner"}"#)
        await server.shutDown()
    }

    @Test func `tells operators how it is`() async throws {
        var configuration = ServerConfiguration()
        configuration.operators = .loopback
        configuration.port = 0
        try await servingShoppingList(configuration) { server in
            try server.create("/list/sessions/home")
            #expect(try server.send("GET", "/livez").status == 200)
            #expect(try server.send("GET", "/readyz").status == 200)
            let metrics = try server.send("GET", "/metrics").body
            #expect(metrics.contains("\nstatecast_requests_total 4\n"))
            #expect(metrics.hasSuffix("# EOF\n"))
        }
    }
}
