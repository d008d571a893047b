import Statecast

@main struct Main {
    static func main() async throws {
        let application = ShoppingApplication(shop: .corner)
        try await Server { Served("/list", application) }.run()
    }
}
