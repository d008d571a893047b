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

    private func outcome(
        _ version: UInt64, record: String? = nil, of client: UInt16 = 0
    ) -> RequestKeys.Kept {
        (
            UInt128(version) << 64 | UInt128(client), version, version % 2 == 0,
            record.map { Array($0.utf8) }
        )
    }

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private func hasRoom(
        _ table: RequestKeys, of client: UInt16 = 0, at milliseconds: Int64 = 0,
        _ limits: SessionLimits
    ) -> Bool {
        table.forgetOld(at: time(milliseconds), limits.idempotencyDuration)
        return table.hasRoom(for: UInt128(client), limits)
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
            #expect(hasRoom(table, at: now, limits))
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
        let count = table.count
        table.forgetOld(at: time(now + 2 * Self.day), limits.idempotencyDuration, atMost: 512)
        #expect(table.count == count - 512)
        #expect(hasRoom(table, at: now + 2 * Self.day, limits))
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
        // A journal tells no more, whatever the limits say.
        var limits = SessionLimits()
        limits.idempotencyKeyCount = 1_000_000
        #expect(!hasRoom(table, at: 100_000, limits))
    }

    @Test func `refuses new keys where it is full, and forgets no young one`() {
        var limits = SessionLimits()
        limits.idempotencyKeyCount = 8
        let table = RequestKeys()
        for number in 0..<8 {
            #expect(hasRoom(table, limits))
            table.insert(key(number), outcome(1), at: time(0))
        }
        #expect(!hasRoom(table, at: 1, limits))
        #expect(table.kept(key(0)) != nil)
        #expect(hasRoom(table, at: Self.day + 60_000, limits))
    }

    @Test func `has a share for one client, whatever names it gives, in flight or kept`() throws {
        var limits = SessionLimits()
        limits.idempotencyKeyCount = 80
        let (table, eve) = (RequestKeys(), 7 as UInt16)
        for number in 0..<19 { table.insert(key(number), outcome(1, of: eve), at: time(0)) }
        #expect(hasRoom(table, of: eve, limits))
        let other = RequestKey("key 19", of: "", for: eve, by: Self.hash)
        table.begin(other, at: 1, try Decision(.dropped, at: 1))
        #expect(!hasRoom(table, of: eve, limits))
        table.cancel(other)
        table.insert(key(19), outcome(1, of: eve), at: time(0))
        #expect(!hasRoom(table, of: eve, limits))
        #expect(hasRoom(table, of: 8, limits))
        // A journal knows the clients of its keys; a repeat may come from elsewhere.
        let kept = (0..<20).map {
            KeptKey(
                key: key($0), print: outcome(1, of: eve).print, at: time(0), first: 1, last: 1,
                changed: true)
        }
        #expect(!hasRoom(RequestKeys(kept), of: eve, limits))
        #expect(other == RequestKey("key 19", of: "", for: 8, by: Self.hash))
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
        #expect(hasRoom(table, limits))
        table.insert(key(1), outcome(1, record: record), at: time(0))
        #expect(!hasRoom(table, limits))
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

    @Test(arguments: ["d", "3dl", "=0"])
    func `is refused where it tells of no entry`(text: String) {
        #expect(BatchRecord.read(Array(text.utf8), last: 9)?.first == nil)
    }

    @Test func `is refused where it tells of more entries than there are`() {
        #expect(BatchRecord.read(Array("3c".utf8), last: 2)?.results == nil)
    }
}
