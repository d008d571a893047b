import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `A server on a manual clock` {
    @Test func `searches when the test moves it`() async throws {
        let clock = ManualClock()
        let application = ShoppingApplication(shop: .corner, cards: .init())
        try await TestServer.run(serving: {
            Served("/list", application, environment: clock.environment())
        }) { server in
            try server.create("/list/sessions/home")
            let products = try server.events(
                "/list/sessions/home", query: "?select=/search/products")
            #expect(try products.next()?.data == #"{"status":"idle"}"#)

            try server.post(
                "/list/sessions/home", #"{"type":"search/edited","payload":{"text":"mi"}}"#)
            #expect(try products.next()?.data == #"{"status":"loading"}"#)
            clock.advance(by: .milliseconds(300))
            let found = #"{"status":"loaded","value":["Milk","Mint"]}"#
            #expect(try products.next()?.data == found)
        }
    }
}
