import Statecast
import StatecastTesting
import Testing

/// An auction, which is told the bids when it has closed, and knows of none before.
private struct Auction: Application {
    struct State: StateValue {
        var closes = Timestamp(milliseconds: 60_000)
        var bids: [String: Int] = [:]
    }

    enum Action: ActionGroup {
        case opened(Opened)

        enum Opened: FactGroup { case bid(of: String, amount: Int) }
    }

    let initialState = State()
    let views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .opened(.bid(let bidder, let amount)): state.bids[bidder] = amount
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

/// The bid of one person for one auction: a session of its own.
private struct SealedBid: Application {
    struct Envelope: Codable, Sendable {
        let auction: String
        let closes: Timestamp
    }

    struct State: StateValue {
        var auction = ""
        var bidder = ""
        var closes = Timestamp(milliseconds: 0)
        var amount: Int?
        var isClosed = false
        var isHandedIn = false
    }

    enum Action: ActionGroup {
        case bid(amount: Int)
        case told(Told)

        enum Told: FactGroup { case closed, handedIn(Answer<Done>) }
    }

    let initialState = State()
    let views = Views<State>.all

    func start(
        _ state: inout State, with envelope: Envelope?, _ step: Step
    ) throws(Rejection) {
        guard let envelope else { throw Rejection("no-auction", "Of which auction?") }
        state.auction = envelope.auction
        state.closes = envelope.closes
        state.bidder = try step.signedIn().id
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .bid(let amount):
            guard step.at < state.closes else {
                throw Rejection("closed", "The auction is over.", kind: .conflict)
            }
            guard amount > state.amount ?? 0 else {
                throw Rejection("too-low", "Bids only rise.", field: "amount")
            }
            state.amount = amount
        case .told(.closed): state.isClosed = true
        case .told(.handedIn(let answer)): state.isHandedIn = answer.value != nil
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if state.amount != nil, !state.isClosed {
            Work.alarm("close", at: state.closes, send: .told(.closed))
        } else if state.amount != nil, !state.isHandedIn {
            Work("hand in", for: state, policy: .retrying(8)) { state, context -> Void in
                let auction = try context.sessions.session(state.auction, of: Auction.self)
                let bid = Auction.Action.Opened.bid(
                    of: state.bidder, amount: state.amount ?? 0)
                try await auction.dispatch(.opened(bid))
            } then: {
                .told(.handedIn($0))
            }
        }
    }
}

@Suite struct `Sealed bids` {
    private static let people = [
        "Bearer a": "ada", "Bearer b": "bob", "Bearer d": "d.ada", "Bearer s": "seller",
    ]

    @Sendable private static func access(to request: AccessRequest) -> Access {
        guard let name = people[request.authorization ?? ""] else { return .unauthenticated }
        return .granted(Principal(name, roles: ["act", "observe"]))
    }

    /// A bid is there for its bidder alone.
    @Sendable private static func accessToBid(_ request: AccessRequest) -> Access {
        let access = access(to: request)
        guard case .granted(let person) = access, let session = request.session else {
            return access
        }
        let parts = session.description.split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isOwn = parts.count == 2 && person.id == String(parts[1])
        return isOwn ? access : .forbidden
    }

    @ServerBuilder private static func parts(_ environment: Environment) -> [ServerPart] {
        Served("/auctions", Auction(), maker: "observe", environment: environment)
        Served(
            "/bids", SealedBid(), options: SessionOptions(hiding: ["amount"]),
            access: accessToBid, maker: "nobody", environment: environment)
        Route(.post, "/auctions/{id}/bids") { request in
            let (id, bidder) = (request.parameters["id"] ?? "", request.principal)
            // The first dot ends the auction's id: none stands in it.
            guard !id.contains("."), let name = bidder?.id else {
                throw Rejection("no-bid", "Nobody bids here.")
            }
            let auction = try request.sessions.session(id, of: Auction.self)
            let envelope = SealedBid.Envelope(auction: id, closes: try await auction.state.closes)
            let bid = try await request.sessions.create(
                "\(id).\(name)", of: SealedBid.self, input: envelope, as: bidder)
            return try .json(["bid": "/bids/sessions/\(bid.id)"])
        }
    }

    @Test func `are told by nothing before the auction closes`() async throws {
        let clock = ManualClock()
        // Work runs in Swift's pool, by this clock.
        var environment = clock.environment()
        environment.executor = nil
        var configuration = TestServer.configuration
        configuration.authorize = Self.access
        try await TestServer.run(
            configuration, serving: { [environment] in Self.parts(environment) }
        ) { server in
            let (auction, seller) = ("/auctions/sessions/7", ["Authorization": "Bearer s"])
            try server.create(auction, fields: seller)
            let stream = try server.events(auction, fields: seller)
            #expect(try stream.next()?.data.contains(#""bids":{}"#) == true)
            let before = try server.send("GET", auction, fields: seller).body

            for (token, name, amount) in [("a", "ada", 4711), ("b", "bob", 4242)] {
                let fields = ["Authorization": "Bearer \(token)"]
                let made = try server.send("POST", "/auctions/7/bids", fields: fields)
                #expect(made.body == #"{"bid":"/bids/sessions/7.\#(name)"}"#)
                let bid = "/bids/sessions/7.\(name)"
                try server.dispatch(bid, "bid", #"{"amount":\#(amount)}"#, fields: fields)
                #expect(try server.send("GET", "\(bid)/state", fields: seller).status == 403)
            }
            // Whose name ends like another's, or whose auction has a dot, is no other.
            let dotted = ["Authorization": "Bearer d"]
            let made = try server.send("POST", "/auctions/7/bids", fields: dotted)
            #expect(made.status == 200)
            for (token, status) in [("a", 403), ("d", 200)] {
                let fields = ["Authorization": "Bearer \(token)"]
                let state = "/bids/sessions/7.d.ada/state"
                #expect(try server.send("GET", state, fields: fields).status == status)
            }
            try server.create("/auctions/sessions/7.d", fields: seller)
            let ada = ["Authorization": "Bearer a"]
            let refused = try server.send("POST", "/auctions/7.d/bids", fields: ada)
            #expect(refused.problem == "no-bid")
            #expect(try server.send("GET", auction, fields: seller).body == before)
            for path in ["/bids/sessions", "/metrics", "\(auction)/log"] {
                #expect(try server.send("GET", path, fields: seller).status == 403)
            }

            clock.advance(by: .seconds(60))
            let first = try #require(try stream.next())
            #expect(first.id?.hasSuffix("-1") == true)
            #expect(try stream.next()?.data.contains(#""bids":{"ada":4711,"bob":4242}"#) == true)
        }
    }
}
