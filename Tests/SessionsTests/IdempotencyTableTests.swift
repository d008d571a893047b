import Bytes
import Journaling
import Redux
import Testing

@testable import Sessions

@Suite struct `The table of idempotency keys` {
    private static let day: Int64 = 24 * 3_600_000
    private static let hash = KeyedHash(key: KeyedHash.makeKey())

    private func key(_ number: Int, of principal: String = "") -> UInt128 {
        Self.hash.hash(ofKey: "key \(number)", of: principal)
    }

    private func outcome(_ version: UInt64, record: String? = nil) -> RequestKeys.Kept {
        (UInt128(version) << 64 | 31, version, version % 2 == 0, record.map { Array($0.utf8) })
    }

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private func hasRoom(
        _ table: RequestKeys, for key: UInt128,
        at milliseconds: Int64 = 0, _ limits: SessionLimits
    ) -> Bool {
        table.forgetOld(at: time(milliseconds), limits.idempotencyDuration)
        return table.hasRoom(for: key, limits)
    }

    @Test(arguments: [1, 2, 3, 4])
    func `is a dictionary that forgets by age alone`(seed: UInt64) {
        var chance = SplitMix(seed: seed)
        let table = RequestKeys()
        var model: [Int: (outcome: RequestKeys.Kept, at: Int64)] = [:]
        let limits = SessionLimits()
        var now: Int64 = 0
        for number in 1...8_000 {
            now += Int64.random(in: 0..<40_000, using: &chance)
            #expect(hasRoom(table, for: key(number), at: now, limits))
            let record = Int.random(in: 0..<5, using: &chance) == 0 ? "3cud" : nil
            let made = outcome(UInt64(number), record: record)
            table.insert(key(number), made, at: time(now))
            model[number] = (made, now)
            let asked = Int.random(in: 1...number, using: &chance)
            guard let known = model[asked] else { continue }
            let found = table.kept(key(asked))
            if now - known.at < Self.day { #expect(found.map { $0 == known.outcome } == true) }
            if now - known.at > Self.day + 120_000 { #expect(found == nil) }
        }
        #expect(table.kept(key(-1)) == nil)
        let young = model.values.count { now - $0.at < Self.day }
        #expect(table.count >= young)
        #expect(hasRoom(table, for: key(0), at: now + 2 * Self.day, limits))
        #expect(table.count == 0)
        #expect(table.byteCount == 0)
    }

    @Test func `keeps a key for at most 150 bytes`() {
        let table = RequestKeys()
        for number in 0..<100_000 {
            table.insert(key(number), outcome(UInt64(number)), at: time(Int64(number)))
        }
        #expect(table.byteCount <= 150 * 100_000)
        for number in stride(from: 0, to: 100_000, by: 997) {
            #expect(table.kept(key(number)).map { $0 == outcome(UInt64(number)) } == true)
        }
    }

    @Test func `refuses new keys where it is full, and forgets no young one`() {
        var limits = SessionLimits()
        limits.idempotencyKeyCount = 8
        let table = RequestKeys()
        for number in 0..<8 {
            let key = key(number, of: "principal \(number)")
            #expect(hasRoom(table, for: key, limits))
            table.insert(key, outcome(1), at: time(0))
        }
        #expect(!hasRoom(table, for: key(9, of: "another"), at: 1, limits))
        #expect(table.kept(key(0, of: "principal 0")) != nil)
        #expect(hasRoom(table, for: key(9, of: "another"), at: Self.day + 60_000, limits))
    }

    @Test func `has a quarter for one principal, in flight or kept`() throws {
        var limits = SessionLimits()
        limits.idempotencyKeyCount = 40
        let table = RequestKeys()
        for number in 0..<9 { table.insert(key(number, of: "eve"), outcome(1), at: time(0)) }
        #expect(hasRoom(table, for: key(9, of: "eve"), limits))
        let other = RequestKey("key 9", of: "eve", by: Self.hash)
        table.begin(other, at: 1, try Decision(.dropped, at: 1))
        #expect(!hasRoom(table, for: key(9, of: "eve"), limits))
        table.cancel(other)
        table.insert(key(9, of: "eve"), outcome(1), at: time(0))
        #expect(!hasRoom(table, for: key(10, of: "eve"), limits))
        #expect(hasRoom(table, for: key(10, of: "alice"), limits))
    }

    @Test func `tells the keys of two principals apart`() {
        let table = RequestKeys()
        table.insert(key(1, of: "alice"), outcome(1), at: time(0))
        #expect(table.kept(key(1, of: "bob")) == nil)
        #expect(table.kept(key(1)) == nil)
    }

    @Test func `bounds the records of batches`() {
        var limits = SessionLimits()
        limits.idempotencyRecordByteCount = 1_000
        let table = RequestKeys()
        let record = String(repeating: "cu", count: 500)
        #expect(hasRoom(table, for: key(1), limits))
        table.insert(key(1), outcome(1, record: record), at: time(0))
        #expect(!hasRoom(table, for: key(2), limits))
        #expect(table.kept(key(1))?.record == Array(record.utf8))
    }
}

@Suite struct `The record of a batch` {
    private static let batches: [[Outcome]] = [
        [.accepted(first: 5, last: 5, changed: true)],
        (1...1_000).map { .accepted(first: $0, last: $0, changed: true) },
        (1...1_000).map { .accepted(first: $0, last: $0, changed: $0 % 2 == 0) },
        [
            .dropped, .accepted(first: 8, last: 10, changed: false), .delayed(.zero),
            .accepted(first: 11, last: 11, changed: true), .dropped, .dropped,
        ],
    ]

    private func record(_ results: [Outcome]) -> [UInt8] {
        BatchRecord.write(results, entryCount: 0) ?? []
    }

    @Test(arguments: batches)
    func `gives the results back`(results: [Outcome]) {
        let last = results.reduce(UInt64(0)) { last, result in
            if case .accepted(_, let version, _) = result { version } else { last }
        }
        #expect(BatchRecord.read(record(results), last: last)?.results == results)
    }

    @Test func `is short`() {
        let equal = Self.batches[1]
        #expect(String(decoding: record(equal), as: UTF8.self) == "1000c")
        #expect(record(Self.batches[2]).count == 1_000)
        #expect(BatchRecord.write(nil, entryCount: 1) == nil)
        let single = BatchRecord.write(nil, entryCount: 3).flatMap { BatchRecord.read($0, last: 9) }
        #expect(single?.first == 7 && single?.results == nil)
    }

    @Test(arguments: ["x", "3", "c*", "c*1", "99999999999c", "=3", "1000001c", "0c", "c*0"])
    func `is refused where it is none`(text: String) {
        #expect(BatchRecord.read(Array(text.utf8), last: 2_000_000)?.results == nil)
    }

    @Test func `is refused where it tells of more entries than there are`() {
        #expect(BatchRecord.read(Array("3c".utf8), last: 2)?.results == nil)
    }
}
