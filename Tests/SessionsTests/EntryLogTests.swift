import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `A log of entries` {
    private struct State: Encodable {
        var n = 0
        var words: [String] = []
    }

    /// A log, with the forms of all its states.
    private struct World {
        var log: EntryLog
        private var form: EncodedForm
        /// The JSON at each version that was visible.
        var states: [UInt64: String] = [:]
        private var state = State()
        private var version: UInt64 = 0

        init(entryCount: Int = 1_000, byteCount: Int = 1 << 20) throws {
            form = try StateEncoder().encode(State(), after: nil).form
            log = EntryLog(
                SharedBytes(form.bytes()), at: 0, since: Timestamp(milliseconds: 0),
                entryLimit: entryCount, byteLimit: byteCount)
            states[0] = SessionsTests.text(form.bytes())
        }

        /// Stages so many entries, decided together, that change the state.
        mutating func stage(_ count: Int = 1, words: Int = 0) throws {
            state.n += count
            for index in 0..<words { state.words.append("word \(state.n).\(index)") }
            let change = try StateEncoder().encode(state, after: form)
            form = change.form
            let first = version + 1
            version += UInt64(count)
            let entries = (first...version).map { version in
                EncodedEntry(
                    version: version, at: Timestamp(milliseconds: Int64(version) * 10),
                    head: Array(#"{"origin":"client"}"#.utf8),
                    patch: version == self.version ? change.patch?.operations : nil,
                    isLast: version == self.version)
            }
            log.stage(entries)
            states[version] = SessionsTests.text(change.form.bytes())
        }

        mutating func commit(_ count: Int = 1, words: Int = 0) throws {
            try stage(count, words: words)
            log.settle(committed: version, head: version, form)
        }

        /// The entries behind a version are lost.
        mutating func revert(to version: UInt64, committed: UInt64) {
            log.settle(committed: committed, head: version, nil)
            self.version = version
            state.n = Int(version)
            state.words = []
            form = EncodedForm(json: Array(states[version]?.utf8 ?? "".utf8))
        }

        func text(at version: UInt64) -> String? {
            log.state(at: version).map { SessionsTests.text($0) }
        }
    }

    @Test func `gives each state as it was, byte for byte`() throws {
        var world = try World()
        for index in 1...40 { try world.commit(words: index % 3) }
        for (version, json) in world.states { #expect(world.text(at: version) == json) }
        for version in [17, 23] as [UInt64] {
            #expect(world.text(at: version) == world.states[version])
        }
        #expect(world.log.way(to: 24).version == 23)
    }

    @Test func `shows inside of a batch the state before it`() throws {
        var world = try World()
        try world.commit()
        try world.commit(4, words: 2)
        try world.commit()
        let visible = (0...7).map { world.log.visibleVersion(at: $0) }
        #expect(visible == [0, 1, 1, 1, 1, 5, 6, nil])
        #expect(world.text(at: 5) == world.states[5])
    }

    @Test func `has staged entries once they are committed, and none that are lost`() throws {
        var world = try World()
        try world.commit()
        try world.stage()
        try world.stage(2)
        #expect(world.log.lastVersion == 1 && world.log.headVersion == 4)
        world.log.settle(committed: 2, head: 4, nil)
        #expect(world.log.lastVersion == 2)
        world.revert(to: 2, committed: 2)
        #expect(world.log.headVersion == 2)
        try world.commit(words: 1)
        #expect(world.text(at: 3) == world.states[3])
        #expect(world.log.entries(after: 1, limit: 9).map(\.version) == [2, 3])
    }

    @Test func `counts the entries that wait for their journal`() throws {
        var world = try World()
        let before = world.log.byteCount
        try world.stage(3)
        let staged = world.log.byteCount
        #expect(staged >= before + 3 * 96)
        world.log.settle(committed: 0, head: 0, nil)
        #expect(world.log.byteCount == before)
    }

    @Test(arguments: [(64, 1 << 20), (1_000, 8_000)])
    func `drops the oldest entries, and moves its base on`(
        entryCount: Int, byteCount: Int
    ) throws {
        var world = try World(entryCount: entryCount, byteCount: byteCount)
        for index in 1...200 {
            try world.commit(index % 5 == 0 ? 3 : 1, words: index % 2)
            let log = world.log
            #expect(log.entries(after: log.baseVersion, limit: .max).count <= entryCount)
            #expect(
                world.states[log.baseVersion] == text(log.base))
        }
        let log = world.log
        #expect(log.baseVersion > 100 && log.lastVersion == 280)
        #expect(log.start.milliseconds == Int64(log.baseVersion) * 10)
        for (version, json) in world.states where version >= log.baseVersion {
            #expect(world.text(at: version) == json)
        }
        #expect(log.visibleVersion(at: log.baseVersion - 1) == nil)
    }

    @Test(arguments: [(1_000, 1 << 20, 0), (1_000, 1 << 20, 300), (100_000, 40_000, 4)])
    func `knows a state shortly before each version`(
        entryCount: Int, byteCount: Int, words: Int
    ) throws {
        var world = try World(entryCount: entryCount, byteCount: byteCount)
        for index in 0..<800 {
            try world.commit(index % 3 == 0 ? 2 : 1, words: index < words ? 1 : 0)
        }
        let log = world.log
        let entries = log.entries(after: log.baseVersion, limit: .max)
        let size = entries.reduce(0) { $0 + $1.byteCount }
        let state = log.state(at: log.lastVersion)?.count ?? 0
        let share = max(1.0 / 64, 2 * Double(state) / Double(byteCount)) + 0.01
        for version in log.baseVersion...log.lastVersion where world.states[version] != nil {
            log.dropCaches(isTight: false)
            let way = log.way(to: version)
            let passed = entries.filter { $0.version > way.version && $0.version <= version }
            let part =
                Double(passed.count) / Double(entryCount)
                + Double(passed.reduce(0) { $0 + $1.byteCount }) / Double(byteCount)
            #expect(part <= share)
            #expect(text(way.json) == world.states[way.version])
            #expect(world.text(at: version) == world.states[version])
        }
        #expect(log.byteCount <= size + byteCount + 8 * state)
        let before = log.byteCount
        world.log.dropCaches(isTight: true)
        #expect(world.log.byteCount < before)
        #expect(world.log.way(to: log.lastVersion - 1).version == log.baseVersion)
    }

    @Test func `keeps the last of entries that are more together than it may have`() throws {
        var world = try World(entryCount: 8)
        try world.commit(20)
        #expect(world.log.baseVersion == 20 && world.text(at: 20) == world.states[20])
        try world.commit()
        #expect(world.log.entries(after: 20, limit: 5).map(\.version) == [21])
    }

    @Test func `writes an entry with the time that is asked for, and a patch`() throws {
        var world = try World()
        try world.commit(2)
        let entries = world.log.entries(after: 0, limit: 2)
        var output: [UInt8] = []
        entries[0].append(to: &output, withPatch: true)
        #expect(text(output) == #"{"version":1,"at":10,"origin":"client"}"#)
        output = []
        entries[1].append(
            to: &output, since: Timestamp(milliseconds: 15), withPatch: true)
        #expect(
            text(output)
                == #"{"version":2,"at":5,"origin":"client","patch":"#
                + #"[{"op":"replace","path":"/n","value":2}]}"#)
    }
}
