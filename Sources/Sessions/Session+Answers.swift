package import Bytes
package import Journaling
package import Redux
package import StateCoding

/// The things to do for the clients of a session.
package enum SessionStep {
    /// The state has changed, and with it perhaps the classes of viewers: each client goes to the
    /// projection of its class before these are published.
    case regroup
    /// The whole state, if it is watched, and the other projections that have changed go to those who
    /// watch them or wait for them.
    case publish(Projection?, [Projection])
    /// The state cannot be read any more: those who wait for it are refused.
    case unreadable(Refusal)
    /// A request that has waited for the journal is answered.
    case answer(HeldAnswer, Result<Decision, Refusal>)
    /// The session is opened again: its streams end, and their clients come again.
    case reopen
    /// The session is let go: another server has it, and the next request opens it.
    case leave
}

/// The outcomes of the session's requests: those that wait for the journal, and those that were kept
/// for requests that come again.
extension Session {
    /// The committed version as clients see it.
    package var token: Token { Token(epoch: epoch, version: version) }

    /// No request that has a key is judged yet.
    package var lacksKeys: Bool { laterKeys != nil }

    /// It is not known what the journal has kept.
    package var isInDoubt: Bool { durability.phase == .undecided }

    /// Some watchers may not have seen the present version: what they watch has not changed with it.
    package var mayOweVersion: Bool {
        guard let shown, shown.watcherCount > 0 else { return false }
        return store.lastChange < version || shown.count > 0
    }

    /// The answer to a request that was judged: now, or once everything is kept that it rests on.
    func reply(
        _ result: consuming Result<Decision, Refusal>, restingOn version: UInt64,
        _ key: RequestKey? = nil,
        at now: Timestamp
    ) -> Reply {
        let isKept = version <= durability.committed
        if let key, case .success(let decision) = copy result {
            if isKept {
                requestKeys.keep(key, decision, at: now)
            } else {
                requestKeys.begin(key, at: version, decision)
            }
        }
        guard !isKept else { return .now(result) }
        let held = HeldAnswer(result, key)
        changeDurability { $0.wait(for: version, held) }
        return .later(held)
    }

    var requestKeys: RequestKeys {
        if let keys { return keys }
        let made = RequestKeys()
        keys = made
        return made
    }

    /// Has the store commit and revert as the journal's outcomes demand.
    func settle(_ store: any TakesActions, at now: Timestamp) {
        for step in changeDurability({ $0.takeSteps() }) {
            switch step {
            case .commit(let version):
                store.commit(through: version)
                owesActions = true
            case .revert(let version): store.revert(to: version)
            case .answer(let held):
                if let key = held.key, case .success(let decision) = held.result {
                    requestKeys.keep(key, decision, at: now)
                }
                add(.answer(held, held.result))
            case .refuse(let held, let loss):
                if let key = held.key { keys?.cancel(key) }
                add(.answer(held, .failure(loss)))
            case .reopen: add(.reopen)
            case .forget: add(.leave)
            }
        }
    }

    /// Changes the durability, which is taken out meanwhile: so no access to it is checked at run
    /// time.
    func changeDurability<Result>(_ change: (inout Durability<HeldAnswer>) -> Result) -> Result {
        var taken = exchange(&durability, with: Durability(at: 0))
        defer { durability = taken }
        return change(&taken)
    }

    // MARK: Publishing

    /// A change is being shown to the clients of many views, in several turns. Until it is through, the state
    /// stays as it is: what the journal says meanwhile is not heard.
    package var isPublishing: Bool { !isEnded && shown?.isBehind ?? false }

    /// The clients of a projection are still to be shown the change that is being published.
    package func isLate(_ projection: Projection) -> Bool {
        isPublishing && projections.isLate(projection)
    }

    /// The value of a projection is there, and of the present state.
    package func isMade(_ projection: Projection) -> Bool {
        shown?.isOfToday(projection) ?? false
    }

    /// Commits what the journal has kept while a change was published, which is not shown yet.
    package func hear(at now: Timestamp) {
        hearJournal()
        if let actions { settle(actions, at: now) }
    }

    /// Goes on with what is being published, as far as there is time.
    ///
    /// - Parameter isEarly: only what was made already, as a client has asked for it.
    package func publishMore(isEarly: Bool = false) -> SessionStep {
        .publish(nil, isEarly ? projections.publishEarly() : projections.publishMore())
    }

    /// The journal holds what memory holds as well: the session goes on from that.
    package func holds(_ opened: OpenedSession) -> Bool {
        opened.epoch == epoch && opened.document?.version == durability.committed
    }

    /// The JSON of a projection; nil where it is out of scope. A state that cannot be written, or is
    /// larger than allowed, freezes the session.
    package func content(of projection: Projection) throws(Refusal) -> SharedBytes? {
        guard try isInScope(projection) else { return nil }
        defer { countMemory() }
        return projection.json
    }

    /// The projection is in scope: it is encoded as by `content`, and not put together.
    package func isInScope(_ projection: Projection) throws(Refusal) -> Bool {
        do throws(EncodingFailure) {
            try projections.update(projection)
            measure(projection)
            countMemory()
            return projection.byteCount != nil
        } catch {
            throw unreadable(error)
        }
    }
}
