import Accounting
import Journaling
import Redux

/// The idempotency keys of one session: those whose entries are kept, and those whose entries are
/// still with the journal.
struct RequestKeys {
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
    mutating func find(
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
    mutating func begin(_ key: RequestKey, at version: UInt64, _ decision: Decision) {
        inFlight[key.hash] = KeyInFlight(print: key.print, version: version, decision: decision)
    }

    /// The entries of a key's request are lost.
    mutating func cancel(_ key: RequestKey) {
        inFlight[key.hash] = nil
    }

    /// Keeps the outcome of a request under its key. One that made no entry is not kept: its repeat
    /// is a request like any other.
    mutating func keep(_ key: RequestKey, _ decision: Decision, at now: Timestamp) {
        inFlight[key.hash] = nil
        guard let outcome = decision.kept, table.entry(key.hash) == nil else { return }
        table.insert(key.hash, .init(print: key.print, outcome: outcome), at: now)
    }

    /// Replaces the kept keys by those that a journal has.
    mutating func restore(_ keys: [KeptKey]) {
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
