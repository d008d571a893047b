import Statecast

/// An auction with one wrong line, which a test chooses: those that passed the tests of somebody who
/// wrote an auction house from the documentation.
struct Auction: Application {
    enum Flaw: Sendable, CaseIterable {
        case none, sellerBids, lateBid, loweredBid, chargedAgain, anyCharge, unsortedDraw
    }

    struct Bid: StateValue { var amount: Int, at: Timestamp }

    enum Phase: StateValue {
        case open, unsold
        case charging(bidder: String, charge: String)
        case sold(bidder: String, charge: String)
    }

    struct Input: Codable, Sendable { var seconds: Int }

    struct State: StateValue {
        var seller = ""
        var ends = Timestamp(milliseconds: 0)
        var bids: [String: Bid] = [:]
        var phase = Phase.open

        var isSold: Bool { if case .sold = phase { true } else { false } }
    }

    enum Action: ActionGroup {
        case bid(amount: Int)
        case retried
        case fact(AuctionFact)
    }

    enum AuctionFact: FactGroup {
        case ended
        case paid(charge: String)
        case refused(charge: String)
    }

    let flaw: Flaw
    let initialState = State()
    let views = Views<State>.all

    func start(_ state: inout State, with input: Input?, _ step: Step) throws(Rejection) {
        guard let seconds = input?.seconds, (1...10_000).contains(seconds) else {
            throw Rejection("seconds", "Say how long.", field: "seconds")
        }
        (state.seller, state.ends) = (try step.signedIn().id, step.at + .seconds(seconds))
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .bid(let amount): try bid(amount, in: &state, step)
        case .retried:
            switch state.phase {
            case .charging(let bidder, _),
                .sold(let bidder, _) where flaw == .chargedAgain:
                state.phase = .charging(bidder: bidder, charge: step.makeID())
            default: throw .no
            }
        case .fact(.ended):
            guard case .open = state.phase, step.at >= state.ends else { return }
            charge(in: &state, step)
        case .fact(.paid(let charge)):
            guard case .charging(let bidder, let own) = state.phase,
                charge == own || flaw == .anyCharge
            else { return }
            state.phase = .sold(bidder: bidder, charge: charge)
        case .fact(.refused(let charge)):
            guard case .charging(let bidder, charge) = state.phase else { return }
            state.bids[bidder] = nil
            self.charge(in: &state, step)
        }
    }

    private func bid(_ amount: Int, in state: inout State, _ step: Step) throws(Rejection) {
        let bidder = try step.signedIn().id
        guard case .open = state.phase, amount > 0 else { throw .no }
        guard step.at < state.ends || flaw == .lateBid else { throw .no }
        guard bidder != state.seller || flaw == .sellerBids else { throw .no }
        let last = state.bids[bidder]?.amount ?? 0
        guard amount > last || flaw == .loweredBid else { throw .no }
        state.bids[bidder] = Bid(amount: amount, at: step.at)
    }

    /// Charges the highest bidder, drawn where bids are equal; nobody where none is left.
    private func charge(in state: inout State, _ step: Step) {
        let highest = state.bids.values.map(\.amount).max()
        var equal = state.bids.keys.filter { state.bids[$0]?.amount == highest }
        if flaw != .unsortedDraw { equal.sort() }
        var chance = step.makeGenerator()
        guard let bidder = equal.randomElement(using: &chance) else { return state.phase = .unsold }
        state.phase = .charging(bidder: bidder, charge: step.makeID())
    }

    func work(in state: State) -> [Work<Action>] {
        if case .open = state.phase {
            Work.alarm("end", at: state.ends, send: .fact(.ended))
        }
    }
}

extension Rejection {
    fileprivate static var no: Rejection { Rejection("no", "No.") }
}
