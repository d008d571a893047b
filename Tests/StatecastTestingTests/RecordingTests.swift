import Statecast
import StatecastTesting
import TemporaryFolder
import Testing

@testable import AuctionModel

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
                "one", of: Auction.self, input: .init(title: "A clock"), as: Principal("ann"))
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
        #expect(recording.check() == [])
    }

    @Test func `shows the first entry that today's reducer decides otherwise`() async throws {
        let recording = try await recording(.sellerBids)
        let refused = recordedText { recording.check() }
        #expect(
            refused.contains("The entry of version 3 is refused now: \"knows-too-much\" in"),
            "\(refused)")
        let text = recording.text.replacing(#""value":{"amount":5"#, with: #""value":{"amount":4"#)
        let other = try Recording(of: Auction(flaw: .sellerBids), text)
        let issue = recordedText { other.check(writtenAs: "Auction(flaw: .none)") }
        #expect(
            issue.contains(
                "The entry of version 1 comes to another state than it did, at /bids/bob/amount"),
            "\(issue)")
        #expect(issue.contains("amount: 4 → 5") && issue.contains("Auction(flaw: .none),"))
        let unknown = recording.text.replacing(#""type":"bid""#, with: #""type":"bet""#)
        let gone = recordedText {
            _ = try? Recording(of: Auction(flaw: .none), unknown).check()
        }
        #expect(
            gone.contains("The entry of version 1 cannot be read any more, at /action/type"),
            "\(gone)")
    }

    @Test func `is one of a folder, each of which is checked`() async throws {
        let folder = TemporaryFolder()
        let (good, bad) = (try await recording(.none), try await recording(.sellerBids))
        // One that was refused, and one whose first bid is another.
        let changed = good.text.replacing(#""value":{"amount":5"#, with: #""value":{"amount":4"#)
        for number in 100...199 {
            let text = number == 157 ? bad.text : number == 171 ? changed : good.text
            try folder.write("auction-\(number).ndjson", text)
        }
        try folder.write("notes.txt", "No recording.")
        let path = folder.path
        let issues = recordedIssues {
            try? Recording.checkAll(in: path, of: Auction(flaw: .none))
        }
        #expect(issues.count == 2)
        #expect(
            issues.last?.contains("auction-171.ndjson: The entry of version 1 comes to") == true)
        #expect(issues.last?.contains("at /bids/bob/amount") == true)
        #expect(
            issues.first?.contains("auction-157.ndjson: The entry of version 3 is refused now")
                == true)
        let again = Recording<Auction>.self
        let flawed = recordedIssues {
            try? again.checkAll(in: path, of: Auction(flaw: .sellerBids))
        }
        #expect(flawed.count == 1)
        try folder.write("empty/notes.txt", "No recording.")
        let none = recordedText {
            try? again.checkAll(in: "\(path)/empty", of: Auction(flaw: .none))
        }
        #expect(none.contains("There is no recording in \(path)/empty."))
    }

    @Test func `has the ids of before where its session was reverted`() async throws {
        let clock = ManualClock()
        let recording = try await TestServer.run(serving: {
            Served(
                "/auctions", Auction(flaw: .none), options: .init(history: .always),
                environment: clock.environment())
        }) { server in
            let auction = try await server.sessions.create(
                "one", of: Auction.self, input: .init(title: "A clock"), as: Principal("ann"))
            for (bidder, amount) in [("bob", 6), ("eve", 5)] {
                try await auction.dispatch(.bid(amount: amount), as: Principal(bidder))
            }
            clock.advance(by: .seconds(60))
            let due = try #require(try await auction.state.due)
            // The next one's charge has another id.
            try await auction.dispatch(.told(.refused(id: due.id)))
            for (resource, body) in [("forget", #"{"before":3}"#), ("revert", #"{"version":3}"#)] {
                let answer = try server.send(
                    "POST", "\(auction.path)/\(resource)",
                    fields: ["Content-Type": "application/json"], body: body)
                #expect(answer.isSuccess, "\(answer.body)")
            }
            try await server.sessions.session("one", of: Auction.self)
                .dispatch(.told(.refused(id: due.id)))
            return try server.session(auction).recording(of: Auction(flaw: .none))
        }
        #expect(recording.version == 3 && recording.entries.map(\.version) == [4, 5, 6])
        #expect(recording.check() == [])
    }

    @Test func `is written and read again`() async throws {
        let folder = TemporaryFolder()
        try folder.write("other.txt", "")
        let recording = try await recording(.none)
        #expect(recording.session == SessionID("one") && recording.build?.isEmpty == false)
        try recording.write(to: "\(folder.path)/one.ndjson")
        let copy = try Recording(of: Auction(flaw: .none), contentsOf: "\(folder.path)/one.ndjson")
        #expect(copy.text == recording.text && copy.check() == [])
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
