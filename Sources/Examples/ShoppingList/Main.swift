import Statecast

@main struct Main {
    static func main() async throws {
        let application = ShoppingApplication(shop: .corner, cards: .inMemory())
        try await Server { Served("/list", application) }.run()
    }
}
