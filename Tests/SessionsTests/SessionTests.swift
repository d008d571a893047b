import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `A session` {
    struct Row: CustomTestStringConvertible {
        var outcome: AppendOutcome?
        var bodies: [String]
        var told: [String]

        var testDescription: String { "\(bodies) \(told)" }

        init(_ outcome: AppendOutcome?, _ bodies: String..., told: String...) {
            self.outcome = outcome
            self.bodies = bodies
            self.told = told
        }
    }

    @Test(arguments: [
        Row(.kept, "2", told: "taken 1 changed"),
        Row(.kept, "2", "0", told: "taken 1 changed", "taken 2"),
        Row(.kept, "1,2,3", told: "taken 3 changed of 3"),
        Row(.kept, "drop", told: "taken 0 dropped"),
        Row(.kept, "no", told: "refused rejected"),
        Row(.kept, "1,no", told: "refused rejected"),
        Row(.kept, "?", told: "turned away malformed"),
        Row(.refused(.full), "2", "no", told: "refused notKept", "refused rejected"),
        Row(.stale, "2", "2", told: "refused moved", "leave", "turned away moved"),
        Row(.unknown, "2", "2", told: "refused unknown", "reopen", "turned away unknown"),
        Row(nil, "2", told: "held"),
        // A refusal rests on what is not yet kept, too.
        Row(nil, "2", "no", told: "held", "held"),
    ])
    func `decides about actions, and tells what that rests on`(row: Row) throws {
        let world = try SessionWorld(row.outcome)
        #expect(row.bodies.flatMap { world.post($0) } == row.told)
    }

    @Test(arguments: [
        (AppendOutcome.kept, ["answer 1 changed", "answer rejected"], UInt64(1)),
        (.refused(.busy), ["answer notKept"], 0),
        (.stale, ["answer moved", "answer moved", "leave"], 0),
        (.unknown, ["answer unknown", "answer unknown", "reopen"], 0),
    ])
    func `answers once the journal has`(
        outcome: AppendOutcome, told: [String], version: UInt64
    ) throws {
        let world = try SessionWorld(nil)
        #expect(world.post("2") == ["held"])
        #expect(world.post("no") == ["held"])
        let steps = world.appended(outcome)
        #expect(Set(steps) == Set(told))
        #expect(world.store.version == version && world.store.headVersion == version)
    }

    @Test func `judges a condition by the version that actions are decided by`() throws {
        let world = try SessionWorld()
        #expect(world.post("2", ifMatch: 0) == ["taken 1 changed"])
        #expect(world.post("2", ifMatch: 0) == ["refused preconditionFailed"])
        #expect(world.post("2", ifMatch: 1) == ["taken 2 changed"])
        #expect(world.context.counts == (2, 1))
    }

    @Test func `submits what effects have reported, with the commits that wait`() throws {
        let world = try SessionWorld()
        world.store.reported = [1, 2]
        world.session.add(watchers: 1, to: world.session.projections.whole)
        world.session.submitCausedActions()
        #expect(world.steps() == [#"publish {"n":3,"k":1}"#])
        #expect(world.store.version == 2)
    }

    @Test func `tells watchers of the whole the version of an entry that changed nothing`() throws {
        let world = try SessionWorld()
        world.store.reported = [1, 0]
        world.session.add(watchers: 1, to: world.whole)
        world.session.submitCausedActions()
        #expect(world.steps().count == 1)
        #expect(world.store.lastChange == 1 && world.whole.lastChange == 2)
    }

    @Test func `keeps an answer of the journal for a request that waits for it later`() {
        let held = HeldAnswer(.failure(.moved), nil)
        var told: [Refusal] = []
        held.finish(.failure(.ended))
        held.then { if case .failure(let refusal) = $0 { told.append(refusal) } }
        #expect(told == [.ended])
    }

    @Test func `that has ended refuses all that wait, and frees its memory`() throws {
        let world = try SessionWorld(nil)
        #expect(world.post("2") == ["held"])
        #expect(world.context.budget.used > 0)
        world.session.end()
        #expect(world.steps() == ["answer ended"])
        #expect(world.store.isCancelled)
        #expect(world.post("2") == ["turned away moved"])
    }

    @Test func `goes on where the journal holds what memory holds, or from what it holds`() throws {
        let world = try SessionWorld(.unknown)
        #expect(world.post("2") == ["refused unknown", "reopen"])
        world.journal.answer(.kept)
        func opened(_ epoch: String, _ version: UInt64) -> OpenedSession {
            OpenedSession(
                lease: Lease(session: 1, number: 2), epoch: epoch,
                created: Timestamp(milliseconds: 0),
                document: StoredDocument(
                    version: version, lastChange: version, lastTime: nil, schema: 1,
                    json: Array("{}".utf8)))
        }
        #expect(world.session.holds(opened("e", 0)))
        #expect(!world.session.holds(opened("e", 1)) && !world.session.holds(opened("f", 0)))
        world.session.reopen(opened("e", 0), nil)
        #expect(world.post("2") == ["taken 1 changed"])
        world.journal.answer(.unknown)
        #expect(world.post("2") == ["refused unknown", "reopen"])
        world.session.reopen(opened("f", 7), NumberStore(5, at: 7))
        world.journal.answer(.kept)
        #expect(world.post("2") == ["taken 8 changed"])
        #expect(world.session.token.description == "f-8")
    }
}

