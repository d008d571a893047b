import HTTPServer
import StateCoding
import Statecast
import StatecastTesting
import Testing

/// The table's JSON as somebody sees it.
private func seen(_ hand: String?, _ counts: String, pile: String = "[]") -> String {
    let note = hand == nil ? "" : ",\"note\":\"\""
    return "{" + (hand.map { #""hand":\#($0),"# } ?? "")
        + #""counts":{\#(counts)},"pile":\#(pile)\#(note)}"#
}

private let dealt = #""alice":1,"bob":1"#

@Suite(.onBothJournals) struct `A viewer` {
    @Test func `is given the own hand, and no other, as the state`() async throws {
        try await HandsTable.serve { table in
            let own = try table.get("/state", "alice")
            #expect(own.body == seen("[11]", dealt))
            #expect(try table.get("/state", "bob").body == seen("[22]", dealt))
            #expect(try table.get("/state", "carol").body == seen(nil, dealt))
            #expect(try table.get("/state", "dave").body == seen(nil, dealt))
        }
    }

    @Test func `selects in what is seen`() async throws {
        try await HandsTable.serve { table in
            let own = try table.get("/state?select=/hand/0", "alice")
            #expect(own.body == "11")
            #expect(try table.get("/state?select=/hand/0", "bob").body == "22")
            #expect(try table.get("/state?select=/hand", "carol").status == 404)
            #expect(try table.get("/state?select=/hands/alice", "alice").status == 404)
            #expect(try table.get("/state?select=", "carol").body == seen(nil, dealt))
        }
    }

    @Test func `asks for views by their names, and for no other's`() async throws {
        try await HandsTable.serve { table in
            try table.play(11, "alice")
            try table.draw(33, "alice")
            #expect(try table.get("/state?view=pile", "carol").body == "[11]")
            #expect(try table.get("/state?view=mine", "alice").body == "[33]")
            #expect(try table.get("/state?view=mine&id=alice", "bob").body == "[22]")
            #expect(try table.get("/state?view=mine", "carol").status == 404)
            #expect(try table.get("/state?view=top&count=0", "carol").body == "[]")
            #expect(try table.get("/state?view=top&count=7", "carol").body == "[11]")
            // Arguments that the view does not ask for are none, by its bytes and by its tag.
            for query in ["view=pile", "view=top&count=1"] {
                let plain = try table.get("/state?\(query)", "alice")
                let more = try table.get("/state?\(query)&utm_source=x&_=17", "alice")
                #expect(plain.status == 200)
                #expect(more.body == plain.body && more.etag == plain.etag, "\(query)")
            }
            #expect(try table.get("/state?view=note", "carol").status == 404)
            #expect(try table.get("/state?view=note", "bob").body == "\"\"")
            #expect(try table.get("/state?view=state", "bob").status == 400)
        }
    }

    @Test func `has answers that no cache shows to another`() async throws {
        try await HandsTable.serve { table in
            for path in ["/state", "/state?view=pile", "/state?select=/none", "/none", ""] {
                let answer = try table.get(path, "alice")
                #expect(answer.fields["vary"]?.contains("Authorization, Cookie") == true, "\(path)")
            }
            let stream = try table.events("alice")
            _ = try stream.next()
            #expect(stream.head.contains("Vary: Authorization, Cookie"))
        }
        try await Demo.notes { demo in
            let answer = try demo.get("/state")
            #expect(answer.fields["vary"] == "Accept-Encoding")
        }
    }

    @Test func `is answered with the own hand to an action`() async throws {
        try await HandsTable.serve { table in
            let wish = ["Prefer": "return=representation"]
            let own = try table.post(#"{"type":"drew","payload":{"card":12}}"#, "alice", wish)
            #expect(own.body == seen("[11,12]", #""alice":2,"bob":1"#))
            #expect(own.etag == (try table.tag("alice")))
            let other = try table.post(#"{"type":"stood"}"#, "carol", wish)
            #expect(other.body == seen(nil, #""alice":2,"bob":1"#))
            #expect(other.fields["preference-applied"] == "return=representation")
            let settled = try table.post(#"{"type":"stood"}"#, "carol", query: "?settle=1", wish)
            #expect(settled.body == other.body)
        }
    }

    @Test func `has nobody else's tags`() async throws {
        try await HandsTable.serve { table in
            let (alice, bob, carol) = (
                try table.tag("alice"), try table.tag("bob"), try table.tag("carol")
            )
            #expect(Set([alice, bob, carol]).count == 3)
            #expect(carol == (try table.tag("dave")))
            func status(_ tag: String, _ name: String, _ path: String = "/state") throws -> Int {
                try table.get(path, name, ["If-None-Match": "\"\(tag)\""]).status
            }
            #expect(try status(alice, "alice") == 304)
            #expect(try status(carol, "dave") == 304)
            #expect(try status(alice, "bob") == 200)
            #expect(try status(carol, "bob") == 200)
            #expect(try status(String(alice.prefix { $0 != "." }), "alice") == 200)
            #expect(try status(alice, "bob", "/state?wait=20") == 200)
            let matched = try table.get("/state", "bob", ["If-Match": "\"\(alice)\""])
            #expect(matched.status == 412)
            let part = try table.tag("alice", "/state?select=/hand")
            #expect(try status(part, "bob", "/state?select=/hand") == 200)
        }
    }

    @Test func `resumes with the own ids alone`() async throws {
        try await HandsTable.serve { table in
            let (alice, bob) = (try table.tag("alice"), try table.tag("bob"))
            let resumed = try table.events("alice", "", ["Last-Event-ID": alice])
            #expect(try resumed.nextID() == alice)
            let other = try table.events("bob", "?last_event_id=\(alice)")
            let event = try #require(try other.next())
            #expect(event.data == seen("[22]", dealt) && event.id == bob)
        }
    }

    @Test func `posts by the version of any tag`() async throws {
        try await HandsTable.serve { table in
            let tag = try table.tag("alice")
            try table.post(
                #"{"type":"drew","payload":{"card":12}}"#, "alice", ["If-Match": "\"\(tag)\""])
            let late = try table.server.post(
                HandsTable.session, #"{"type":"stood"}"#,
                fields: HandsTable.fields("bob", ["If-Match": "\"\(tag)\""]))
            #expect(late.status == 412)
        }
    }
}

@Suite(.onBothJournals) struct `A viewer who watches` {
    @Test func `is sent the own changes, and of others the id alone`() async throws {
        try await HandsTable.serve { table in
            let (alice, bob, carol) = (
                try table.events("alice"), try table.events("bob"), try table.events("carol")
            )
            #expect(try alice.next()?.data == seen("[11]", dealt))
            #expect(try bob.next()?.data == seen("[22]", dealt))
            #expect(try carol.next()?.data == seen(nil, dealt))
            try table.note("psst", "alice")
            #expect(try alice.next()?.data.contains("psst") == true)
            #expect(try bob.next()?.data.contains("psst") == true)
            await table.server.advance(by: .seconds(1))
            let unseen = try #require(try carol.nextID())
            #expect(unseen.hasPrefix(try table.tag("carol").prefix { $0 != "." }))
            try table.play(11, "alice")
            let counts = #""alice":0,"bob":1"#
            #expect(try carol.next()?.data == seen(nil, counts, pile: "[11]"))
        }
    }

    @Test func `sits down, and is sent the hand at once`() async throws {
        try await HandsTable.serve { table in
            let carol = try table.events("carol")
            let first = try #require(try carol.next())
            #expect(first.data == seen(nil, dealt))
            try table.sit("carol")
            let second = try #require(try carol.next())
            #expect(second.data == seen("[]", dealt + #","carol":0"#))
            #expect(second.id == (try table.tag("carol")))
            #expect(second.id?.split(separator: ".").last != first.id?.split(separator: ".").last)
            try table.draw(33, "carol")
            #expect(try carol.next()?.data == seen("[33]", dealt + #","carol":1"#))
            try table.stand("carol")
            #expect(try carol.next()?.data == seen(nil, dealt))
            try table.draw(34, "alice")
            #expect(try carol.next()?.data == seen(nil, #""alice":2,"bob":1"#))
        }
    }

    @Test func `joins those who watch the class already, whose own view is as it was`() async throws
    {
        try await HandsTable.serve { table in
            let note = try table.events("carol", "?view=note")
            #expect(try note.next()?.name == "out-of-scope")
            let known = try table.events("alice", "?view=note")
            #expect(try known.next()?.data == "\"\"")
            try table.sit("carol")
            #expect(try note.next()?.data == "\"\"")
            try table.note("psst", "bob")
            #expect(try note.next()?.data == #""psst""#)
            #expect(try known.next()?.data == #""psst""#)
            try table.stand("carol")
            #expect(try note.next()?.name == "out-of-scope")
        }
    }

    @Test func `has parts of what is seen, also once that is another`() async throws {
        try await HandsTable.serve { table in
            let hand = try table.events("carol", "?select=/hand")
            let pile = try table.events("carol", "?select=/pile")
            let until = try table.events("bob", "?select=/hand&until=out-of-scope")
            #expect(try hand.next()?.name == "out-of-scope")
            #expect(try pile.next()?.data == "[]")
            #expect(try until.next()?.data == "[22]")
            try table.sit("carol")
            #expect(try hand.next()?.data == "[]")
            #expect(try pile.next()?.data == "[]")
            try table.draw(33, "carol")
            #expect(try hand.next()?.data == "[33]")
            try table.stand("bob")
            #expect(try until.next()?.name == "out-of-scope")
            #expect(try until.next() == nil)
        }
    }

    @Test func `reads lines of the same`() async throws {
        try await HandsTable.serve { table in
            let lines = try table.events("carol", "", ["Accept": "application/x-ndjson"])
            #expect(try lines.nextLine()?.contains(#""state":\#(seen(nil, dealt))"#) == true)
            try table.sit("carol")
            let line = try #require(try lines.nextLine())
            #expect(line.contains(#""state":{"hand":[],"#))
            #expect(line.contains(#""token":"\#(try table.tag("carol"))""#))
        }
    }

    @Test func `waits for the own changes alone`() async throws {
        try await HandsTable.serve { table in
            let tag = try table.tag("bob")
            let held = try table.server.open(
                "GET", HandsTable.session + "/state?wait=20",
                fields: HandsTable.fields("bob", ["If-None-Match": "\"\(tag)\""]))
            let watched = try table.events("alice")
            _ = try watched.next()
            let part = try table.tag("carol", "/state?select=/pile")
            let unseen = try table.server.open(
                "GET", HandsTable.session + "/state?select=/pile&wait=0.3",
                fields: HandsTable.fields("carol", ["If-None-Match": "\"\(part)\""]))
            try table.draw(23, "bob")
            #expect(try held.answer().body == seen("[22,23]", #""alice":1,"bob":2"#))
            #expect(try unseen.answer().status == 304)
        }
    }

    @Test func `is answered where the class changes while a request waits`() async throws {
        try await HandsTable.serve { table in
            func hold(_ query: String) throws -> TestRequest {
                let tag = try table.tag("carol", "/state" + query)
                let mark = query.isEmpty ? "?" : "&"
                return try table.server.open(
                    "GET", HandsTable.session + "/state\(query)\(mark)wait=20",
                    fields: HandsTable.fields("carol", ["If-None-Match": "\"\(tag)\""]))
            }
            let (state, pile) = (try hold(""), try hold("?select=/pile"))
            let watched = try table.events("carol")
            _ = try watched.next()
            try table.sit("carol")
            let answer = try state.answer()
            #expect(answer.body == seen("[]", dealt + #","carol":0"#))
            #expect(answer.etag == (try table.tag("carol")))
            #expect(try pile.answer().body == "[]")
            let (left, note) = (try hold(""), try hold("?view=note"))
            try table.stand("carol")
            #expect(try left.answer().body == seen(nil, dealt))
            #expect(try note.answer().status == 404)
        }
    }

    @Test func `goes on where there is no room for the new class, and finds none when it comes`()
        async throws
    {
        var configuration = TestServer.configuration
        configuration.sessionLimits.projectionCount = 2
        try await HandsTable.serve(configuration) { table in
            let (carol, dave, alice) = (
                try table.events("carol"), try table.events("dave"), try table.events("alice")
            )
            for stream in [carol, dave, alice] { _ = try stream.next() }
            #expect(try table.events("bob").next()?.name == "busy")
            let tag = try table.tag("carol")
            let held = try table.server.open(
                "GET", HandsTable.session + "/state?wait=20",
                fields: HandsTable.fields("carol", ["If-None-Match": "\"\(tag)\""]))
            _ = try table.get("", "carol")
            try table.sit("carol")
            #expect(try carol.next()?.data == seen("[]", dealt + #","carol":0"#))
            #expect(try dave.next()?.data == seen(nil, dealt + #","carol":0"#))
            #expect(try held.answer().body == seen("[]", dealt + #","carol":0"#))
        }
    }
}

@Suite(.onBothJournals) struct `What many see` {
    @Test func `is computed and encoded once for all of one class`() async throws {
        try await HandsTable.serve { table in
            let tally = table.application.tally
            let before = tally.count
            var streams: [TestEvents] = []
            for number in 0..<1_000 {
                streams.append(try table.events(number < 500 ? "alice" : "viewer\(number)"))
            }
            for stream in streams { _ = try stream.next() }
            #expect(tally.count == before + 2)
            try table.play(11, "alice")
            let counts = #""alice":0,"bob":1"#
            for (number, stream) in streams.enumerated() {
                let data = try stream.next()?.data
                #expect(data == seen(number < 500 ? "[]" : nil, counts, pile: "[11]"))
            }
            #expect(tally.count == before + 4)
        }
    }

    @Test func `is not computed again while its input is equal`() async throws {
        try await HandsTable.serve { table in
            let tally = table.application.tally
            let length = try table.events("carol", "?view=length")
            #expect(try length.next()?.data == "0")
            let before = tally.count
            for card in 12...20 { try table.draw(card, "alice") }
            #expect(tally.count == before)
            try table.play(11, "alice")
            #expect(try length.next()?.data == "1")
            #expect(tally.count == before + 1)
        }
    }

    @Test func `is computed again for those alone whose part of the state has changed`()
        async throws
    {
        try await HandsTable.serve { table in
            let tally = table.application.tally
            let (alice, bob) = (
                try table.events("alice", "?view=cards"), try table.events("bob", "?view=cards")
            )
            #expect(try alice.next()?.data == "[11]")
            #expect(try bob.next()?.data == "[22]")
            let before = tally.count
            for card in 12...20 { try table.draw(card, "alice") }
            #expect(tally.count == before + 9)
            #expect(try alice.next()?.data == "[11,12]")
            try table.draw(33, "bob")
            #expect(try bob.next()?.data == "[22,33]")
            #expect(tally.count == before + 10)
        }
    }

    @Test func `is read many times, and computed once a change`() async throws {
        try await HandsTable.serve { table in
            let tally = table.application.tally
            let before = tally.count
            for name in ["carol", "dave", "erin"] {
                #expect(try table.get("/state", name).body == seen(nil, dealt))
                #expect(try table.get("/state?select=/pile", name).body == "[]")
            }
            #expect(tally.count == before + 1)
            try table.draw(12, "alice")
            #expect(try table.get("/state", "carol").body == seen(nil, #""alice":2,"bob":1"#))
            #expect(tally.count == before + 2)
        }
    }
}
