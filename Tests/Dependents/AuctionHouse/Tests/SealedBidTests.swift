import Statecast
import StatecastTesting
import Testing

@testable import AuctionHouse

@Suite struct `Sealed bids of an auction house` {
    /// Somebody, and the streams that they have open.
    private struct Guest {
        let fields: [String: String]
        let streams: [TestEvents]
        /// Amounts that they may not see.
        let sealed: [String]

        /// All that their streams show, up to a line of the chat.
        func texts(to mark: String) throws -> [String] {
            try streams.flatMap { stream in
                var texts: [String] = []
                while texts.last?.contains(mark) != true {
                    guard let event = try stream.next() else { break }
                    texts.append(event.data)
                }
                return texts
            }
        }
    }

    private static let (annsFirst, anns, bobs) = ("58102416", "58102417", "58102418")

    private func guest(
        _ fields: [String: String], _ sealed: [String], at path: String, _ server: TestServer
    ) throws -> Guest {
        let streams = try ["", "?patch=json-patch", "?select=/lines"].map {
            try server.events(path, query: $0, fields: fields)
        }
        return Guest(fields: fields, streams: streams, sealed: sealed)
    }

    /// What somebody is answered who asks for everything.
    private func answers(
        to fields: [String: String], at path: String, _ server: TestServer
    ) throws -> [String] {
        let ofSession = [
            "", "/state", "/state?select=/bids", "/state?select=/yours", "/state?select=/count",
            "/state?version=2", "/state?version=3&select=/bids", "/state?view=bids", "/log?patch=1",
            "/recording", "/replay", "/schema",
        ]
        let ofServer = [
            "/lobby/sessions/lobby/state", "/lobby/sessions/lobby/log", "/auctions/sessions",
            "/auctions/schema", "/metrics", "/inspect/timeline/", "/readyz",
        ]
        var texts = try (ofSession.map { path + $0 } + ofServer).map {
            try server.send("GET", $0, fields: fields).body
        }
        var represented = fields
        represented["Prefer"] = "return=representation"
        for body in [
            #"{"type":"said","payload":{"text":"hm"}}"#, #"{"type":"bid","payload":{"amount":0}}"#,
            #"{"type":"bid","payload":{"amount":"1"}}"#, #"{"type":"retried"}"#,
            #"{"type":"told/paid","payload":{"id":"1"}}"#,
        ] {
            texts.append(try server.post(path, body, fields: represented).body)
        }
        return texts
    }

    private func expectNothing(of sealed: [String], in texts: [String]) {
        for text in texts {
            #expect(!sealed.contains { text.contains($0) }, "\(text)")
        }
    }

    @Test func `are told by nothing to anybody who may not see them`() async throws {
        let log = LogText()
        let (annsFirst, anns, bobs) = (Self.annsFirst, Self.anns, Self.bobs)
        try await House(Payments().auction).serve(logger: log.logger) { server in
            let (seller, moderator) = (
                try server.signIn("Sue"), try server.signIn("Mo", word: "open")
            )
            let (ann, bob) = (try server.signIn("Ann"), try server.signIn("Bob"))
            let (eve, stranger) = (try server.signIn("Eve"), [String: String]())
            let path = try server.auction(of: seller).path
            let all = [annsFirst, anns, bobs]
            let sellers = try guest(seller, all, at: path, server)
            let others = try [
                guest(stranger, all, at: path, server), guest(eve, all, at: path, server),
                guest(ann, [bobs], at: path, server),
                guest(bob, [annsFirst, anns], at: path, server),
            ]
            for (fields, amount) in [(ann, annsFirst), (bob, bobs), (ann, anns)] {
                let bid = #"{"amount":\#(amount)}"#
                #expect(try server.dispatch(path, "bid", bid, fields: fields).status == 200)
            }
            try server.dispatch(path, "said", #"{"text":"going"}"#, fields: eve)
            let open = try sellers.texts(to: "going") + answers(to: seller, at: path, server)
            expectNothing(of: all, in: open)
            let untold = try server.send("GET", "\(path)/state", fields: seller).body
            #expect(!untold.contains(#""count""#) && !untold.contains(#""bids""#))

            try server.dispatch(path, "closed", fields: moderator)
            for guest in others {
                expectNothing(of: guest.sealed, in: try answers(to: guest.fields, at: path, server))
            }
            try server.dispatch(path, "said", #"{"text":"gone"}"#, fields: eve)
            for guest in others {
                expectNothing(of: guest.sealed, in: try guest.texts(to: "gone"))
            }

            // Those who may are shown them.
            let seen = try answers(to: moderator, at: path, server).joined()
            #expect([annsFirst, anns, bobs].allSatisfy(seen.contains))
            let sold = try server.send("GET", "\(path)/state", fields: seller).body
            #expect(sold.contains(anns) && sold.contains(bobs))
            let own = try server.send("GET", "\(path)/state", fields: ann).body
            #expect(own.contains(#""yours":\#(anns)"#))
        }
        #expect(log.text.contains("bid"))
        expectNothing(of: [annsFirst, anns, bobs], in: [log.text])
    }
}
