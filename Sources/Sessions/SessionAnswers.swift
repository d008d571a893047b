import DequeModule
import Journaling
import Redux

/// The things to do for the clients of a session.
package enum SessionStep {
    /// The state has changed, and with it perhaps the classes of viewers: each client goes to the
    /// projection of its class before these are published.
    case regroup
    /// The projections that have changed go to those who watch them or wait for them.
    case publish(Publication)
    /// A request that has waited for the journal is answered.
    case answer(Ticket, Result<Decision, Refusal>)
    /// The session is opened again: its streams end, and their clients come again.
    case reopen
    /// The session is let go: another server has it, and the next request opens it.
    case leave
}

/// The outcomes of one session's requests: those that wait for the journal, and those that were
/// kept for requests that come again. A value without I/O and without a clock.
struct SessionAnswers {
    /// An outcome that waits for the journal.
    struct Held: Hashable {
        var ticket: Ticket
        var key: RequestKey?
        var result: Result<Decision, Refusal>
    }

    var durability: Durability<Held>
    private var steps: Deque<SessionStep> = []
    /// Committed entries, or effects, may have caused actions that wait to be submitted.
    private var owesActions = false
    /// Nil before the first key.
    private var keys: RequestKeys?

    /// Those of a session whose entries up to a version are kept, with the keys of their requests.
    init(at version: UInt64, _ kept: [KeptKey]) {
        durability = Durability(at: version)
        restore(kept)
    }

    private mutating func restore(_ kept: [KeptKey]) {
        keys = kept.isEmpty ? nil : RequestKeys(kept)
    }

    /// The memory that the keys take, roughly.
    var byteCount: Int { keys?.byteCount ?? 0 }

    // MARK: Requests

    /// The answer to a request whose key was used before; nil where its actions are to be judged.
    /// Throws where the session takes nothing now.
    mutating func reply(
        before key: RequestKey?, at now: Timestamp, _ context: SessionContext
    ) throws(Refusal) -> Reply? {
        if let key {
            let known = try requestKeys().find(key, at: now, context)
            if let known {
                return reply(known.result, restingOn: known.version, nil, at: now, context)
            }
        }
        guard durability.acceptsEntries else {
            throw durability.phase == .ended ? .moved : .unknown
        }
        return nil
    }

    /// The answer to a request that was judged: now, or once everything is kept that it rests on.
    mutating func reply(
        _ result: Result<Decision, Refusal>, restingOn version: UInt64, _ key: RequestKey?,
        at now: Timestamp, _ context: SessionContext
    ) -> Reply {
        guard version > durability.committed else {
            if let key, case .success(let decision) = result {
                requestKeys().keep(key, decision, at: now)
            }
            return .now(result)
        }
        if let key, case .success(let decision) = result {
            requestKeys().begin(key, at: version, decision)
        }
        let held = Held(ticket: context.makeTicket(), key: key, result: result)
        durability.wait(for: version, held)
        return .later(held.ticket)
    }

    private mutating func requestKeys() -> RequestKeys {
        if let keys { return keys }
        let made = RequestKeys()
        keys = made
        return made
    }

    // MARK: The journal

    /// The session was opened again, with the keys that the journal has, or with those it had.
    mutating func reopened(at version: UInt64, _ kept: [KeptKey]?) {
        durability.reopened(at: version)
        if let kept { restore(kept) }
    }

    /// Has the store commit and revert as the journal's outcomes demand.
    @inline(__always)
    mutating func settle(_ store: any TakesActions, at now: Timestamp) {
        if durability.hasSteps { takeSteps(store, at: now) }
    }

    private mutating func takeSteps(_ store: any TakesActions, at now: Timestamp) {
        for step in durability.takeSteps() {
            switch step {
            case .commit(let version):
                store.commit(through: version)
                owesActions = true
            case .revert(let version): store.revert(to: version)
            case .answer(let held):
                if let key = held.key, case .success(let decision) = held.result {
                    requestKeys().keep(key, decision, at: now)
                }
                steps.append(.answer(held.ticket, held.result))
            case .refuse(let held, let loss):
                if let key = held.key { keys?.cancel(key) }
                steps.append(.answer(held.ticket, .failure(loss)))
            case .reopen: steps.append(.reopen)
            case .forget: steps.append(.leave)
            }
        }
    }

    // MARK: Steps

    mutating func nextStep() -> SessionStep? { steps.popFirst() }

    /// Entries and effects may have caused actions, which are to be submitted once clients know what
    /// these rest on.
    mutating func oweActions() { owesActions = true }

    /// The actions are to be submitted that entries and effects have caused.
    mutating func takeOwed() -> Bool {
        guard owesActions else { return false }
        owesActions = false
        return durability.acceptsEntries
    }
}
