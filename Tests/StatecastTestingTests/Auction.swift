import Statecast

@testable import AuctionModel

/// The auction of the auction house in `Tests/Dependents` with one wrong line, which a test chooses: those
/// that passed the tests of somebody who wrote such a house from the documentation.
struct Auction: Application {
    enum Flaw: Sendable, CaseIterable {
        case none, sellerBids, lateBid, loweredBid, chargedAgain, anyCharge, unsortedDraw
    }

    let flaw: Flaw
    let initialState = AuctionState()
    let views = Views<AuctionState>.all

    func start(
        _ state: inout AuctionState, with lot: Lot?, _ step: Step
    ) throws(Rejection) {
        try state.begin(with: lot, step)
    }

    func reduce(
        _ state: inout AuctionState, _ action: AuctionAction, _ step: Step
    ) throws(Rejection) {
        let before = state
        switch (flaw, action) {
        case (.sellerBids, .bid): state.seller = ""
        case (.lateBid, .bid): state.ends = step.at + .seconds(60)
        case (.loweredBid, .bid): state.bids[step.by?.id ?? ""] = nil
        case (.chargedAgain, .retried):
            if case .sold(let charge) = state.phase { state.phase = .stalled(charge) }
        case (.anyCharge, .told(.paid(let id))):
            guard let due = state.due else { break }
            state.phase = .charging(.init(id: id, bidder: due.bidder, amount: due.amount))
        default: break
        }
        try state.apply(action, step)
        if flaw == .sellerBids { state.seller = before.seller }
        if flaw == .lateBid { state.ends = before.ends }
        if flaw == .unsortedDraw, let due = state.due, due != before.due {
            drawAgain(due, in: &state, step)
        }
    }

    /// In the order of a dictionary's keys.
    private func drawAgain(
        _ due: AuctionState.Charge, in state: inout AuctionState, _ step: Step
    ) {
        let equal = state.bids.filter { !$0.value.isRefused && $0.value.amount == due.amount }
        var chance = step.makeGenerator()
        let bidder = equal.keys.randomElement(using: &chance) ?? due.bidder
        state.phase = .charging(.init(id: due.id, bidder: bidder, amount: due.amount))
    }

    func work(in state: AuctionState) -> [Work<AuctionAction>] {
        if state.phase == .open { Work.alarm("end", at: state.ends, send: .told(.ended)) }
    }
}
