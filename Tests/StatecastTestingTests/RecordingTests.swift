import Statecast
import StatecastTesting
import Testing

@Suite struct `A recording` {
    /// What an auction has done whose reducer has a flaw: two bids, one of them by the seller, and the end.
    private func recording(_ flaw: Auction.Flaw) async throws -> Recording<Auction> {
        let clock = ManualClock()
        return try await TestServer.run(serving: {
            Served(
                "/auctions", Auction(flaw: flaw), options: .init(history: .always),
                environment: clock.environment())
        }) { server in
            let auction = try await server.sessions.create(
                "one", of: Auction.self, input: .init(seconds: 60), as: Principal("ann"))
            try await auction.dispatch(.bid(amount: 5), as: Principal("bob"))
            try await auction.dispatch(.bid(amount: 5), as: Principal("eve"))
            if flaw == .sellerBids {
                try await auction.dispatch(.bid(amount: 9), as: Principal("ann"))
            }
            clock.advance(by: .seconds(60))
            return try server.session(auction).recording(of: Auction(flaw: .none))
        }
    }

    @Test func `comes to the same once more, draws and ids with it`() async throws {
        let recording = try await recording(.none)
        #expect(recording.initialState.seller == "ann" && recording.version == 0)
        #expect(recording.entries.map(\.version) == [1, 2, 3])
        #expect(recording.entries.map { $0.by?.id } == ["bob", "eve", nil])
        #expect(recording.entries.last?.at == Timestamp(milliseconds: 60_000))
        recording.check(session: SessionID("one"))
    }

    @Test func `shows the first entry that today's reducer decides otherwise`() async throws {
        let recording = try await recording(.sellerBids)
        let refused = recordedText { recording.check() }
        #expect(refused.contains("The entry of version 3 cannot be reduced"), "\(refused)")
        let text = recording.text.replacing(#""value":{"amount":5"#, with: #""value":{"amount":4"#)
        let other = try Recording(of: Auction(flaw: .sellerBids), text)
        let issue = recordedText { other.check() }
        #expect(issue.contains("The entry of version 1 comes to another state"), "\(issue)")
        #expect(issue.contains("amount: 4 → 5"), "\(issue)")
    }

    @Test func `names the line that is none of it`() {
        let text = #"{"application":"/auctions"}"#
        let error = #expect(throws: TestFailure.self) {
            try Recording(of: Auction(flaw: .none), text)
        }
        #expect(
            error.map { "\($0)" }
                == "This cannot be decoded (The line has no member \"version\".): \(text)")
    }
}
