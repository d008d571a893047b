import HTTPClient
import SignedHooks
import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

extension Shop {
    /// A shop that is asked over HTTP.
    init(_ api: JSONUpstream) {
        self.init(
            products: { try await api.get("products", query: ["text": $0]) },
            order: { names, _, key in
                // The key begins with what is the session's own.
                try await JSONUpstream.onBehalf(of: String(key.prefix { $0 != "-" }), key: key) {
                    try await api.post(names, to: "orders")
                }
            })
    }
}

@Suite struct `The world outside` {
    @Test func `is asked by a client`() async throws {
        try await TestServer.run {
            Route(.get, "/products") { try .json([($0.queryValue("text") ?? "") + "lk"]) }
            Route(.post, "/orders") { request in
                let names: [String] = try request.decode()
                let key = request.head.headerFields.first { $0.name.rawName == "Idempotency-Key" }
                return try .json("\(names.count) by \(key?.value ?? "nobody")")
            }
        } body: { server in
            let base = "http://127.0.0.1:\(server.port)"
            var configuration = HTTPClientConfiguration()
            configuration.totalTimeout = .seconds(10)
            configuration.ownerTransferLimit = 4
            let client = try OutboundClient(configuration: configuration)
            var api = JSONUpstream(client: client, base: base)
            api.fields[.authorization] = "Bearer secret"
            let shop = Shop(api)
            #expect(try await shop.products("Mi") == ["Milk"])
            #expect(try await shop.order(["Milk", "Bread"], nil, "w-1") == "2 by w-1")
            await client.shutdown()
        }
    }

    private func server(
        _ configuration: ServerConfiguration, _ secrets: [Secret<String>]
    ) throws -> Server {
        let application = ShoppingApplication(shop: .corner, cards: .init())
        let hook = SignedHook("Shop-Signature", secrets: secrets)
        return try Server(configuration) {
            Served("/list", application)
            hook.orders
        }
    }

    @Test func `tells of itself by a signed hook, once`() async throws {
        let server = try server(TestServer.configuration, [Secret("sesame")])
        try server.start()
        let client = TestServer(server)
        try client.create("/list/sessions/home")
        let body = #"{"list":"home","number":"order-7"}"#
        let hook = SignedHook("Shop-Signature", secrets: [Secret("sesame")])
        let fields = [
            "Content-Type": "application/json",
            "Shop-Signature": hook.signature(of: Array(body.utf8)),
        ]
        let service = try OutboundClient()
        let address = "http://127.0.0.1:\(server.port)/hooks/orders"
        let name = try #require(HTTPField.Name("Shop-Signature"))
        var request = OutboundRequest(method: .post, url: address, body: Array(body.utf8))
        request.fields = [
            .contentType: "application/json", name: hook.signature(of: request.body),
        ]
        #expect(try await service.execute(request).status == .noContent)
        await service.shutdown()
        let again = try client.send("POST", "/hooks/orders", fields: fields, body: body)
        #expect(again.status == 204)
        let order = try client.send("GET", "/list/sessions/home/state?select=/order")
        #expect(order.body == #"{"taken":{"number":"order-7"}}"#)
        #expect(order.fields["etag"]?.contains("-1.") == true)
        let forged = try client.send(
            "POST", "/hooks/orders", fields: fields,
            body: #"{"list":"home","number":"order-8"}"#)
        #expect(forged.status == 403 && forged.problem == "wrong-signature")
        await server.shutDown()
    }
}
