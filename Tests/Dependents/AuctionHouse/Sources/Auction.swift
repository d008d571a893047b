import Statecast

/// An auction on a server. What it asks of the world is handed to it, so that a test can answer.
struct Auction: Application {
    typealias Context = WorkContext<AuctionAction>

    let initialState = AuctionState()
    let charge: @Sendable (AuctionState.Charge, Context) async throws -> Void
    var tell: @Sendable (Lobby.Listed, Context) async throws -> Void = Lobby.tell

    func start(
        _ state: inout AuctionState, with lot: Lot?, _ step: Step
    ) throws(Rejection) {
        try state.begin(with: lot, step)
    }

    func reduce(
        _ state: inout AuctionState, _ action: AuctionAction, _ step: Step
    ) throws(Rejection) {
        try state.apply(action, step)
    }

    var views: Views<AuctionState> {
        Views(
            state: View(by: { auction, viewer in SeenAuction.Audience(viewer, of: auction) }) {
                SeenAuction($0, by: $1)
            })
    }

    func work(in state: AuctionState) -> [Work<AuctionAction>] {
        if state.phase == .open { Work.alarm("end", at: state.ends, send: .told(.ended)) }
        if case .charging(let due) = state.phase {
            Work("charge", for: due, policy: .retrying(4), charge) { .told(.asked($0)) }
        }
        Work.subscription(
            "tell", for: Lobby.Listed(state), policy: .finishing.retrying(5), tell)
    }
}

/// All auctions, as each of them tells: for a day after its end.
struct Lobby: Application {
    /// What is shown of an auction.
    struct Listed: StateValue {
        let title, seller, phase: String
        let ends: Timestamp

        init(_ auction: AuctionState) {
            (title, seller) = (auction.lot.title, auction.seller)
            (phase, ends) = (auction.phase.name, auction.ends)
        }

        var leaves: Timestamp { ends + .seconds(86_400) }
    }

    struct State: StateValue { var auctions: [String: Listed] = [:] }
    enum Action: FactGroup { case told(auction: String, shows: Listed), wentQuiet }

    static let session = "lobby"
    let initialState = State(), views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .told(let auction, let listed):
            guard state.auctions[auction] != nil || state.auctions.count < 1_000 else { return }
            state.auctions[auction] = listed
        case .wentQuiet: state.auctions = state.auctions.filter { $0.value.leaves > step.at }
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if let next = state.auctions.values.map(\.leaves).min() {
            Work.alarm("quiet", at: next, send: .wentQuiet)
        }
    }

    @Sendable static func tell(_ listed: Listed, _ context: Auction.Context) async throws {
        try await context.sessions.session(session, of: Lobby.self)
            .dispatch(.told(auction: "\(context.session)", shows: listed))
    }
}
