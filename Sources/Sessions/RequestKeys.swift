import Accounting
import DequeModule
import Journaling
import Redux

/// The idempotency key of a request, with all that counts about it.
///
/// It is an object: few requests have one, and every request hands it on from hand to hand.
package final class RequestKey: Sendable {
    let hash: IdempotencyHash
    /// The key as it stands in an entry.
    let text: String
    /// The id of the principal that sent it; empty for a client that is not known.
    let principal: String
    /// A 64-bit print of the body, the same in every process.
    let print: UInt64

    package init(_ text: String, of principal: String, print: UInt64) {
        hash = IdempotencyHash(text, of: principal)
        self.text = text
        self.principal = principal
        self.print = print
    }
}

extension RequestKey: Equatable {
    /// The same key of the same principal, with the same body.
    package static func == (left: RequestKey, right: RequestKey) -> Bool {
        left.text == right.text && left.principal == right.principal && left.print == right.print
    }
}

/// The idempotency keys of one session: those whose entries are kept, and those whose entries are
/// still with the journal. An object, made with the first key.
final class RequestKeys {
    /// A key whose entries are with the journal.
    private struct KeyInFlight {
        var print: UInt64
        var version: UInt64
        var decision: Decision
    }

    /// The state of a key, and so the outcome of a request that has it.
    enum Finding {
        /// The key is new.
        case new
        /// The key was used before, with this outcome.
        case known(Result<Decision, Refusal>)
        /// The key was used before, with this outcome, once the version is kept.
        case inFlight(UInt64, Result<Decision, Refusal>)
        /// The key is new, and there is no room for it.
        case noRoom(Refusal)
    }

    private var table = IdempotencyTable()
    private var inFlight: [IdempotencyHash: KeyInFlight] = [:]

    /// The memory that the keys take, roughly.
    var byteCount: Int { table.byteCount }

    /// Looks up the key of a request.
    func find(
        _ key: RequestKey, at now: Timestamp, _ limits: SessionLimits,
        _ scarcity: @autoclosure () -> MemoryBudget.Scarcity
    ) -> Finding {
        if let known = inFlight[key.hash] {
            // That the key was used before is so only once its entries are kept.
            guard known.print == key.print else {
                return .inFlight(known.version, .failure(.keyReused))
            }
            var decision = known.decision
            decision.isRepeated = true
            return .inFlight(known.version, .success(decision))
        }
        if let known = table.entry(key.hash) {
            guard known.print == key.print else { return .known(.failure(.keyReused)) }
            return .known(.success(Decision(known.outcome)))
        }
        guard scarcity() != .farExceeded else { return .noRoom(.shortOfMemory) }
        table.forgetOld(at: now, limits.idempotencyDuration)
        guard table.hasRoom(for: key.hash, beside: inFlight.count, limits) else {
            return .noRoom(.tooManyKeys)
        }
        return .new
    }

    /// The entries of a key's request are with the journal, up to a version.
    func begin(_ key: RequestKey, at version: UInt64, _ decision: Decision) {
        inFlight[key.hash] = KeyInFlight(print: key.print, version: version, decision: decision)
    }

    /// The entries of a key's request are lost.
    func cancel(_ key: RequestKey) {
        inFlight[key.hash] = nil
    }

    /// Keeps the outcome of a request under its key. One that made no entry is not kept: its repeat
    /// is a request like any other.
    func keep(_ key: RequestKey, _ decision: Decision, at now: Timestamp) {
        inFlight[key.hash] = nil
        guard let outcome = decision.kept, table.entry(key.hash) == nil else { return }
        table.insert(key.hash, .init(print: key.print, outcome: outcome), at: now)
    }

    /// Replaces the kept keys by those that a journal has.
    func restore(_ keys: [KeptKey]) {
        table = IdempotencyTable()
        for kept in keys {
            let key = IdempotencyHash(kept.key, of: kept.principal)
            guard table.entry(key) == nil else { continue }
            let record = kept.batch ?? BatchRecord.write(entryCount: kept.last - kept.first + 1)
            let outcome = KeptOutcome(version: kept.last, changed: kept.changed, record: record)
            table.insert(key, .init(print: kept.print, outcome: outcome), at: kept.at)
        }
    }
}

