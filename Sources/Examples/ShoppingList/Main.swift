import FoundationEssentials
import SignedHooks
import Statecast

@main struct Main {
    static func main() async {
        let application = ShoppingApplication(shop: .corner, cards: .init())
        let secret = ProcessInfo.processInfo.environment["SHOP_SECRET"]
        await Server.main {
            Served("/list", application, options: .init(history: .always))
            application.cards.parts
            if let secret { SignedHook("Shop-Signature", secrets: [Secret(secret)]).orders }
        }
    }
}
