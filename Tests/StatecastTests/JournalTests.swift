import Journaling
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite struct `With a journal that takes its time`: NotesInScriptedJournal {
    @Test func `nobody sees an action before it is durable`() async throws {
        try await withNotes { demo, journal in
            let events = try demo.events("?select=/notes")
            #expect(try events.next()?.data == "[]")
            let posted = try demo.openPost(add("a"))
            await journal.waitForAppends(1)
            #expect(try state(demo) == "[]")
            journal.answer(.kept)
            #expect(try posted.answer().status == 200)
            #expect(try state(demo) == "[\"a\"]")
            #expect(try events.next()?.data == "[\"a\"]")
            let entry = try #require(journal.batches.first?.first)
            let head = String(decoding: entry.head, as: UTF8.self)
            #expect(head.hasPrefix(#"{"epoch":""#))
            #expect(head.hasSuffix(#","origin":"client","action":{"type":"added","payload":"a"}}"#))
        }
    }

    @Test func `a refusal waits for what it rests on`() async throws {
        try await withNotes { demo, journal in
            let posted = try demo.openPost(add("a"))
            await journal.waitForAppends(1)
            let refused = try demo.openPost("{\"type\":\"rejectMe\"}")
            let stale = try demo.openPost(add("b"), fields: ["If-Match": "\"x-0\""])
            journal.answer(.kept)
            #expect(try posted.answer().status == 200)
            let answer = try refused.answer()
            #expect(answer.status == 422)
            #expect(answer.etag?.hasSuffix("-1") == true)
            #expect(try stale.answer().status == 412)
        }
    }

    @Test func `an append that failed leaves everything as it was`() async throws {
        try await withNotes { demo, journal in
            let events = try demo.events("?select=/notes")
            #expect(try events.next()?.data == "[]")
            let posted = try demo.openPost(add("a"), fields: ["Idempotency-Key": "k"])
            await journal.answerNext(.refused(.unavailable))
            let answer = try posted.answer()
            #expect(answer.status == 503)
            #expect(answer.fields["retry-after"] != nil)
            #expect(try answer.json()["type"]?.string == "/problems/journal-unavailable")
            #expect(try state(demo) == "[]")
            let again = try demo.openPost(add("b"), fields: ["Idempotency-Key": "k"])
            await journal.answerNext(.kept)
            #expect(try again.answer().json()["version"]?.integer == 1)
            #expect(try events.next()?.data == "[\"b\"]")
        }
    }

    @Test(arguments: [true, false])
    func `an append whose end nobody knows is settled by what the journal holds`(
        isKept: Bool
    ) async throws {
        try await withNotes { demo, journal in
            let events = try demo.events()
            let first = try #require(try events.next()?.id)
            let key = ["Idempotency-Key": "k"]
            let posted = try demo.openPost(add("a"), fields: key)
            await journal.answerNext(.unknown, isKept: isKept)
            let answer = try posted.answer()
            #expect(answer.status == 503)
            #expect(answer.fields["retry-after"] != nil)
            #expect(try answer.json()["type"]?.string == "/problems/outcome-unknown")
            #expect(try events.next()?.name == "busy")
            #expect(try events.next() == nil)
            #expect(try state(demo) == (isKept ? "[\"a\"]" : "[]"))
            journal.setManner(.atOnce(.kept))
            let again = try demo.post(add("a"), fields: key)
            #expect(again.status == 200)
            #expect(again.fields["idempotency-replayed"] == (isKept ? "true" : nil))
            #expect(try again.json()["version"]?.integer == 1)
            #expect(try state(demo) == "[\"a\"]")
            #expect(again.etag?.split(separator: "-").first == first.split(separator: "-").first)
        }
    }

    @Test func `as long as the journal is not there, what it last told is shown`() async throws {
        try await withNotes { demo, journal in
            let posted = try demo.openPost(add("a"))
            await journal.waitForAppends(1)
            journal.failOpenings(2)
            journal.answer(.unknown, isKept: true)
            #expect(try posted.answer().status == 503)
            #expect(try state(demo) == "[]")
            #expect(try state(demo) == "[\"a\"]")
        }
    }

    @Test func `where the journal does not say in time, what it last told is shown`() async throws {
        let journal = ScriptedJournal()
        var configuration = TestServer.configuration
        configuration.journal = journal
        let server = try Server(configuration) { NotesApplication().served(at: "/notes") }
        try server.start()
        do {
            try await TestServer.runBlocking {
                let demo = Demo(server: TestServer(server), path: "/notes/sessions/demo")
                try demo.server.create(demo.path)
                let posted = try demo.openPost(add("a"))
                await journal.waitForAppends(1)
                journal.openSlowly()
                journal.answer(.unknown, isKept: true)
                #expect(try posted.answer().status == 503)
                await journal.waitForOpening()
                let asked = try demo.open("/state?select=/notes")
                let later = try demo.openPost(add("b"))
                _ = try demo.server.send("GET", "/livez")
                await server.http.advance(by: .seconds(3))
                #expect(try asked.answer().body == "[]")
                #expect(try later.answer().problem == "busy")
                journal.finishOpenings()
                #expect(try state(demo) == "[\"a\"]")
            }
            await server.shutDown()
        } catch {
            await server.shutDown()
            throw error
        }
    }

    @Test func `who has waited for keys waits for what is in doubt as well`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        let key = ["Idempotency-Key": "k"]
        try await withNotes(journal) { demo, _ in try demo.post(add("a"), fields: key) }
        journal.tellKeysLater()
        try await withNotes(journal, isNew: false) { demo, journal in
            #expect(try state(demo) == #"["a"]"#)
            journal.setManner(.byHand)
            let posted = try demo.openPost(add("b"))
            await journal.waitForAppends(1)
            journal.openSlowly()
            let keyed = try demo.openPost(add("a"), fields: key)
            await journal.waitForOpening()
            let asked = try demo.open("/state?select=/notes")
            _ = try demo.server.send("GET", "/livez")
            journal.answer(.unknown, isKept: true)
            #expect(try posted.answer().status == 503)
            journal.finishOpenings()
            #expect(try asked.answer().body == #"["a","b"]"#)
            #expect(try keyed.answer().fields["idempotency-replayed"] == "true")
        }
    }

    @Test func `a repeat in flight waits for the first and says the same`() async throws {
        try await withNotes { demo, journal in
            let key = ["Idempotency-Key": "\"k\""]
            let first = try demo.openPost(add("a"), fields: key)
            await journal.waitForAppends(1)
            let behind = try demo.openPost(add("c"))
            await journal.waitForAppends(2)
            let again = try demo.openPost(add("a"), fields: key)
            let other = try demo.openPost(add("b"), fields: key)
            // A request on a connection of its own has come when the next one is answered.
            #expect(try state(demo) == "[]")
            journal.answer(.kept)
            #expect(try other.answer().status == 422)
            let answer = try first.answer()
            #expect(answer.fields["idempotency-replayed"] == nil)
            let repeated = try again.answer()
            #expect(repeated.body == answer.body)
            #expect(repeated.fields["idempotency-replayed"] == "true")
            journal.answer(.kept)
            #expect(try behind.answer().status == 200)
            #expect(journal.batches.count == 2)
        }
    }

    @Test func `that a key was used before is not said of entries that are lost`() async throws {
        try await withNotes { demo, journal in
            let key = ["Idempotency-Key": "k"]
            let first = try demo.openPost(add("a"), fields: key)
            await journal.waitForAppends(1)
            let other = try demo.openPost(add("b"), fields: key)
            #expect(try state(demo) == "[]")
            journal.answer(.refused(.full))
            #expect(try first.answer().status == 503)
            #expect(try other.answer().status == 503)
            journal.setManner(.atOnce(.kept))
            #expect(try demo.post(add("b"), fields: key).status == 200)
        }
    }

    @Test func `outcomes of several batches at once are told of once`() async throws {
        try await withNotes { demo, journal in
            let events = try demo.events("?select=/notes")
            #expect(try events.next()?.data == "[]")
            let posted = try ["a", "b", "c"].map { text in
                try demo.openPost(add(text))
            }
            await journal.waitForAppends(3)
            journal.answerAll(.kept)
            for request in posted { #expect(try request.answer().status == 200) }
            let notes = try #require(try events.next()?.data)
            #expect(notes.count == #"["a","b","c"]"#.count)
        }
    }

    @Test(arguments: [AppendOutcome.stale, .unknown])
    func `a journal that is lost at once is so for that request`(
        outcome: AppendOutcome
    ) async throws {
        try await withNotes(ScriptedJournal(.atOnce(outcome))) { demo, journal in
            let answer = try demo.post(add("a"))
            #expect(answer.status == 503)
            #expect(answer.problem == (outcome == .stale ? "moved" : "outcome-unknown"))
            journal.setManner(.atOnce(.kept))
            #expect(try demo.post(add("b")).status == 200)
            #expect(try state(demo) == #"["b"]"#)
        }
    }

    @Test func `a poll of a session that another server has taken may come again`() async throws {
        try await withNotes { demo, journal in
            let etag = try #require(try demo.get("/state").etag)
            let poll = try demo.open("/state?wait=20", fields: ["If-None-Match": "\"\(etag)\""])
            let posted = try demo.openPost(add("a"))
            await journal.answerNext(.stale)
            #expect(try posted.answer().problem == "moved")
            let answer = try poll.answer()
            #expect(answer.status == 503)
            #expect(answer.problem == "moved")
        }
    }

    @Test func `what has come while nobody knew is submitted afterwards`() async throws {
        try await withNotes { demo, journal in
            let load = #"{"type":"loadRequested","payload":{"count":1}}"#
            let posted = try demo.openPost(load)
            await journal.answerNext(.kept)
            #expect(try posted.answer().status == 200)
            // The report of the effect is with the journal, which does not know.
            await journal.waitForAppends(1)
            let second = try demo.openPost(load)
            await journal.waitForAppends(2)
            journal.setManner(.atOnce(.kept))
            journal.answer(.unknown)
            #expect(try second.answer().problem == "outcome-unknown")
            #expect(try demo.post(add("a")).status == 200)
            #expect(try state(demo) == #"["a"]"#)
        }
    }

    @Test func `is closed with its server`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        try await withNotes(journal) { _, _ in }
        #expect(journal.isClosed)
    }

    @Test func `a session that ends answers those who wait`() async throws {
        try await withNotes { demo, journal in
            let posted = try demo.openPost(add("a"))
            await journal.waitForAppends(1)
            #expect(try demo.delete().status == 204)
            #expect(try posted.answer().status == 410)
            journal.answer(.kept)
            #expect(try demo.get("/state").status == 410)
        }
    }

    @Test func `what effects report is journaled too, with its cause`() async throws {
        try await withNotes { demo, journal in
            let posted = try demo.openPost(
                "{\"type\":\"loadRequested\",\"payload\":{\"count\":1}}",
                query: "?settle=20")
            await journal.answerNext(.kept)
            await journal.answerNext(.kept)
            let answer = try posted.answer()
            #expect(try answer.json()["settled"]?.bool == true)
            #expect(try answer.json()["version"]?.integer == 2)
            let entry = try #require(journal.batches.last?.first)
            let fact = String(decoding: entry.head, as: UTF8.self)
            #expect(fact.contains("\"origin\":\"effect\",\"cause\":1"))
            #expect(fact.contains("\"type\":\"fact/loaded\""))
        }
    }

    @Test func `a session outlives its server, with its token and its keys`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        let key = ["Idempotency-Key": "k"]
        let batch = #"[{"type":"added","payload":"a"},{"type":"dropMe"},{"type":"closed"}]"#
        try await withNotes(journal) { demo, _ in
            try demo.post(batch, fields: key)
            try demo.post(add("b"))
        }
        let kept = try #require(journal.kept("demo", at: "/notes"))
        try await withNotes(journal, isNew: false) { demo, journal in
            let answer = try demo.get("/state")
            #expect(answer.status == 200)
            #expect(answer.body == kept.json)
            #expect(answer.etag == "\(kept.epoch)-3")
            let repeated = try demo.post(batch, fields: key)
            #expect(repeated.fields["idempotency-replayed"] == "true")
            #expect(
                repeated.body.hasSuffix(
                    #""results":[{"version":1,"changed":true},"#
                        + #"{"changed":false,"dropped":true},{"version":2,"changed":false}]}"#))
            #expect(try demo.server.create(demo.path).status == 200)
            #expect(try demo.post(add("c")).etag == "\(kept.epoch)-4")
            #expect(try state(demo) == #"["a","b","c"]"#)
        }
    }

    @Test func `an entry keeps what was posted beside the action`() async throws {
        try await withNotes(ScriptedJournal(.atOnce(.kept))) { demo, journal in
            let body = #"{"type":"doubled","payload":"a","meta":{"tab":3}}"#
            try demo.post(body, fields: ["Idempotency-Key": "k"])
            let heads = try #require(journal.batches.last).map {
                String(decoding: $0.head, as: UTF8.self)
            }
            let action = #"{"type":"doubled","payload":"a","meta":{"tab":3}}"#
            #expect(heads.first?.hasSuffix(#","origin":"client","action":\#(action)}"#) == true)
            #expect(heads.last?.contains(#""key":"k","batch":"#) == true)
            #expect(journal.batches.last?.map { $0.print == nil } == [true, false])
            #expect(heads.last?.contains(#""batch":"=2""#) == true)
            #expect(heads.last?.hasSuffix(#""action":{"type":"added","payload":"a"}}"#) == true)
        }
    }

    @Test func `no more requests wait for an opening than may`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        journal.openSlowly()
        try await withNotes(journal, isNew: false) { demo, journal in
            let made = try demo.server.open("PUT", demo.path)
            await journal.waitForOpening()
            let waiting = try (1...70).map { _ in
                let request = try demo.server.open("GET", demo.path)
                // Behind it: the loop has taken one before the next comes.
                _ = try demo.server.send("GET", "/livez")
                return request
            }
            var answers = try waiting.suffix(1).map { try $0.answer().status }
            #expect(answers == [503])
            journal.finishOpenings()
            answers = try waiting.dropLast().map { try $0.answer().status }
            #expect(answers.count { $0 == 200 } == 63)
            #expect(answers.count { $0 == 503 } == 6)
            #expect(try made.answer().status == 201)
        }
    }

    @Test func `a session that cannot be opened is for later, and none is made over it`()
        async throws
    {
        let journal = ScriptedJournal(.atOnce(.kept))
        try await withNotes(journal) { demo, _ in try demo.post(add("a")) }
        journal.failOpenings(2)
        try await withNotes(journal, isNew: false) { demo, _ in
            for method in ["GET", "PUT"] {
                let answer = try demo.server.send(method, demo.path)
                #expect(answer.status == 503)
                #expect(answer.fields["retry-after"] != nil)
            }
            #expect(try state(demo) == #"["a"]"#)
        }
    }

    @Test func `a journal that is full at once refuses that request alone`() async throws {
        try await withNotes(ScriptedJournal(.atOnce(.refused(.busy)))) { demo, journal in
            let refused = try demo.post(add("a"))
            #expect(refused.status == 503)
            #expect(refused.fields["retry-after"] == "1")
            #expect(try refused.json()["type"]?.string == "/problems/journal-busy")
            journal.setManner(.atOnce(.kept))
            #expect(try demo.post(add("b")).etag?.hasSuffix("-1") == true)
            #expect(try state(demo) == #"["b"]"#)
        }
    }

    @Test func `a journal that holds all it may is asked before an action is reduced`()
        async throws
    {
        try await withNotes(ScriptedJournal(.atOnce(.kept))) { demo, journal in
            let key = ["Idempotency-Key": "first"]
            try demo.post(add("a"), fields: key)
            journal.setBusy(true)
            let refused = try demo.post(add("b"))
            #expect(refused.status == 503 && refused.problem == "journal-busy")
            #expect(refused.fields["retry-after"] == "1" && journal.batches.count == 1)
            // What needs no room is answered.
            #expect(try demo.post(add("a"), fields: key).status == 200)
            journal.setBusy(false)
            try demo.post(add("c"))
            #expect(try state(demo) == #"["a","c"]"#)
        }
    }

    @Test func `a session that another server has taken is opened again by the next request`()
        async throws
    {
        try await withNotes { demo, journal in
            let events = try demo.events()
            _ = try events.next()
            let posted = try demo.openPost(add("a"))
            await journal.answerNext(.stale)
            let answer = try posted.answer()
            #expect(answer.status == 503)
            #expect(try answer.json()["type"]?.string == "/problems/moved")
            #expect(try events.next()?.name == "busy")
            journal.setManner(.atOnce(.kept))
            #expect(try demo.post(add("b")).status == 200)
            #expect(try state(demo) == #"["b"]"#)
        }
    }

    @Test func `outcomes may come in any order`() async throws {
        try await withNotes { demo, journal in
            var posted: [TestRequest] = []
            for (count, text) in ["a", "b", "c"].enumerated() {
                posted.append(try demo.openPost(add(text)))
                await journal.waitForAppends(count + 1)
            }
            journal.answer(.refused(.full), at: 2)
            #expect(try posted[2].answer().status == 503)
            #expect(try state(demo) == "[]")
            journal.answer(.kept, at: 0)
            #expect(try posted[0].answer().status == 200)
            journal.answer(.kept, at: 0)
            #expect(try posted[1].answer().status == 200)
            #expect(try state(demo) == #"["a","b"]"#)
        }
    }

    @Test func `what cannot be written is refused alone, and nothing freezes`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        try await Demo.serve(
            Served("/deep", DeepApplication()), changing: { $0.journal = journal }
        ) { demo in
            #expect(try demo.dispatch("deepened", #"{"by":100}"#).status == 200)
            let refused = try demo.dispatch("deepened", #"{"by":100}"#)
            #expect(refused.status == 500)
            #expect(try refused.json()["type"]?.string == "/problems/not-encodable")
            #expect(refused.etag?.hasSuffix("-1") == true)
            #expect(try demo.dispatch("deepened", #"{"by":1}"#).status == 200)
            #expect(try demo.get("/state").etag?.hasSuffix("-2") == true)
        }
        #expect(journal.batches.count == 2)
    }
}