/// An idempotency key of one principal, as a hash that no client can choose (SipHash, 128 bits).
struct IdempotencyHash: Sendable, Hashable {
    private let high: UInt64
    /// Its lowest 16 bits are the principal's own: the principal's share of the table is counted under
    /// them. Two principals meet in one by chance alone, one time in 65,536.
    private let low: UInt64

    init(_ key: String, of principal: String) {
        func hash(_ part: UInt8) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(part)
            hasher.combine(principal)
            if part > 0 { hasher.combine(key) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        high = hash(1)
        low = hash(2) & ~0xFFFF | hash(0) & 0xFFFF
    }

    fileprivate var bucket: UInt16 { UInt16(truncatingIfNeeded: low) }
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
/// with a new key is refused. A key takes 60 to 110 bytes; the record of a batch comes to that.
struct IdempotencyTable {
    /// An outcome, and what tells whether it is asked for by the same request.
    struct Entry: Sendable, Hashable {
        /// A 64-bit print of the body.
        var print: UInt64
        var outcome: KeptOutcome
    }

    private struct Slot {
        var print: UInt64
        /// The lowest bit: one of the entries changed the state; above it the version.
        var versionAndChange: UInt64
    }

    /// The share of one principal in the table.
    private struct Share {
        var count = 0
        var recordByteCount = 0
    }

    /// So many keys, the oldest first, are as young as this time, or younger.
    private struct Generation {
        var time: Timestamp
        var count = 0
    }

    private static let generationLength: Int64 = 60_000

    private var slots: [IdempotencyHash: Slot] = [:]
    private var order = Deque<IdempotencyHash>()
    private var generations = Deque<Generation>()
    private var records: [IdempotencyHash: [UInt8]] = [:]
    private var recordByteCount = 0
    private var shares: [UInt16: Share] = [:]

    /// The number of keys that are kept.
    var count: Int { slots.count }

    /// The memory that the table takes, roughly: the places of the dictionary are three quarters full
    /// at most.
    var byteCount: Int {
        slots.capacity * 4 / 3 * (MemoryLayout<IdempotencyHash>.stride + MemoryLayout<Slot>.stride)
            + order.count * 3 / 2 * MemoryLayout<IdempotencyHash>.stride + recordByteCount
            + shares.count * 32
    }

    /// The entry of a key.
    func entry(_ key: IdempotencyHash) -> Entry? {
        slots[key].map { slot in
            Entry(
                print: slot.print,
                outcome: KeptOutcome(
                    version: slot.versionAndChange >> 1, changed: slot.versionAndChange & 1 == 1,
                    record: records[key]))
        }
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
        let outcome = entry.outcome
        precondition(outcome.version < 1 << 63, "A session's versions have 63 bits.")
        let time = max(now, generations.last?.time ?? now)
        if generations.last.map({
            time.milliseconds - $0.time.milliseconds >= Self.generationLength
        }) ?? true {
            generations.append(Generation(time: time))
        }
        generations[generations.count - 1].count += 1
        order.append(key)
        slots[key] = Slot(
            print: entry.print, versionAndChange: outcome.version << 1 | (outcome.changed ? 1 : 0))
        records[key] = outcome.record
        add(1, outcome.record, to: key.bucket)
    }

    /// Counts a key into its principal's share, or out of it with -1.
    private mutating func add(_ sign: Int, _ record: [UInt8]?, to bucket: UInt16) {
        // A record stands in a dictionary, and in an object of its own.
        let byteCount = sign * (record.map { $0.count + 80 } ?? 0)
        recordByteCount += byteCount
        shares[bucket, default: Share()].count += sign
        shares[bucket]?.recordByteCount += byteCount
        if shares[bucket]?.count == 0 { shares[bucket] = nil }
    }

    /// Forgets the keys that are older than the duration.
    mutating func forgetOld(at now: Timestamp, _ duration: Duration) {
        let oldest = now.milliseconds - duration.components.seconds * 1000
        while let first = generations.first,
            generations.count > 1
                ? generations[1].time.milliseconds <= oldest
                : first.time.milliseconds + Self.generationLength <= oldest
        {
            for _ in 0..<first.count {
                let key = order.removeFirst()
                slots[key] = nil
                add(-1, records.removeValue(forKey: key), to: key.bucket)
            }
            generations.removeFirst()
        }
        if order.isEmpty { self = IdempotencyTable() }
    }
}
