import HTTPClient
import SignedHooks
import Statecast

/// The house: people, the lobby, auctions, and the hook by which the payment service tells.
struct House {
    let people = People<Never>(cookie: "house", strangers: ["observe"])
    let auction: Auction
    let hook: SignedHook
    /// Whoever signs in with this word is a moderator.
    let word: Secret<String>
    /// The machine's, where a test gives none.
    var environment: Environment?

    var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.authorize = people.access
        return configuration
    }

    @ServerBuilder var parts: [ServerPart] {
        people.parts
        people.signIn(at: "/sign-in", admit)
        people.signOut(at: "/sign-out")
        people.me(at: "/me")
        Served(
            "/lobby", Lobby(), options: .init(lifetime: .seconds(100 * 366 * 86_400)),
            maker: "nobody", environment: environment)
        // Nobody chooses an id, so that none can be guessed; nor does the server's log show a bid.
        Served(
            "/auctions", auction,
            options: .init(
                history: .always, rates: [.atMost(5, per: .seconds(10), of: "said")],
                hiding: ["bids", "phase"]),
            access: { [people] in $0.method == .put ? .forbidden : people.access(to: $0) },
            environment: environment)
        hook.route("/hooks/payments") { request in
            let payment: Payment = try request.decode()
            let fact = payment.isPaid ? AuctionFact.paid : AuctionFact.refused
            try await request.sessions.session(payment.auction, of: Auction.self)
                .dispatch(.told(fact(payment.charge)), key: payment.charge)
            return RouteResponse(.noContent)
        }
    }

    static func begin(_ sessions: Sessions) async throws {
        try await sessions.create(Lobby.session, of: Lobby.self)
    }

    private struct Wish: Decodable {
        let name: String
        let word: String?
    }

    private func admit(_ request: RouteRequest) throws -> People<Never>.Person {
        let wish: Wish = try request.decode()
        let isNamed = (1...40).contains(wish.name.utf8.count) && !wish.name.contains("#")
        let isKnown = wish.word.map(word.matches) ?? true
        try Rejection.check(
            isNamed ? nil : Rejection("name", "Say a name, without a #.", field: "name"),
            isKnown ? nil : Rejection("word", "It is another word.", field: "word"))
        // Two of one name are two people: a name is all that is asked for.
        return .init(
            "\(wish.name)#\(SessionID.random())", name: wish.name,
            roles: wish.word == nil
                ? ["act", "observe"] : ["act", "inspect", "moderator", "observe"])
    }
}

/// What the payment service tells of a charge.
struct Payment: StateValue {
    let auction, charge: String
    let isPaid: Bool
}

extension Auction {
    /// Charges by a service: the key is the charge's id, so that none is made twice.
    init(charging api: JSONUpstream) {
        self.init { charge, context in
            let invoice = Invoice(
                auction: "\(context.session)", charge: charge.id, payer: charge.bidder,
                amount: charge.amount)
            let _: Done = try await JSONUpstream.onBehalf(of: invoice.auction, key: charge.id) {
                try await api.post(invoice, to: "charges")
            }
        }
    }
}

/// What the payment service is asked for.
struct Invoice: StateValue {
    let auction, charge, payer: String
    let amount: Int
}
