import HTTPMessages
import Sessions
import StateCoding
import StatecastTesting
import Testing

/// What is shown by a key that others had before.
@Suite(.onBothJournals) struct `Who comes into a key of a view` {
    private static let secret = "SECRET"
    /// A text that stays: beside it, patches are smaller than what is shown.
    private static let long = "\"\(String(repeating: "x", count: 4000))\""

    /// Alice follows by patches, in every way, what she writes into her seat and says in the club; then
    /// she takes all of it back, and goes. Returns bob's suffix for a query once he has come.
    private func letAliceGo(
        _ room: SeatsRoom, _ query: String
    ) throws -> (suffix: String, entry: UInt64, now: UInt64) {
        try room.act(
            ("alice", "sat", #"{"seat":0}"#), ("alice", "joined", nil),
            ("alice", "noted", Self.long), ("alice", "said", Self.long))
        let stream = try room.events("alice", query)
        #expect(try stream.next()?.name == "snapshot")
        for number in 0..<6 {
            try room.act(
                ("alice", "noted", #""\#(Self.secret) \#(number)""#),
                ("alice", "said", #""\#(Self.secret) \#(number)""#))
            #expect(try stream.next()?.data.contains(Self.secret) == true)
        }
        try room.act(("alice", "cleared", nil), ("alice", "unsaid", nil))
        #expect(try stream.next()?.name == "patch")
        try room.act(("alice", "parted", nil), ("alice", "stood", nil), ("carol", "turned", nil))
        try room.act(("bob", "sat", #"{"seat":0}"#), ("bob", "joined", nil))
        let tag = try #require(ProjectionTag(try room.tag("bob", "/state\(query)")))
        let now = tag.token.version
        return (tag.suffix, query.contains("talk") ? now : now - 1, now)
    }

    @Test(arguments: ["", "?view=notes", "?view=talk", "?select=/notes"])
    func `is shown nothing of before by any way out`(_ query: String) async throws {
        try await SeatsRoom.serve { room in
            let (suffix, entry, now) = try letAliceGo(room, query)
            let epoch = try #require(ProjectionTag(try room.tag("bob"))).token.epoch
            let path = "/state\(query)"
            let held = path + (query.isEmpty ? "?" : "&") + "wait=0.01"
            for version in 0..<now {
                let tag = "\(epoch)-\(version)\(suffix)"
                let isOwn = version >= entry
                let first = try #require(try room.events("bob", query, since: tag).next())
                #expect(first.name == "snapshot" || isOwn, "\(version): \(first)")
                #expect(!first.data.contains(Self.secret), "\(version)")
                let state = try room.events("bob", query, since: tag, patches: false).next()
                #expect(state?.data.isEmpty == false || isOwn, "\(version)")
                let patch = try room.change(path, "bob", since: tag)
                #expect(patch.status == 200 || isOwn, "\(version): \(patch)")
                #expect(patch.fields["content-type"] == "application/json" || isOwn, "\(version)")
                #expect(!patch.body.contains(Self.secret), "\(version)")
                let poll = try room.get(held, "bob", ["If-None-Match": "\"\(tag)\""])
                #expect(poll.status == 200 || isOwn, "\(version): \(poll)")
                let mark = query.isEmpty ? "?" : "&"
                let past = try room.get("\(path)\(mark)version=\(version)", "bob")
                #expect(past.isSuccess && !past.body.contains(Self.secret), "\(past)")
                let alice = try room.get("\(path)\(mark)version=\(version)", "alice")
                #expect(alice.isSuccess)
            }
            #expect(try room.get("/log?patch=1", "bob").status == 403)
        }
    }

    @Test func `begins anew when they come back to it`() async throws {
        try await SeatsRoom.serve { room in
            try room.act(("alice", "sat", #"{"seat":0}"#), ("alice", "noted", Self.long))
            let stream = try room.events("alice", "")
            let own = try #require(try stream.nextID())
            let tag = try room.tag("alice")
            try room.act(
                ("alice", "stood", nil), ("bob", "sat", #"{"seat":0}"#),
                ("bob", "noted", #""\#(Self.secret)""#), ("bob", "cleared", nil),
                ("bob", "stood", nil), ("alice", "sat", #"{"seat":0}"#))
            let suffix = try #require(ProjectionTag(own)).suffix
            #expect(try room.tag("alice").hasSuffix(suffix), "she is of the same class again")
            #expect(try room.events("alice", "", since: own).next()?.name == "snapshot")
            let answer = try room.change("/state", "alice", since: tag)
            #expect(answer.fields["content-type"] == "application/json")
            var names: [String] = []
            while names.count < 2 { names.append(try #require(try stream.next()).name) }
            #expect(names == ["snapshot", "snapshot"], "each time, the stream began anew")
        }
    }

    @Test func `disturbs nobody who is there`() async throws {
        try await SeatsRoom.serve { room in
            try room.act(
                ("carol", "joined", nil), ("alice", "joined", nil), ("alice", "said", Self.long))
            let stream = try room.events("carol", "?view=talk")
            let seen = try #require(try stream.nextID())
            let tag = try room.tag("alice", "/state?view=talk")
            try room.act(
                ("carol", "said", #""one""#), ("bob", "joined", nil), ("bob", "said", #""two""#))
            #expect(try stream.next()?.name == "patch")
            #expect(try stream.next()?.name == "patch")
            // Carol comes again while her first stream is still there, alice by requests alone.
            let again = try #require(try room.events("carol", "?view=talk", since: seen).next())
            #expect(again.name == "patch" && again.data.contains("one"))
            let answer = try room.change("/state?view=talk", "alice", since: tag)
            #expect(answer.fields["content-type"] == "application/json-patch+json")
            let bob = try #require(try room.events("bob", "?view=talk", since: seen).next())
            #expect(bob.name == "snapshot")
        }
    }

    @Test func `goes on by patches after a break of the connection`() async throws {
        try await SeatsRoom.serve { room in
            try room.act(("alice", "sat", #"{"seat":1}"#), ("alice", "noted", Self.long))
            var stream: TestEvents? = try room.events("alice", "")
            let seen = try #require(try stream?.nextID())
            stream = nil
            for text in ["a", "b"] {
                try room.act(("alice", "noted", "\"\(text)\""), ("carol", "turned", nil))
            }
            let event = try #require(try room.events("alice", "", since: seen).next())
            #expect(event.name == "patch" && event.data.contains(#""value":"a""#))
        }
    }

    @Test func `is of no concern where each viewer has a view`() async throws {
        try await SeatsRoom.serve { room in
            try room.act(("alice", "joined", nil), ("alice", "said", Self.long))
            let stream = try room.events("alice", "?view=mine")
            let seen = try #require(try stream.nextID())
            for text in ["a", "b"] {
                try room.act(("alice", "said", "\"\(text)\""), ("carol", "turned", nil))
                #expect(try stream.next()?.name == "patch")
            }
            #expect(try room.events("alice", "?view=mine", since: seen).next()?.name == "patch")
        }
    }
}
