import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `A history of patches` {
    private static func patch(_ old: String, _ new: String) -> JSONPatch? {
        JSONPatch.difference(from: Array(old.utf8).span, to: Array(new.utf8).span)
    }

    /// A history of `{"n":1,"t":"…"}`, `{"n":2,"t":"…"}` and so on, one at each second version from
    /// 10 on.
    private func history(_ count: Int, byteLimit: Int = 100_000) throws -> PatchHistory {
        let history = PatchHistory(since: 10, byteLimit: byteLimit)
        for index in 1..<count {
            let version = UInt64(10 + index * 2)
            let patch = try #require(
                Self.patch(#"{"n":\#(index)}"#, #"{"n":\#(index + 1)}"#))
            history.append(patch, until: version - 1, at: version)
        }
        return history
    }

    private func operations(_ value: Int) -> [UInt8] {
        Array(#"[{"op":"replace","path":"/n","value":\#(value)}]"#.utf8)
    }

    @Test(
        arguments: [
            (9, nil), (10, 10), (11, 10), (12, 12), (13, 12), (17, 16),
        ] as [(UInt64, UInt64?)])
    func `leads on from every version that it reaches back to`(
        version: UInt64, from: UInt64?
    ) throws {
        let expected = from.map { CatchUp.patch(from: $0, operations: operations(5)) }
        #expect(try history(5).catchUp(from: version, limit: 1_000) == expected ?? .snapshot)
    }

    @Test(arguments: [18, 19, 500] as [UInt64])
    func `has nothing for a client with the present value`(version: UInt64) throws {
        #expect(try history(5).catchUp(from: version, limit: 1_000) == .upToDate)
    }

    @Test func `joins what several changes did, and gives up where the value is smaller`() throws {
        let joined = try history(100).catchUp(from: 10, limit: 1_000)
        #expect(joined == .patch(from: 10, operations: operations(100)))
        #expect(try history(100).catchUp(from: 10, limit: 30) == .snapshot)
        #expect(try history(2).catchUp(from: 10, limit: 30) != .snapshot)
    }

    @Test func `knows nothing of versions at which nobody looked`() throws {
        let history = PatchHistory(since: 1, byteLimit: 10_000)
        let patch = try #require(Self.patch(#"{"n":1}"#, #"{"n":5}"#))
        history.append(patch, until: 2, at: 9)
        #expect(
            history.catchUp(from: 2, limit: 1_000) == .patch(from: 1, operations: operations(5)))
        #expect(history.catchUp(from: 3, limit: 1_000) == .snapshot)
        #expect(history.catchUp(from: 8, limit: 1_000) == .snapshot)
    }

    @Test func `drops the oldest beyond its memory`() throws {
        let history = try history(1_000, byteLimit: 10_000)
        #expect(history.byteCount <= 10_000 && history.byteCount > 5_000)
        #expect(history.catchUp(from: 10, limit: 1_000) == .snapshot)
        #expect(history.catchUp(from: 1_990, limit: 1_000) != .snapshot)
        let last = try self.history(3, byteLimit: 10)
        #expect(last.catchUp(from: 10, limit: 1_000) == .snapshot)
        #expect(last.catchUp(from: 12, limit: 1_000) == .patch(from: 12, operations: operations(3)))
        #expect(last.catchUp(from: 14, limit: 1_000) == .upToDate)
    }

    @Test func `asks once in vain, and again for what is later than that`() throws {
        let history = try history(5)
        let entries = (6...10).map { number in
            EncodedEntry(
                version: UInt64(number), at: Timestamp(milliseconds: 1), head: [],
                patch: operations(number))
        }
        for version in [2, 5, 9] as [UInt64] { #expect(history.lacks(since: version)) }
        history.takeEarlier([], behind: 2)
        #expect(!history.lacks(since: 2) && !history.lacks(since: 1))
        #expect(history.lacks(since: 3) && history.lacks(since: 5))
        history.takeEarlier(entries, behind: 5)
        #expect(!history.lacks(since: 5) && !history.lacks(since: 9))
        #expect(
            history.catchUp(from: 5, limit: 1_000) == .patch(from: 5, operations: operations(5)))
    }

    @Test func `asks again behind the next value where the journal could not tell`() throws {
        let history = try history(5)
        history.takeEarlier(nil, behind: 2)
        #expect(!history.lacks(since: 2))
        history.append(try #require(Self.patch(#"{"n":5}"#, #"{"n":6}"#)), until: 20, at: 21)
        #expect(history.lacks(since: 2))
        history.takeEarlier([], behind: 2)
        history.append(try #require(Self.patch(#"{"n":6}"#, #"{"n":7}"#)), until: 21, at: 22)
        #expect(!history.lacks(since: 2))
    }
}
