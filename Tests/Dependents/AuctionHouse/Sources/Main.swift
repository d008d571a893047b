import HTTPClient
import SignedHooks
import Statecast

/// Serves the house and the payment service beside it: `AuctionHouse 8080`, in the folder of `Public`.
@main struct Main {
    static func main() async throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
        let (address, word) = ("http://127.0.0.1:\(port)", "\(SessionID.random())")
        let client = try OutboundClient()
        let hook = SignedHook("Payment-Signature", secrets: [Secret("\(SessionID.random())")])
        let key = "Bearer \(SessionID.random())"
        let service = PaymentService(client, hook, word: Secret(key), limit: 1_000)
        service.tells("\(address)/hooks/payments")
        var api = JSONUpstream(client: client, base: "\(address)/payments")
        api.fields[.authorization] = key
        let house = House(auction: Auction(charging: api), hook: hook, word: Secret(word))
        var configuration = house.configuration
        configuration.port = port
        configuration.publicDirectory = "Public"
        print("Moderators sign in with the word \(word).")
        await Server.main(configuration, beginning: { try await House.begin($0) }) {
            house.parts
            service.route
        }
    }
}
