import FileJournal
import Foundation
import HTTPClient
import SignedHooks
import Statecast
import StatecastTesting
import Testing

@testable import AuctionHouse

@Suite struct `An auction house` {
    private let payments = Payments()
    private let json = ["Content-Type": "application/json"]

    @Test func `takes lots of who has signed in, and lists them in its lobby`() async throws {
        try await House(payments.auction).serve { server in
            let seller = try server.signIn("Sue")
            let wrong = try server.send(
                "POST", "/auctions/sessions", fields: seller.merging(json) { $1 },
                body: #"{"title":" ","reserve":0,"seconds":1}"#)
            #expect(wrong.status == 422)
            for field in ["title", "reserve", "seconds"] {
                #expect(wrong.body.contains(#""pointer":"/\#(field)","code":"\#(field)""#))
            }
            let nothing = try server.send("POST", "/auctions/sessions", fields: seller)
            #expect(nothing.status == 422 && nothing.problem == "lot")
            #expect(try server.create("/auctions/sessions/mine", fields: seller).status == 403)
            #expect(try server.send("POST", "/auctions/sessions").status == 403)
            let nameless = try server.send(
                "POST", "/sign-in", fields: json, body: #"{"name":"a#b","word":"shut"}"#)
            #expect(nameless.body.contains(#""pointer":"/name""#))
            #expect(nameless.body.contains(#""pointer":"/word""#))

            let auction = try server.auction(of: seller)
            #expect(auction.path.count == "/auctions/sessions/".count + 32)
            let lobby = try server.sessions.session(Lobby.session, of: Lobby.self)
            for try await titles in lobby.values(of: { $0.auctions.values.map(\.title) })
            where titles == ["A clock"] { break }
            let bidder = try server.signIn("Ann")
            try auction.send(.bid(amount: 20), fields: bidder)
            try auction.send(.bid(amount: 19), rejectedAs: "not-raised", fields: bidder)
            let lowered = try server.dispatch(auction.path, "bid", #"{"amount":1}"#, fields: bidder)
            #expect(lowered.status == 409)
            #expect(lowered.body.contains(#""pointer":"/payload/amount""#))
        }
    }

    @Test func `sells to the highest who pays, by a service that fails and tells by its hook`()
        async throws
    {
        let client = try OutboundClient()
        let hook = SignedHook("Payment-Signature", secrets: [Secret(House.secret)])
        let service = PaymentService(
            client, hook, word: Secret("Bearer bank"), limit: 1_000, pause: .milliseconds(1))
        try await TestServer.run(serving: { service.route }) { bank in
            let stranger = try bank.send(
                "POST", "/payments/charges",
                fields: json.merging(["Authorization": "Bearer"]) { $1 },
                body: #"{"auction":"a","charge":"c","payer":"p","amount":1}"#)
            #expect(stranger.status == 401 && service.takings.isEmpty)
            var api = JSONUpstream(
                client: client, base: "http://127.0.0.1:\(bank.port)/payments")
            api.fields[.authorization] = "Bearer bank"
            let application = Auction(charging: api)
            try await House(application).serve { server in
                service.tells("http://127.0.0.1:\(server.port)/hooks/payments")
                let sale = try await server.sessions.create(
                    of: Auction.self, input: clock, as: sue)
                try await sale.dispatch(.bid(amount: 5_000), as: ann)
                try await sale.dispatch(.bid(amount: 900), as: bob)
                try await sale.dispatch(.closed, as: moderator)
                for try await phase in sale.values(of: \.phase) where phase.name == "sold" { break }
                let state = try await sale.state
                #expect(state.bids["ann"]?.isRefused == true)
                guard case .sold(let charge) = state.phase else { return }
                #expect(charge.bidder == "bob" && service.takings == [charge.id: 900])
                #expect(service.requestCount >= 3)
                let fields = try server.signIn("Mo", word: "open")
                let recording = try server.session(sale).recording(
                    of: application, fields: fields)
                #expect(recording.check(session: sale.id) == [])
            }
        }
        await client.shutdown()
    }

    @Test func `is told of payments by what is signed, and now`() async throws {
        try await House(payments.auction).serve { server in
            let sale = try await server.sessions.create(of: Auction.self, input: clock, as: sue)
            try await sale.dispatch(.bid(amount: 10), as: ann)
            try await sale.dispatch(.closed, as: moderator)
            let due = try #require(try await sale.state.due)
            func tell(
                _ session: String, by secret: String = House.secret, at time: Timestamp? = nil,
                isSigned: Bool = true
            ) throws -> TestAnswer {
                let body = #"{"auction":"\#(session)","charge":"\#(due.id)","isPaid":true}"#
                let hook = SignedHook("Payment-Signature", secrets: [Secret(secret)])
                var fields = ["Content-Type": "application/json"]
                if isSigned {
                    fields["Payment-Signature"] = hook.signature(of: Array(body.utf8), at: time)
                }
                return try server.send("POST", "/hooks/payments", fields: fields, body: body)
            }
            let id = "\(sale.id)"
            #expect(try tell(id, isSigned: false).problem == "unsigned")
            #expect(try tell(id, by: "seasame").problem == "wrong-signature")
            let old = Timestamp(milliseconds: 0)
            #expect(try tell(id, at: old).problem == "late-signature")
            #expect(try await sale.state.due == due)
            #expect(try tell("nobody").status == 404)
            #expect(try tell(id).status == 204 && tell(id).status == 204)
            #expect(try await sale.state.phase == .sold(due))
        }
    }

    @Test func `shows who has slept over the end one patch`() async throws {
        let time = ManualClock()
        // Work runs in Swift's pool, by this clock.
        var environment = time.environment()
        environment.executor = nil
        try await House(payments.auction, environment: environment).serve { server in
            let (seller, bidder) = (try server.signIn("Sue"), try server.signIn("Ann"))
            let auction = try server.auction(of: seller)
            try auction.send(.said(text: String(repeating: "going ", count: 50)), fields: bidder)
            try auction.send(.bid(amount: 10), fields: bidder)
            let query = "?patch=json-patch"
            let stream = try server.events(auction.path, query: query, fields: bidder)
            let first = try #require(try stream.next())
            #expect(first.name == "snapshot" && first.data.contains(#""phase":"open""#))
            var asleep = bidder
            asleep["Last-Event-ID"] = first.id

            time.advance(by: .seconds(60))
            let watcher = try auction.watch(as: SeenAuction.self, fields: seller)
            let end = try watcher.first { $0.phase == "charging" }
            #expect(end.bids?.map(\.amount) == [10])
            let later = try server.events(auction.path, query: query, fields: asleep)
            let patch = try #require(try later.next())
            #expect(patch.name == "patch")
            #expect(patch.data.contains(#""path":"/phase","value":"charging""#))
            #expect(try stream.next()?.name == "patch")
        }
    }

    /// A server that keeps its auctions in a file.
    private func serve<Result: Sendable>(
        _ path: String, _ auction: Auction, body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        var configuration = TestServer.configuration
        configuration.journal = try FileJournal(path)
        return try await TestServer.run(
            configuration, serving: { Served("/auctions", auction) }, body: body)
    }

    @Test func `charges once, though the server ends between winning and charging`() async throws {
        let path = NSTemporaryDirectory() + "auctions-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (asked, asking) = AsyncStream.makeStream(of: Charge.self)
        let charges = payments.charges
        let auction = Auction(
            charge: { charge, _ in
                asking.yield(charge)
                try await charges.answer(to: charge)
            }, tell: { _, _ in })
        let (id, due) = try await serve(path, auction) { server in
            let sale = try await server.sessions.create(of: Auction.self, input: clock, as: sue)
            try await sale.dispatch(.bid(amount: 10), as: ann)
            try await sale.dispatch(.closed, as: moderator)
            return ("\(sale.id)", await asked.first { _ in true })
        }
        try await serve(path, auction) { server in
            let sale = try server.sessions.session(id, of: Auction.self)
            #expect(try await sale.state.due == due)
            #expect(await asked.first { _ in true } == due)
            try await sale.dispatch(.told(.paid(id: due?.id ?? "")))
            #expect(try await sale.state.phase.name == "sold")
        }
        try await serve(path, auction) { server in
            let sale = try server.sessions.session(id, of: Auction.self)
            #expect(try await sale.state.phase.name == "sold")
        }
        #expect(charges.asked.allSatisfy { $0 == due })
    }
}
