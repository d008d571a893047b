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
