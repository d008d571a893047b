import DequeModule
import Redux

/// An idempotency key of one principal, as a hash that no client can choose (SipHash, 128 bits).
struct IdempotencyHash: Sendable, Hashable {
    fileprivate let high: UInt64
    fileprivate let low: UInt64
    /// The principal's share of the table is counted under this number. Two principals meet in one
    /// by chance alone, one time in 65,536.
    fileprivate let bucket: UInt16

    init(_ key: String, of principal: String) {
        func hash(_ part: UInt8) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(part)
            hasher.combine(principal)
            if part > 0 { hasher.combine(key) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        bucket = UInt16(truncatingIfNeeded: hash(0))
        high = hash(1)
        low = hash(2)
    }
}

/// The outcome of a request with an idempotency key, from which its first answer is computed again.
struct KeptOutcome: Sendable, Hashable {
    /// The version of its last entry.
    var version: UInt64
    /// One of its entries changed the state.
    var changed: Bool
    /// The outcomes of a batch, or of an action that became several entries, as `BatchRecord`
    /// writes them.
    var record: [UInt8]?
}

/// The idempotency keys of one session, for clients that ask again.
///
/// A key is kept for as long as the limits say, and never less: where there is no room, a request
/// with a new key is refused. A key takes 32 bytes, and 4 to 8 in the index; the record of a batch
/// comes to that.
struct IdempotencyTable {
    /// An outcome, and what tells whether it is asked for by the same request.
    struct Entry: Sendable, Hashable {
        /// A 64-bit print of the body.
        var print: UInt64
        var outcome: KeptOutcome
    }

    private struct Slot {
        var high: UInt64
        var low: UInt64
        var print: UInt64
        /// Version, `changed` and the principal's bucket, in 47, 1 and 16 bits.
        var packed: UInt64
    }

    private struct Record {
        var number: UInt64
        var bytes: [UInt8]

        /// The memory that it takes, roughly.
        var byteCount: Int { bytes.count + MemoryLayout<Record>.stride + 32 }
    }

    /// The share of one principal in the table.
    private struct Share {
        var count = 0
        var recordByteCount = 0
    }

    /// The keys from one number on are as young as this time, or younger.
    private struct Mark {
        var time: Timestamp
        var number: UInt64
    }

    private static let chunkLength = 1024
    private static let markInterval: Int64 = 60_000

    /// Slots in the order of insertion, the first of which has the number `first`.
    private var chunks = Deque<[Slot]>()
    private var first: UInt64 = 0
    private var next: UInt64 = 0
    /// Open addressing with linear probing: the lower half of a slot's number and one, or 0.
    private var index: [UInt32] = []
    private var records = Deque<Record>()
    private var recordByteCount = 0
    private var marks = Deque<Mark>()
    private var shares: [UInt16: Share] = [:]

    /// The number of keys that are kept.
    var count: Int { Int(next - first) }

    /// The memory that the table takes, roughly.
    var byteCount: Int {
        chunks.reduce(0) { $0 + $1.capacity * MemoryLayout<Slot>.stride } + index.count * 4
            + recordByteCount + shares.count * 32
    }

    // MARK: Keys

    /// The entry of a key.
    func entry(_ key: IdempotencyHash) -> Entry? {
        guard let position = position(of: key) else { return nil }
        let number = number(at: position)
        let slot = slot(number)
        return Entry(
            print: slot.print,
            outcome: KeptOutcome(
                version: slot.packed >> 17, changed: slot.packed >> 16 & 1 == 1,
                record: record(of: number)))
    }

    /// The table has room for one more key of this principal, beside others that are to come. Asked
    /// once the old keys are forgotten.
    func hasRoom(
        for key: IdempotencyHash, beside others: Int, _ limits: SessionLimits
    ) -> Bool {
        let share = shares[key.bucket, default: Share()]
        return count + others < limits.idempotencyKeyCount
            && share.count + others < max(1, limits.idempotencyKeyCount / 4)
            && recordByteCount < limits.idempotencyRecordByteCount
            && share.recordByteCount < max(1, limits.idempotencyRecordByteCount / 4)
    }

    /// Keeps the outcome of a key that the table does not have.
    mutating func insert(_ key: IdempotencyHash, _ entry: Entry, at now: Timestamp) {
        precondition(entry.outcome.version < 1 << 47, "A session's versions have 47 bits.")
        let time = max(now, marks.last?.time ?? now)
        if marks.last.map({ time.milliseconds - $0.time.milliseconds >= Self.markInterval }) ?? true
        {
            marks.append(Mark(time: time, number: next))
        }
        if count * 5 >= index.count * 4 { grow() }
        let packed =
            entry.outcome.version << 17 | (entry.outcome.changed ? 1 << 16 : 0)
            | UInt64(key.bucket)
        append(Slot(high: key.high, low: key.low, print: entry.print, packed: packed))
        shares[key.bucket, default: Share()].count += 1
        if let bytes = entry.outcome.record {
            let record = Record(number: next, bytes: bytes)
            records.append(record)
            recordByteCount += record.byteCount
            shares[key.bucket]?.recordByteCount += record.byteCount
        }
        link(next)
        next += 1
    }

