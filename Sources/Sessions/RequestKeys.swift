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
    /// A 64-bit print of the body, the same in every process.
    let print: UInt64

    /// - Parameter principal: the id of the one who sent it; empty for a client that is not known.
    package init(_ text: String, of principal: String, print: UInt64) {
        hash = IdempotencyHash(text, of: principal)
        self.text = text
        self.print = print
    }
}

extension RequestKey: Hashable {
    /// The same key of the same principal, with the same body.
    package static func == (left: RequestKey, right: RequestKey) -> Bool {
        left.hash == right.hash && left.print == right.print
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The idempotency keys of one session: those whose entries are kept, and those whose entries are
/// still with the journal. An object, made with the first key.
final class RequestKeys {
    private var table = IdempotencyTable()
    private var inFlight: [IdempotencyHash: (print: UInt64, version: UInt64, decision: Decision)] =
        [:]

    /// No keys, or those that a journal has.
    init(_ kept: [KeptKey] = []) {
        for kept in kept {
            let key = IdempotencyHash(kept.key, of: kept.principal)
            guard table.outcome(key) == nil else { continue }
            let count = kept.last - kept.first + 1
            let outcome = KeptOutcome(
                print: kept.print, version: kept.last, changed: kept.changed,
                record: kept.batch ?? BatchRecord.write(nil, entryCount: count))
            table.insert(key, outcome, at: kept.at)
        }
    }

    /// The memory that the keys take, roughly.
    var byteCount: Int { table.byteCount }

    /// The outcome of an earlier request with a key, and the version that has to be kept for it; nil
    /// where the key is new. Throws where it was used with another body, or has no room.
    func find(
        _ key: RequestKey, at now: Timestamp, _ context: SessionContext
    ) throws(Refusal) -> (result: Result<Decision, Refusal>, version: UInt64)? {
        if let known = inFlight[key.hash] {
            // That the key was used before is so only once its entries are kept.
            guard known.print == key.print else { return (.failure(.keyReused), known.version) }
            var decision = known.decision
            decision.isRepeated = true
            return (.success(decision), known.version)
        }
        if let known = table.outcome(key.hash) {
            guard known.print == key.print else { throw .keyReused }
            return (.success(Decision(known)), 0)
        }
        guard context.budget.scarcity != .farExceeded else { throw .shortOfMemory }
        table.forgetOld(at: now, context.limits.idempotencyDuration)
        guard table.hasRoom(for: key.hash, beside: inFlight.count, context.limits) else {
            throw .tooManyKeys
        }
        return nil
    }

    /// The entries of a key's request are with the journal, up to a version.
    func begin(_ key: RequestKey, at version: UInt64, _ decision: Decision) {
        inFlight[key.hash] = (key.print, version, decision)
    }

    /// The entries of a key's request are lost.
    func cancel(_ key: RequestKey) {
        inFlight[key.hash] = nil
    }

    /// Keeps the outcome of a request under its key. One that made no entry is not kept: its repeat
    /// is a request like any other.
    func keep(_ key: RequestKey, _ decision: Decision, at now: Timestamp) {
        inFlight[key.hash] = nil
        guard let roots = decision.roots, table.outcome(key.hash) == nil else { return }
        let record = BatchRecord.write(
            decision.results, entryCount: roots.upperBound - roots.lowerBound + 1)
        let outcome = KeptOutcome(
            print: key.print, version: roots.upperBound, changed: decision.changed, record: record)
        table.insert(key.hash, outcome, at: now)
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
    /// A 64-bit print of the body: another one is no repeat.
    var print: UInt64
    /// The version of its last entry.
    var version: UInt64
    /// One of its entries changed the state.
    var changed: Bool
    /// As `BatchRecord` writes it; nil for one action that became one entry.
    var record: [UInt8]?
}

/// The idempotency keys of one session, for clients that ask again.
///
/// A key is kept for as long as the limits say, and never less: where there is no room, a request
/// with a new key is refused. A key takes 60 to 110 bytes; the record of a batch comes to that.
struct IdempotencyTable {
    /// The lowest bit of `change`: one of the entries changed the state; above it the version.
    private typealias Slot = (print: UInt64, change: UInt64)
    /// The share of one principal in the table, or of all.
    private typealias Share = (count: Int, recordByteCount: Int)

    private static let generationLength: Int64 = 60_000

    private var slots: [IdempotencyHash: Slot] = [:]
    /// The oldest first.
    private var order = Deque<IdempotencyHash>()
    /// So many keys of the order are as young as this time, or younger.
    private var generations = Deque<(time: Timestamp, count: Int)>()
    private var records: [IdempotencyHash: [UInt8]] = [:]
    private var total = Share(0, 0)
    private var shares: [UInt16: Share] = [:]

    /// The number of keys that are kept.
    var count: Int { total.count }

    /// The memory that the table takes, roughly: the places of the dictionary are three quarters full
    /// at most.
    var byteCount: Int {
        slots.capacity * 4 / 3 * (MemoryLayout<IdempotencyHash>.stride + MemoryLayout<Slot>.stride)
            + order.count * 3 / 2 * MemoryLayout<IdempotencyHash>.stride + total.recordByteCount
            + shares.count * 32
    }

    func outcome(_ key: IdempotencyHash) -> KeptOutcome? {
        slots[key].map { slot in
            KeptOutcome(
                print: slot.print, version: slot.change >> 1, changed: slot.change & 1 == 1,
                record: records[key])
        }
    }

    /// The table has room for one more key of this principal, beside others that are to come. Asked
    /// once the old keys are forgotten.
    func hasRoom(
        for key: IdempotencyHash, beside others: Int, _ limits: SessionLimits
    ) -> Bool {
        let share = shares[key.bucket, default: (0, 0)]
        return total.count + others < limits.idempotencyKeyCount
            && share.count + others < max(1, limits.idempotencyKeyCount / 4)
            && total.recordByteCount < limits.idempotencyRecordByteCount
            && share.recordByteCount < max(1, limits.idempotencyRecordByteCount / 4)
    }

    /// Keeps the outcome of a key that the table does not have.
    mutating func insert(_ key: IdempotencyHash, _ outcome: KeptOutcome, at now: Timestamp) {
        precondition(outcome.version < 1 << 63, "A session's versions have 63 bits.")
        let age = generations.last.map { now.milliseconds - $0.time.milliseconds }
        if (age ?? .max) >= Self.generationLength {
            generations.append((now, 0))
        }
        generations[generations.count - 1].count += 1
        order.append(key)
        slots[key] = (outcome.print, outcome.version << 1 | (outcome.changed ? 1 : 0))
        records[key] = outcome.record
        count(1, outcome.record, to: key)
    }

    /// Counts a key into its principal's share, or out of it with -1.
    private mutating func count(_ sign: Int, _ record: [UInt8]?, to key: IdempotencyHash) {
        // A record stands in a dictionary, and in an object of its own.
        let byteCount = sign * (record.map { $0.count + 80 } ?? 0)
        var share = shares[key.bucket, default: (0, 0)]
        share.count += sign
        share.recordByteCount += byteCount
        shares[key.bucket] = share.count == 0 ? nil : share
        total.count += sign
        total.recordByteCount += byteCount
    }

    /// Forgets the keys that are older than the duration.
    mutating func forgetOld(at now: Timestamp, _ duration: Duration) {
        let oldest = now.milliseconds - duration.components.seconds * 1000
        while let first = generations.first,
            generations.count > 1
                ? generations[1].time.milliseconds <= oldest
                : first.time.milliseconds + Self.generationLength <= oldest
        {
            for key in order.prefix(first.count) {
                slots[key] = nil
                count(-1, records.removeValue(forKey: key), to: key)
            }
            order.removeFirst(first.count)
            generations.removeFirst()
        }
        if order.isEmpty { self = IdempotencyTable() }
    }
}
