import Statecast

@main struct Main {
    static func main() async {
        let application = ShoppingApplication(shop: .corner, cards: .init())
        await Server.main {
            Served("/list", application, options: .init(history: .always))
            application.cards.parts
        }
    }
}