    /// Forgets the keys that are older than the duration.
    mutating func forgetOld(at now: Timestamp, _ duration: Duration) {
        let oldest = now.milliseconds - duration.components.seconds * 1000
        while marks.count > 1, marks[1].time.milliseconds <= oldest {
            let end = marks[1].number
            while first < end { removeFirst() }
            marks.removeFirst()
        }
        if let last = marks.last, last.time.milliseconds + Self.markInterval <= oldest {
            forgetAll()
        }
    }

    private mutating func forgetAll() {
        let length = UInt64(Self.chunkLength)
        next = (next + length - 1) / length * length
        first = next
        (chunks, index, records, marks, shares) = ([], [], [], [], [:])
        recordByteCount = 0
    }

    // MARK: Slots

    private func slot(_ number: UInt64) -> Slot {
        precondition((first...next).contains(number), "The table has the slot of each number.")
        let offset = Int(number - base)
        return chunks[offset / Self.chunkLength][offset % Self.chunkLength]
    }

    /// The number of the first slot of the first chunk.
    private var base: UInt64 { first - first % UInt64(Self.chunkLength) }

    private mutating func append(_ slot: Slot) {
        if chunks.isEmpty || chunks[chunks.count - 1].count == Self.chunkLength {
            chunks.append([])
            if chunks.count > 1 { chunks[chunks.count - 1].reserveCapacity(Self.chunkLength) }
        }
        chunks[chunks.count - 1].append(slot)
    }

    private mutating func removeFirst() {
        let slot = slot(first)
        if let position = position(of: first, slot) { unlink(position) }
        let bucket = UInt16(truncatingIfNeeded: slot.packed)
        var share = shares[bucket, default: Share()]
        share.count -= 1
        if let record = records.first, record.number == first {
            recordByteCount -= record.byteCount
            share.recordByteCount -= record.byteCount
            records.removeFirst()
        }
        shares[bucket] = share.count > 0 ? share : nil
        first += 1
        if first % UInt64(Self.chunkLength) == 0 { chunks.removeFirst() }
    }

    private func record(of number: UInt64) -> [UInt8]? {
        var (low, high) = (0, records.count)
        while low < high {
            let middle = (low + high) / 2
            if records[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < records.count, records[low].number == number else { return nil }
        return records[low].bytes
    }

    // MARK: Index

    /// Numbers stand in the index modulo this, plus one: 0 is an empty place.
    private static let modulus = UInt64(UInt32.max)

    private static func mark(of number: UInt64) -> UInt32 {
        UInt32(number % modulus) + 1
    }

    /// The slot's number that stands at a position of the index.
    private func number(at position: Int) -> UInt64 {
        // Fewer keys than the modulus are kept, so that the distance to the first one is exact.
        let rest = UInt64(index[position] - 1) + Self.modulus - first % Self.modulus
        return first + rest % Self.modulus
    }

    private func position(of key: IdempotencyHash) -> Int? {
        guard !index.isEmpty else { return nil }
        var position = home(key.low)
        while index[position] != 0 {
            let slot = slot(number(at: position))
            if slot.low == key.low, slot.high == key.high { return position }
            position = (position + 1) & (index.count - 1)
        }
        return nil
    }

    private func position(of number: UInt64, _ slot: Slot) -> Int? {
        var position = home(slot.low)
        let mark = Self.mark(of: number)
        while index[position] != 0 {
            if index[position] == mark { return position }
            position = (position + 1) & (index.count - 1)
        }
        return nil
    }

    private func home(_ low: UInt64) -> Int {
        Int(truncatingIfNeeded: low) & (index.count - 1)
    }

    private mutating func link(_ number: UInt64) {
        var position = home(slot(number).low)
        while index[position] != 0 { position = (position + 1) & (index.count - 1) }
        index[position] = Self.mark(of: number)
    }

    /// Takes an entry out, and moves those behind it that would not be found across the gap.
    private mutating func unlink(_ position: Int) {
        let mask = index.count - 1
        var gap = position
        var candidate = (gap + 1) & mask
        while index[candidate] != 0 {
            let distance = (candidate - home(slot(number(at: candidate)).low)) & mask
            if distance >= (candidate - gap) & mask {
                index[gap] = index[candidate]
                gap = candidate
            }
            candidate = (candidate + 1) & mask
        }
        index[gap] = 0
    }

    private mutating func grow() {
        index = Array(repeating: 0, count: max(8, index.count * 2))
        for number in first..<next { link(number) }
    }
}
