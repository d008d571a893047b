import ShoppingListModel
import SignedHooks
import Statecast

/// The world outside: a shop's products, and its orders.
struct Shop: Sendable {
    /// The products whose names begin so.
    var products: @Sendable (_ text: String) async throws -> [String]
    /// Orders some products for the owner of a card; the order's number. Orders of one key are one
    /// order.
    var order: @Sendable (_ names: [String], _ card: String?, _ key: String) async throws -> String

    /// A shop with a few things, which takes every order.
    static var corner: Shop {
        let shelf = ["Bread", "Butter", "Milk", "Mint", "Salt"]
        return Shop(
            products: { text in
                shelf.filter { $0.lowercased().hasPrefix(text.lowercased()) }
            },
            order: { names, _, _ in "order-\(names.count)" })
    }
}

extension SignedHook {
    /// The shop tells that it has taken an order, also one that was not made here.
    var orders: Route {
        route("/hooks/orders") { request in
            let order: TakenOrder = try request.decode()
            try await request.sessions.session(order.list, of: ShoppingApplication.self)
                .dispatch(.answered(.value(order.number)), key: order.number)
            return RouteResponse(.noContent)
        }
    }
}

/// The order that the shop has taken, in its own words.
private struct TakenOrder: Decodable { let list, number: String }
