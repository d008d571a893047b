import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// The tutorial's application on a server of its own.
func servingShoppingList(
    _ configuration: ServerConfiguration = TestServer.configuration, shop: Shop = .corner,
    cards: People<Secret<String>> = .init(),
    _ body: @Sendable (TestServer) async throws -> Void
) async throws {
    let application = ShoppingApplication(shop: shop, cards: cards)
    try await TestServer.run(
        configuration,
        serving: {
            Served("/list", application)
            cards.parts
        }, body: body)
}

/// The server as the tutorial begins with it; the example's has a signed hook besides.
private enum FirstServer {
    /* @main */ struct Main {
        static func main() async {
            let application = ShoppingApplication(shop: .corner, cards: .init())
            await Server.main {
                Served("/list", application, options: .init(history: .always))
                application.cards.parts
            }
        }
    }
}

/// The persons of a household, and what each of them sends to say so.
enum Members {
    static let ada = ["Authorization": "Bearer ada"]
    static let bob = ["Authorization": "Bearer bob"]

    static var configuration: ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            switch request.authorization {
            case "Bearer ada": .granted(Principal("ada", roles: ["act", "observe"]))
            case "Bearer bob": .granted(Principal("bob", roles: ["act", "observe"]))
            default: .unauthenticated
            }
        }
        return configuration
    }
}

@Suite struct `The shopping list` {
    private let home = "/list/sessions/home"

    @Test func `is shared by posting and reading`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let events = try server.events(home)
            _ = try events.next()
            let answer = try server.post(
                home, #"{"type":"list/added","payload":{"name":"Milk"}}"#)
            #expect(answer.status == 200)
            let data = try #require(try events.next()?.data)
            let state = try StateDecoder().decode(
                ShoppingState.self, from: Array(data.utf8).span)
            #expect(state.items.map(\.name) == ["Milk"])
        }
    }

    @Test func `is tested by its own types`() async throws {
        try await servingShoppingList { server in
            let session = try server.session(of: ShoppingApplication.self, at: "/list")
            let watcher = try session.watch(
                select: "/search/products", as: Loadable<[String]>.self)
            try session.send(.search(.edited(text: "mi")), settling: .seconds(10))
            #expect(try watcher.first { $0.value != nil } == .loaded(["Milk", "Mint"]))
            #expect(try session.state().search.text == "mi")
            try session.send(.ordered, rejectedAs: "nothing-to-order")
        }
    }

    @Test func `finds products while somebody types`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            try server.post(
                home, #"{"type":"search/edited","payload":{"text":"mi"}}"#, query: "?settle=10")
            let products = try server.send("GET", "\(home)/state?select=/search/products/value")
            #expect(products.body == #"["Milk","Mint"]"#)
        }
    }

    @Test func `shows nobody the member card`() async throws {
        try await servingShoppingList(Members.configuration) { server in
            try server.create(home, fields: Members.ada)
            let answer = try server.post(
                home, #"{"type":"card/scanned","payload":"4711-0815"}"#, fields: Members.ada)
            #expect(answer.status == 200)
            let card = try server.send(
                "GET", "\(home)/state?select=/member/card/value", fields: Members.ada)
            #expect(card.body == #""<redacted>""#)
        }
    }

    @Test func `takes a card from persons alone, and leaves it to its owner`() async throws {
        let scanned = #"{"type":"card/scanned","payload":"4711-0815"}"#
        let putAway = #"{"type":"card/putAway"}"#
        try await servingShoppingList { server in
            try server.create(home)
            #expect(try server.post(home, scanned).problem == "not-signed-in")
        }
        try await servingShoppingList(Members.configuration) { server in
            try server.create(home, fields: Members.ada)
            try server.post(home, scanned, fields: Members.ada)
            let refused = try server.post(home, putAway, fields: Members.bob)
            #expect(refused.status == 403)
            #expect(refused.problem == "not-your-card")
        }
    }

    @Test func `is ordered once`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let early = try server.post(home, #"{"type":"ordered"}"#)
            #expect(early.status == 409)
            try server.post(home, #"{"type":"list/added","payload":{"name":"Milk"}}"#)
            try server.post(home, #"{"type":"ordered"}"#, query: "?settle=10")
            let order = try server.send("GET", "\(home)/state?select=/order")
            #expect(order.body == #"{"taken":{"number":"order-1"}}"#)
        }
    }
}
