import DequeModule
import Accounting
import Journaling
import Redux

/// The outcomes of one session's requests: those that wait for the journal, and those that were
/// kept for requests that come again. A value without I/O and without a clock.
struct SessionAnswers {
    /// An outcome that waits for the journal.
    private struct Held {
        var ticket: Ticket
        var key: RequestKey?
        var result: Result<Decision, Refusal>
    }

    private var durability: Durability<Held>
    private var steps: Deque<Durability<Held>.Step> = []
    /// Committed entries, or effects, may have caused actions that wait to be submitted.
    private var owesFollowUps = false
    /// Nil before the first key.
    private var keys: RequestKeys?

    private mutating func requestKeys() -> RequestKeys {
        if let keys { return keys }
        let made = RequestKeys()
        keys = made
        return made
    }

    /// Those of a session whose entries up to a version are kept, with the keys of their requests.
    init(at version: UInt64, _ kept: [KeptKey]) {
        durability = Durability(at: version)
        if !kept.isEmpty { requestKeys().restore(kept) }
    }

    /// Everything up to this version is kept.
    var committed: UInt64 { durability.committed }
    /// The version behind which the next entries stand; nil where none are accepted.
    var nextPlace: UInt64? { durability.acceptsEntries ? durability.handedOver : nil }
    var isIdle: Bool { durability.isIdle }
    /// The memory that the keys take, roughly.
    var byteCount: Int { keys?.byteCount ?? 0 }

    // MARK: Requests

    /// The outcome of a request that is told without judging its actions: its key was used before,
    /// or the session takes nothing now. Nil where its actions are to be judged.
    mutating func outcome(
        before key: RequestKey?, at now: Timestamp, _ context: SessionContext
    ) -> Submitted? {
        if let key {
            let (limits, budget) = (context.limits, context.budget)
            switch requestKeys().find(key, at: now, limits, budget.scarcity) {
            case .new: break
            case .known(.success(let decision)): return .taken(decision)
            case .known(.failure(let refusal)), .noRoom(let refusal): return .turnedAway(refusal)
            case .inFlight(let version, let result):
                return hold(Held(ticket: context.makeTicket(), key: nil, result: result), version)
            }
        }
        guard durability.acceptsEntries else {
            return .turnedAway(.lost(durability.phase == .ended ? .moved : .unknown))
        }
        return nil
    }

    /// The outcome of a request that was judged, given now or once everything is kept that it rests
    /// on; before, the store commits and reverts what it has to.
    ///
    /// - Parameter head: the version by which the actions were judged.
    mutating func conclude(
        _ result: Result<Decision, Refusal>, by store: any SessionStore, head: UInt64,
        key: RequestKey?, at now: Timestamp, _ context: SessionContext
    ) -> Submitted {
        guard durability.hasSteps else {
            return outcome(of: result, head: head, key: key, at: now, context)
        }
        _ = settle(store)
        return outcome(of: result, head: store.headVersion, key: key, at: now, context)
    }

    private mutating func outcome(
        of result: Result<Decision, Refusal>, head: UInt64, key: RequestKey?, at now: Timestamp,
        _ context: SessionContext
    ) -> Submitted {
        // Actions that the request has caused meanwhile may be lost without it.
        let own: UInt64? = if case .success(let it) = result { it.roots?.upperBound } else { nil }
        let version = own ?? head
        if version > durability.committed {
            if let key, case .success(let decision) = result {
                requestKeys().begin(key, at: version, decision)
            }
            return hold(Held(ticket: context.makeTicket(), key: key, result: result), version)
        }
        switch result {
        case .success(let decision):
            if let key { requestKeys().keep(key, decision, at: now) }
            return .taken(decision)
        case .failure(let refusal): return .refused(refusal)
        }
    }

    private mutating func hold(_ held: Held, _ version: UInt64) -> Submitted {
        durability.wait(for: version, held)
        return .held(held.ticket)
    }

    // MARK: The journal

    /// Entries up to a version were handed over: see `Durability`.
    @inline(__always)
    mutating func handedOver(
        through last: UInt64, _ ticket: UInt64, _ outcome: AppendOutcome?
    ) -> Keeping {
        durability.handedOver(through: last, ticket, outcome)
    }

    /// The journal has answered for a batch.
    mutating func appended(_ ticket: UInt64, _ outcome: AppendOutcome) {
        durability.appended(ticket, outcome)
    }

    /// The session was opened again, with the keys that the journal has, or with those it had.
    mutating func reopened(at version: UInt64, _ kept: [KeptKey]?) {
        durability.reopened(at: version)
        if let kept, keys != nil || !kept.isEmpty { requestKeys().restore(kept) }
    }

    /// The session has ended: all that wait are refused.
    mutating func end() { durability.end() }

    // MARK: Steps

    /// The thing that is to be done next.
    enum Next {
        /// The store has committed entries: that is to be told before anything else.
        case committed
        case step(SessionStep)
        /// The actions are to be submitted that entries and effects have caused.
        case followUps
        /// Nothing is to be done.
        case rest
    }

    /// Has `next` ask for the actions that effects have reported.
    mutating func oweFollowUps() { owesFollowUps = true }

    /// There may be something to do.
    @inline(__always)
    var hasNext: Bool { durability.hasSteps || !steps.isEmpty || owesFollowUps }

    /// The next thing to do, in its order; before, the store commits and reverts what it has to.
    mutating func next(_ store: any SessionStore, at now: Timestamp) -> Next {
        if durability.hasSteps, settle(store) != nil { return .committed }
        if let step = nextStep(at: now) { return .step(step) }
        guard owesFollowUps else { return .rest }
        owesFollowUps = false
        return durability.acceptsEntries ? .followUps : .rest
    }

    /// Has the store commit and revert as the journal's outcomes demand; of several commits the
    /// last one makes all entries visible.
    ///
    /// - Returns: the version that was committed.
    private mutating func settle(_ store: any SessionStore) -> UInt64? {
        let new = durability.takeSteps()
        var committed: UInt64?
        for step in new {
            if case .commit(let version) = step { committed = version }
        }
        if let committed {
            store.commit(through: committed)
            owesFollowUps = true
        }
        for step in new {
            switch step {
            case .commit: break
            case .revert(let version): store.revert(to: version)
            case .answer, .refuse, .reopen, .forget: steps.append(step)
            }
        }
        return committed
    }

    private mutating func nextStep(at now: Timestamp) -> SessionStep? {
        guard let step = steps.popFirst() else { return nil }
        switch step {
        case .answer(let held):
            if let key = held.key, case .success(let decision) = held.result {
                requestKeys().keep(key, decision, at: now)
            }
            return .answer(held.ticket, held.result)
        case .refuse(let held, let loss):
            if let key = held.key { keys?.cancel(key) }
            return .refuse(held.ticket, loss)
        case .reopen: return .reopen
        case .forget: return .leave
        case .commit, .revert: preconditionFailure("The store has done this already.")
        }
    }
}
