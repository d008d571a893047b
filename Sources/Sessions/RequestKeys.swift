package import Bytes
import DequeModule
package import Journaling
import Redux

/// The idempotency key of a request, with all that counts about it.
///
/// It is an object: few requests have one, and every request hands it on from hand to hand.
package final class RequestKey: Sendable {
    /// See `KeptKey.key`.
    let hash: UInt128
    /// The key as it stands in an entry.
    let text: String
    /// A keyed hash of the body, the same in every process that has the journal; its lowest 16 bits are
    /// the client's print instead, who may send it again from elsewhere.
    let print: UInt128

    /// - Parameters:
    ///   - principal: the id of the one who sent it; empty for a client that is not known.
    ///   - client: into whose share the key counts.
    ///   - body: another one is no repeat; none: any is.
    ///   - use: what the body is for, other than as actions.
    ///   - hash: the journal's.
    package init(
        _ text: String, of principal: String, for client: Accounts.Client,
        body: Span<UInt8> = Span(), for use: String = "", by hash: KeyedHash
    ) {
        self.hash = hash.hash(ofKey: text, of: principal)
        self.text = text
        var print = hash.number(of: body)
        if !use.isEmpty { print ^= hash.number(of: Array(use.utf8).span) }
        self.print = print & ~0xFFFF | UInt128(client)
    }
}

extension RequestKey: Equatable {
    /// The same key of the same principal, with the same body.
    package static func == (left: RequestKey, right: RequestKey) -> Bool {
        left.hash == right.hash && left.hasBody(right.print)
    }

    /// A print is of the same body, whoever sent it.
    func hasBody(_ print: UInt128) -> Bool { (print ^ self.print) >> 16 == 0 }
}

/// The idempotency keys of one session, for clients that ask again: those whose entries are kept, and
/// those whose entries are still with the journal. An object, made with the first key.
///
/// A key is kept for as long as the limits say, and never less: where there is no room, a request
/// with a new key is refused. A key takes 80 to 150 bytes; the record of a batch comes to that.
final class RequestKeys {
    /// The outcome of a request, from which its first answer is computed again.
    ///
    /// - print: of the body, and in its lowest 16 bits of the client: another body is no repeat.
    /// - version: of its last entry.
    /// - changed: one of its entries changed the state.
    /// - record: as `BatchRecord` writes it; nil for one action that became one entry.
    typealias Kept = (print: UInt128, version: UInt64, changed: Bool, record: [UInt8]?)
    /// The lowest bit of `change`: one of the entries changed the state; above it the version.
    private typealias Slot = (print: UInt128, change: UInt64)

    private static let generationLength: Int64 = 60_000
    /// The old keys that a new one has forgotten, where there is room for it: others wait for that.
    private static let forgottenCount = 512

    private var inFlight: [UInt128: (print: UInt128, version: UInt64, decision: Decision)] =
        [:]
    private var slots: [UInt128: Slot] = [:]
    /// The oldest first.
    private var order = Deque<UInt128>()
    /// So many keys of the order are as young as this time, or younger.
    private var generations = Deque<(time: Timestamp, count: Int)>()
    private var records: [UInt128: [UInt8]] = [:]
    private var accounts = Accounts()

    /// Those that a journal has. A hundred thousand take tens of milliseconds: away from the loop.
    @concurrent
    static func made(of kept: [KeptKey]) async -> sending RequestKeys { RequestKeys(kept) }

    /// No keys, or those that a journal has.
    init(_ kept: [KeptKey] = []) {
        if !kept.isEmpty {
            slots.reserveCapacity(kept.count)
            order.reserveCapacity(kept.count)
        }
        for kept in kept {
            guard slots[kept.key] == nil else { continue }
            let count = kept.last - kept.first + 1
            let record = kept.batch ?? BatchRecord.write(nil, entryCount: count)
            insert(kept.key, (kept.print, kept.last, kept.changed, record), at: kept.at)
        }
    }

    /// The number of keys that are kept.
    var count: Int { accounts.total(.keys) }

    /// The memory that the keys take, roughly: the places of the dictionary are three quarters full
    /// at most.
    var byteCount: Int {
        slots.capacity * 4 / 3 * (MemoryLayout<UInt128>.stride + MemoryLayout<Slot>.stride)
            + order.count * 3 / 2 * MemoryLayout<UInt128>.stride + accounts.total(.recordBytes)
            + accounts.count * 32
    }

