import Logging
import StatecastTesting
import Statecast
import Testing

@Suite(.onBothJournals) struct `The server's log` {
    /// A bid that the application hides; its reducer is not pure, which the log tells as well.
    private struct Bidding: PlainApplication {
        struct State: StateValue {
            struct Bid: StateValue {
                var amount: Int
                var draw = 0
            }

            var bids: [String: Bid] = [:]
            var count = 0
        }
        enum Action: ActionGroup { case bid(amount: Int, by: String), counted }

        let initialState = State()

        func reduce(_ state: inout State, _ action: Action, _ step: Step) {
            switch action {
            case .bid(let amount, let bidder):
                state.bids[bidder] = .init(
                    amount: amount, draw: 47_110_000 + Int.random(in: 0..<9_999))
            case .counted: state.count += 1
            }
        }
    }

    @Test(arguments: [[], ["bids.amount", "bids.draw"], ["bids"]])
    func `shows at debug nothing that the application hides`(hiding: [String]) async throws {
        let lines = LogLines()
        var configuration = TestServer.configuration
        configuration.logger = Logger(label: "test") { _ in lines.handler }
        configuration.logger.logLevel = .debug
        configuration.checksReducers = true
        let options = SessionOptions<Bidding.State, Bidding.Action>(hiding: Set(hiding))
        try await TestServer.run(
            configuration, serving: { Served("/bids", Bidding(), options: options) }
        ) { server in
            let session = "/bids/sessions/7"
            try server.create(session)
            for amount in [47_111, 47_112] {
                try server.dispatch(session, "bid", #"{"amount":\#(amount),"by":"ada"}"#)
            }
            try server.dispatch(session, "counted")
        }
        #expect(lines.text.contains("The reducer is not pure: bid"))
        #expect(lines.text.contains("client bid"))
        #expect(lines.text.contains("count: 0 → 1"))
        #expect(lines.text.contains("4711") == hiding.isEmpty)
    }
}