@Suite struct `A request with a key` {
    @Test func `is answered as it was first, unless its body is another`() throws {
        let world = try SessionWorld()
        #expect(world.post("2", key: "a") == ["taken 1 changed"])
        #expect(world.post("1,0", key: "b") == ["taken 3 changed of 2"])
        #expect(world.post("2", key: "a") == ["taken 1 changed repeated"])
        #expect(world.post("1,0", key: "b") == ["taken 3 changed repeated of 2"])
        #expect(world.post("3", key: "a") == ["turned away keyReused"])
        #expect(world.store.version == 3)
    }

    @Test func `waits with the first one for the journal`() throws {
        let world = try SessionWorld(nil)
        #expect(world.post("2", key: "a") == ["held"])
        #expect(world.post("2", key: "a") == ["held"])
        #expect(world.post("3", key: "a") == ["held"])
        #expect(
            world.appended(.kept) == [
                "answer 1 changed", "answer 1 changed repeated", "answer keyReused",
            ])
        #expect(world.post("2", key: "a") == ["taken 1 changed repeated"])
    }

    @Test func `that was lost may come again`() throws {
        let world = try SessionWorld(nil)
        #expect(world.post("2", key: "a") == ["held"])
        #expect(world.appended(.refused(.full)).count == 1)
        world.journal.answer(.kept)
        #expect(world.post("2", key: "a") == ["taken 1 changed"])
    }

    @Test func `is known from the entries that a journal has kept`() throws {
        let hash = MemoryJournal().hash
        let kept = KeptKey(
            key: hash.hash(ofKey: "a", of: ""), print: hash.number(of: Array("2".utf8).span),
            at: Timestamp(milliseconds: 1), first: 4, last: 4, changed: true)
        let world = try SessionWorld(keys: [kept])
        #expect(world.post("2", key: "a") == ["taken 4 changed repeated"])
    }

    @Test func `stands in the last of its entries`() throws {
        let world = try SessionWorld(journalKeepsEntries: true)
        #expect(world.post("2,3", key: "a").count == 1)
        let heads = world.journal.entries.map { text($0.head) }
        #expect(heads.count == 2)
        #expect(heads[0] == #"{"epoch":"e","origin":"client","action":{}}"#)
        #expect(heads[1].hasPrefix(#"{"origin":"client","key":"a","batch":"#))
        #expect(world.journal.entries.map { $0.print == nil } == [true, false])
        #expect(heads[1].contains(#""batch":"2c""#))
        #expect(world.journal.entries.map { $0.patch == nil } == [true, false])
    }
}

@Suite struct `The clients of a session` {
    @Test func `are told of what they watch alone`() throws {
        let world = try SessionWorld()
        let session = world.session
        #expect(world.post("1") == ["taken 1 changed"])
        let part = session.projections.find(
            try pointer("/k"), of: session.projections.whole)
        let view = session.projections.find("sign", for: .init(.anonymous))
        for projection in [part, view] {
            _ = try session.content(of: projection)
            session.add(watchers: 1, to: projection)
        }
        #expect(world.post("1") == ["taken 2 changed", "publish"])
        #expect(world.post("-5") == ["taken 3 changed", #"publish "-""#])
        session.add(watchers: 1, to: session.projections.whole)
        #expect(world.post("3") == ["taken 4 changed", #"publish {"n":0,"k":1} nothing"#])
        #expect(world.post("0") == ["taken 5"])
        for projection in [part, view, session.projections.whole] {
            session.add(watchers: -1, to: projection)
        }
        #expect(world.post("3") == ["taken 6 changed"])
        #expect(session.watcherCount == 0 && session.isUnused)
    }

    @Test func `of a state that cannot be written are told that it is frozen`() throws {
        let world = try SessionWorld(nil)
        world.session.add(waiters: 1, to: world.session.projections.whole)
        #expect(world.post("1") == ["held"])
        world.store.isUnwritable = true
        #expect(world.appended(.kept) == ["unreadable frozen", "answer 1 changed"])
        #expect(world.post("1") == ["turned away frozen"])
        #expect(world.reportCount == 1 && world.store.isCancelled)
    }
}

@Suite struct `The state of a session` {
    @Test func `is refused where it would be too large, and nothing has changed`() throws {
        var limits = SessionLimits()
        limits.stateByteCount = 14
        let world = try SessionWorld(limits: limits)
        #expect(world.post("12") == ["taken 1 changed"])
        let held = world.context.budget.used
        #expect(world.post("88") == ["refused stateTooLarge"])
        #expect(world.context.budget.used == held)
        #expect(world.post("-3") == ["taken 2 changed"])
    }

    @Test func `takes nothing more where far too much memory is held, unless it is small`() throws {
        let world = try SessionWorld(memoryByteCount: 1 << 20)
        let key = String(repeating: "1", count: 18)
        for number in 0..<1_000 {
            #expect(world.post("0", key: "\(key)\(number)").count == 1)
        }
        world.context.budget.add(.input, of: 0, 2 << 20)
        #expect(world.post("1") == ["refused shortOfMemory"])
        #expect(world.post("1", key: "new") == ["turned away shortOfMemory"])
        #expect(world.post("0", key: "\(key)7") == ["taken 8 repeated"])
    }
}