    // MARK: Requests

    /// The outcome of an earlier request with a key, and the version that has to be kept for it; nil
    /// where the key is new. Throws where it was used with another body, or has no room.
    func find(
        _ key: RequestKey, at now: Timestamp, _ context: SessionContext
    ) throws(Refusal) -> (result: Result<Decision, Refusal>, version: UInt64)? {
        if let known = inFlight[key.hash] {
            // That the key was used before is so only once its entries are kept.
            guard key.hasBody(known.print) else { return (.failure(.keyReused), known.version) }
            var decision = known.decision
            decision.isRepeated = true
            return (.success(decision), known.version)
        }
        if let known = kept(key.hash) {
            guard key.hasBody(known.print) else { throw .keyReused }
            return (.success(Decision(known)), 0)
        }
        guard context.budget.scarcity != .farExceeded else { throw .shortOfMemory }
        let (age, duration) = (min(now, context.readAge()), context.limits.idempotencyDuration)
        forgetOld(at: age, duration, atMost: Self.forgottenCount)
        if hasRoom(for: key.print, context.limits) { return nil }
        forgetOld(at: age, duration)
        guard hasRoom(for: key.print, context.limits) else { throw .tooManyKeys }
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
        guard let roots = decision.roots, slots[key.hash] == nil else { return }
        let record = BatchRecord.write(
            decision.results, entryCount: roots.upperBound - roots.lowerBound + 1)
        insert(key.hash, (key.print, roots.upperBound, decision.changed, record), at: now)
    }

    // MARK: Those that are kept

    func kept(_ key: UInt128) -> Kept? {
        slots[key].map { ($0.print, $0.change >> 1, $0.change & 1 == 1, records[key]) }
    }

    /// There is room for one more key of a print's client, beside those in flight. Asked once the old keys
    /// are forgotten.
    func hasRoom(for print: UInt128, _ limits: SessionLimits) -> Bool {
        let (client, share) = (UInt16(truncatingIfNeeded: print), limits.sessionShare)
        return accounts.hasRoom(
            for: inFlight.count + 1, .keys, of: client,
            limit: min(limits.idempotencyKeyCount, KeyList.most), share: share)
            && accounts.hasRoom(
                .recordBytes, of: client, limit: limits.idempotencyRecordByteCount, share: share)
    }

    /// Keeps the outcome of a key that is not kept yet.
    func insert(_ key: UInt128, _ outcome: Kept, at now: Timestamp) {
        precondition(outcome.version < 1 << 63, "A session's versions have 63 bits.")
        let age = generations.last.map { now.milliseconds - $0.time.milliseconds }
        if (age ?? .max) >= Self.generationLength {
            generations.append((now, 0))
        }
        generations[generations.count - 1].count += 1
        order.append(key)
        slots[key] = (outcome.print, outcome.version << 1 | (outcome.changed ? 1 : 0))
        if let record = outcome.record { records[key] = record }
        count(1, outcome.record, outcome.print)
    }

    /// Counts a key into its client's share, or out of it with -1.
    private func count(_ sign: Int, _ record: [UInt8]?, _ print: UInt128) {
        let client = UInt16(truncatingIfNeeded: print)
        accounts.add(sign, .keys, of: client)
        // A record stands in a dictionary, and in an object of its own.
        if let record { accounts.add(sign * (record.count + 80), .recordBytes, of: client) }
    }

    /// Forgets keys that are older than the duration, the oldest first.
    func forgetOld(at now: Timestamp, _ duration: Duration, atMost limit: Int = .max) {
        var left = limit
        let oldest = now.milliseconds - duration.components.seconds * 1000
        while left > 0, let first = generations.first,
            generations.count > 1
                ? generations[1].time.milliseconds <= oldest
                : first.time.milliseconds + Self.generationLength <= oldest
        {
            let count = min(left, first.count)
            left -= count
            for key in order.prefix(count) {
                guard let slot = slots.removeValue(forKey: key) else { continue }
                self.count(-1, records.removeValue(forKey: key), slot.print)
            }
            order.removeFirst(count)
            generations[0].count -= count
            if generations[0].count == 0 { generations.removeFirst() }
        }
        if order.isEmpty { (slots, order, records) = ([:], [], [:]) }
    }
}
