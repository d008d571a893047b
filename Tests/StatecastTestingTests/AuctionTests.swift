import Statecast
import StatecastTesting
import Testing

@testable import AuctionModel

@Suite struct `Random actions of an auction` {
    /// What its author knows of an auction: of a state, and of a step.
    private func check(_ flaw: Auction.Flaw, steps: Int) {
        // Of two bidders' places in a dictionary, one order is the other one in half of all processes.
        let people = ["ann", "bob", "dan", "eve", "fay", "gil", "hal"].map { Principal($0) }
        let moderator = Principal("mod", roles: ["moderator"])
        let actions = RandomActions(
            Auction(flaw: flaw), input: .init(title: "A clock"), as: people + [moderator],
            // Bids that are equal are drawn for, and are rare among all numbers.
            options: .init(examples: flaw == .unsortedDraw ? [.bid(amount: 100), .closed] : []),
            steps: steps)
        actions.check { before, action, after in
            #expect(after.bids.keys.allSatisfy { $0 != after.seller }, "the seller bids")
            #expect(after.bids.values.allSatisfy { $0.at < after.ends }, "late")
            for (bidder, bid) in before.bids {
                #expect(after.bids[bidder]?.amount ?? bid.amount >= bid.amount, "lowered")
            }
            if case .sold = before.phase { #expect(after.phase == before.phase, "sold twice") }
            if let due = before.due, case .sold = after.phase {
                #expect(action == .told(.paid(id: due.id)), "another charge")
            }
        }
    }

    @Test func `find nothing wrong with one that is right`() { check(.none, steps: 2_000) }

    @Test(
        arguments: [
            (.sellerBids, "the seller bids"), (.lateBid, "late"), (.loweredBid, "lowered"),
            (.chargedAgain, "sold twice"), (.anyCharge, "another charge"),
            // Those who are drawn from lie in an order of their own each time, also from the same state.
            (.unsortedDraw, "does not do the same again"),
        ] as [(Auction.Flaw, String)])
    func `find each of six wrong reducers`(flaw: Auction.Flaw, text: String) {
        // Of two orders of a draw's bidders half are the same.
        let recorded = recordedText { check(flaw, steps: flaw == .unsortedDraw ? 200_000 : 30_000) }
        #expect(recorded.contains("Found by RandomActions in ") && recorded.contains(text))
    }
}
