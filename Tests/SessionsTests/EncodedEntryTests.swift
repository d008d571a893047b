import Bytes
import Journaling
import StateCoding
import Testing

@testable import Redux
@testable import Sessions

@Suite struct `The entries that a journal is given` {
    private func patches(_ world: SessionWorld) -> [String?] {
        world.journal.entries.map { $0.patch.map { text($0) } }
    }

    /// The state that patches lead to, from that of a new session.
    private func state(behind patches: [String?]) throws -> String {
        var document = PatchedDocument(Array(#"{"n":0,"k":1}"#.utf8))
        for patch in patches.compactMap({ $0 }) { try document.apply(Array(patch.utf8).span) }
        return text(document.bytes())
    }

    @Test func `have the patch alone that leads on from the entry before`() throws {
        let world = try SessionWorld(journalKeepsEntries: true)
        _ = world.post("2")
        _ = world.post("3")
        #expect(
            patches(world) == [
                #"[{"op":"replace","path":"/n","value":2}]"#,
                #"[{"op":"replace","path":"/n","value":5}]"#,
            ])
        // One form before the first, and one behind each.
        #expect(world.store.formCount == 3 && world.store.encodingCount == 0)
        #expect(world.journal.entries.map(\.version) == [1, 2])
    }

    @Test func `come with the state after 60 of them, from the last snapshot on`() throws {
        let world = try SessionWorld(journalKeepsEntries: true)
        for _ in 0..<58 { _ = world.post("1") }
        for numbers in ["1", "1,1", "1"] { _ = world.post(numbers) }
        #expect(world.journal.states.mapValues { text($0) } == [61: #"{"n":61,"k":1}"#])
    }

    @Test func `have one patch for a batch, on its last entry`() throws {
        let world = try SessionWorld(journalKeepsEntries: true)
        _ = world.post("2,3,4")
        #expect(patches(world) == [nil, nil, #"[{"op":"replace","path":"/n","value":9}]"#])
        #expect(world.journal.entries.map(\.isLast) == [false, false, true])
    }

    @Test func `lead on from entries that are still with the journal, and not from lost ones`()
        throws
    {
        let world = try SessionWorld(nil, journalKeepsEntries: true)
        for number in ["2", "3", "4"] { _ = world.post(number) }
        #expect(try state(behind: patches(world)) == #"{"n":9,"k":1}"#)
        _ = world.appended(.kept, .refused(.full), .refused(.full))
        #expect(world.store.headVersion == 1)
        _ = world.post("7")
        let patches = patches(world)
        #expect(patches[3] == #"[{"op":"replace","path":"/n","value":9}]"#)
        #expect(try state(behind: [patches[0], patches[3]]) == #"{"n":9,"k":1}"#)
        #expect(world.journal.entries.map(\.version) == [1, 2, 3, 2])
    }

    @Test func `go on by patches after the state was let go of`() throws {
        let world = try SessionWorld(journalKeepsEntries: true)
        _ = world.post("2")
        world.session.dropCaches(isTight: false, at: instant(100))
        _ = world.post("3")
        #expect(patches(world)[1] == #"[{"op":"replace","path":"/n","value":5}]"#)
    }

    @Test func `begin no log with a state that is not kept`() throws {
        let world = try SessionWorld(nil, journalKeepsEntries: true)
        _ = world.post("2")
        _ = world.session.askForLog()
        _ = world.post("3")
        #expect(world.session.logging.log == nil)
        _ = world.appended(.kept, .kept)
        _ = world.post("4")
        let log = try #require(world.session.logging.log)
        #expect(text(log.base.bytes) == #"{"n":5,"k":1}"# && log.baseVersion == 2)
        _ = world.appended(.refused(.full))
        #expect(text(log.base.bytes) == #"{"n":5,"k":1}"#)
    }

    @Test func `that change nothing are measured as well, where that is due`() throws {
        var limits = SessionLimits()
        limits.stateByteCount = 1 << 20
        let world = try SessionWorld(limits: limits)
        _ = world.post("2")
        let before = world.context.budget.used
        let body = String(repeating: "0", count: 20_000)
        for _ in 0..<100 { _ = world.post(body) }
        // Once in an eighth of what the state may still grow by.
        #expect(world.context.budget.used - before < 200_000)
        #expect((10...40).contains(world.store.encodingCount))
    }

    @Test func `are made for nobody where the journal keeps none`() throws {
        let world = try SessionWorld()
        _ = world.post("2")
        #expect(world.journal.entries.isEmpty && world.store.formCount == 0)
    }

    @Test func `have the whole state until one is kept, where the journal's is written otherwise`()
        throws
    {
        let world = try SessionWorld(nil, journalKeepsEntries: true)
        let store = NumberStore(5, at: 1)
        for isFaithful in [true, false] {
            var logging = EntryLogging(
                keepsEntries: false, playing: nil)
            logging.restored(
                StoredDocument(
                    version: 1, lastChange: 1, lastTime: nil, schema: 1, json: Array("{}".utf8)),
                isFaithful, stated: 0)
            #expect(logging.isFaithful(at: 1) == isFaithful && logging.isFaithful(at: 2))
        }
        let form = try store.encodeState(after: nil)
        let entry = Entry(
            version: 2, origin: .client, changed: true, by: nil,
            at: Timestamp(milliseconds: 1))
        let batch = StagedBatch(version: 2, count: 1, isCaused: false, outcomes: [])
        store.commitUnseen(1)
        let change = try store.encodeState(after: form).change(from: form)
        for (isKnown, patch) in [
            (false, #"[{"op":"replace","path":"","value":{"n":6,"k":1}}]"#),
            (true, #"[{"op":"replace","path":"/n","value":6}]"#),
        ] {
            let encoded = batch.encoded(
                EncodedBatch([(entry, Array("{}".utf8))], change, nil), nil, isKnown: isKnown,
                epoch: "e")
            #expect(encoded[0].patch.map { text($0) } == patch)
        }
        #expect(world.journal.entries.isEmpty)
    }
}

@Suite struct `The states behind a session's last entries` {
    /// Stages the state `{"n":version}` behind each of some entries, the last ones from `place` on.
    private func logging(_ versions: ClosedRange<Int>) throws -> EntryLogging {
        var logging = EntryLogging(
            keepsEntries: false, playing: nil)
        for version in versions {
            let form = try StateEncoder().form(of: ["n": version], after: nil)
            let entry = EncodedEntry(
                version: UInt64(version), at: Timestamp(milliseconds: 0), head: [], patch: nil)
            logging.stage(
                [entry], version == 5 ? nil : form, behind: UInt64(version - 1), nil,
                since: Timestamp(milliseconds: 0), SessionLimits())
        }
        return logging
    }

    private func text(_ form: EncodedForm?) -> String? {
        form.map { SessionsTests.text($0.bytes()) }
    }

    @Test(
        arguments: [
            (4, 6, #"{"n":4}"#), (5, 6, #"{"n":4}"#), (6, 6, #"{"n":6}"#), (3, 6, nil),
            (4, 4, #"{"n":4}"#),
            (3, 3, nil),
        ] as [(UInt64, UInt64, String?)])
    func `are found by their version, unless they were lost`(
        committed: UInt64, head: UInt64, json: String?
    ) throws {
        var logging = try logging(4...6)
        #expect(text(logging.form(at: committed, head: head)) == json)
    }

    @Test func `go with those before the committed one, and with what nobody encodes`() throws {
        var logging = try logging(1...4)
        #expect(text(logging.form(at: 2, head: 4)) == #"{"n":2}"#)
        #expect(logging.form(at: 1, head: 4) == nil)
        logging.passOver()
        #expect(logging.form(at: 2, head: 4) == nil)
    }
}
