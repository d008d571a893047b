import Statecast
import StatecastTesting
import Testing

@testable import AuctionHouse

@Suite struct `An auction, step by step` {
    private struct Down: Error {}
    private let payments = Payments()

    private func store() -> TestStore<AuctionState, AuctionAction> {
        TestStore(
            payments.auctionAlone, input: clock, as: sue, exhaustivity: .nonExhaustive)
    }

    @Test func `takes bids that rise, of those who know nothing of others`() {
        let store = store()
        store.send(.bid(amount: 20), as: ann)
        store.send(.bid(amount: 19), as: ann, rejectedAs: "not-raised", field: "amount")
        store.send(.bid(amount: 0), as: bob, rejectedAs: "below-reserve", field: "amount")
        store.send(.bid(amount: 30), rejectedAs: "knows-too-much")
        store.send(.bid(amount: 30), as: moderator, rejectedAs: "knows-too-much")
        store.send(.bid(amount: 30), as: .anonymous, rejectedAs: "not-signed-in")
        store.send(.closed, as: ann, rejectedAs: "moderators-only")
        store.send(.bid(amount: 21), as: ann) { #expect($0.bids["ann"]?.amount == 21) }
    }

    @Test func `ends by itself, half a minute later where a bid comes late`() {
        let store = store()
        store.send(.bid(amount: 10), as: ann) { #expect($0.ends.milliseconds == 60_000) }
        store.advance(by: .seconds(45))
        store.send(.bid(amount: 20), as: bob) { #expect($0.ends.milliseconds == 90_000) }
        store.advance(by: .seconds(44))
        store.send(.bid(amount: 5), as: bob, rejectedAs: "not-raised")
        store.advance(by: .seconds(1))
        store.receive(.told(.ended)) { #expect($0.due?.bidder == "bob") }
        store.send(.bid(amount: 30), as: ann, rejectedAs: "over")
    }

    @Test func `has a charge asked for in five tries, and by a moderator as the same one`() throws {
        let (store, charges) = (store(), payments.charges)
        store.send(.bid(amount: 10), as: ann)
        store.send(.closed, as: moderator)
        let due = try #require(store.state.due)
        for _ in 1...5 {
            charges.fail(due, with: Down())
            store.advance(by: .seconds(2))
        }
        store.receive(.told(.asked(.problem(.failed)))) { #expect($0.phase == .stalled(due)) }
        store.send(.retried, as: moderator)
        charges.succeed(due, with: ())
        store.receive(.told(.asked(.value(Done()))))
        #expect(charges.asked == Array(repeating: due, count: 6))
        store.report(.told(.paid(id: "another"))) { #expect($0.phase == .charging(due)) }
        store.report(.told(.paid(id: due.id))) { #expect($0.phase == .sold(due)) }
        store.send(.retried, as: moderator, rejectedAs: "not-stalled")
    }

    @Test func `charges the next highest where one is refused, until nobody is left`() throws {
        let store = store()
        for (bidder, amount) in [(ann, 30), (bob, 20)] {
            store.send(.bid(amount: amount), as: bidder)
        }
        store.send(.closed, as: moderator)
        let first = try #require(store.state.due)
        store.report(.told(.refused(id: first.id))) { #expect($0.due?.bidder == "bob") }
        store.report(.told(.paid(id: first.id))) { #expect($0.due?.bidder == "bob") }
        let second = try #require(store.state.due)
        store.report(.told(.refused(id: second.id))) { #expect($0.phase == .unsold) }
        #expect(payments.charges.cancelled == [first, second])
    }

    @Test func `asks for the same charge after a restart, and for none when it is sold`() throws {
        let (store, charges) = (store(), payments.charges)
        store.send(.bid(amount: 10), as: ann)
        store.advance(by: .seconds(59))
        store.restart()
        store.advance(by: .seconds(31))
        store.receive(.told(.ended))
        let due = try #require(store.state.due)
        store.restart()
        #expect(charges.asked == [due, due])
        store.report(.told(.paid(id: due.id)))
        store.restart()
        #expect(charges.asked.count == 2)
    }

    @Test func `draws among equal bids, and draws the same again`() throws {
        let session = try #require(SessionID("lot"))
        let bid = AuctionState.Bid(amount: 7, at: Timestamp(milliseconds: 0))
        let winners = try (UInt64(1)...64).map { number in
            let step = {
                Step(
                    by: moderator, at: Timestamp(milliseconds: 1), version: 3, session: session,
                    epoch: "k3f9", seed: Seed(number))
            }
            var (one, other) = (AuctionState(), AuctionState())
            (one.bids, other.bids) = (["ann": bid, "bob": bid], ["bob": bid, "ann": bid])
            try one.apply(.closed, step())
            try other.apply(.closed, step())
            #expect(one == other)
            return one.due?.bidder
        }
        #expect(winners.count { $0 == "ann" } > 16 && winners.count { $0 == "bob" } > 16)
    }

    @Test func `shows who has no id what others see, though it has no seller yet`() {
        #expect(SeenAuction.Audience(Viewer(.anonymous), of: AuctionState()) == .others)
    }

    @Test func `has one winner at most, who pays what they have bid, whatever comes`() {
        let people = [sue, ann, bob, Principal("eve"), moderator]
        let actions = RandomActions(
            payments.auctionAlone, input: clock, as: people, steps: 20_000)
        let untried = actions.check { before, action, after in
            if case .sold = before.phase { #expect(after.phase == before.phase, "two winners") }
            if case .sold(let charge) = after.phase, after.phase != before.phase {
                #expect(before.due == charge && action == .told(.paid(id: charge.id)))
                #expect(after.bids[charge.bidder]?.amount == charge.amount, "money from nowhere")
            }
            if let due = after.due, due != before.due {
                let left = after.bids.values.filter { !$0.isRefused }
                #expect(left.map(\.amount).max() == due.amount, "not the highest")
            }
            for (bidder, bid) in before.bids {
                #expect(after.bids[bidder]?.amount ?? 0 >= bid.amount, "lowered")
            }
            #expect(after.bids["sue"] == nil && after.bids["mod"] == nil)
        }
        #expect(untried == [])
    }
}
