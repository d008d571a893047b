public import Synchronization

/// State that only a reducer changes, and whose entries a journal keeps.
///
/// The committed state is what everybody sees; the head includes the entries that are decided and not
/// yet kept. Actions are submitted with a closure that hands their entries to the journal: what is kept
/// at once is committed at once, the rest by `commit(through:)`. Version 0 is the initial state.
///
/// A ledger belongs to the isolation that made it and is synchronous. Nothing is re-entrant: actions
/// that are submitted from inside, by an observer or a middleware, wait for the present one.
@usableFromInline package final class Ledger<State: Sendable & Equatable, Action: Sendable> {
    /// Hands entries over to a journal.
    @usableFromInline package typealias Keep = (StagedEntries<State, Action>) -> Keeping

    @usableFromInline var committed: State
    /// Atomic, as what is asked around every action: the run time checks each access to a variable of a
    /// class for exclusivity, and none to an atomic constant (350 of 1,250 instructions an action).
    @usableFromInline let committedVersion: Atomic<UInt64>
    @usableFromInline let changedVersion: Atomic<UInt64>
    @usableFromInline let reducer: Reducer<State, Action>
    /// Stands for the action that is being reduced.
    @usableFromInline let step: Step
    @usableFromInline package let observers = ObserverList<State>()
    /// The actions and effects that its entries have caused.
    @usableFromInline package let consequences: Consequences<State, Action>
    let decider: Decider<State, Action>
    /// The decided entries, in the order in which they will be committed.
    private(set) var pending = PendingEntries<State, Action>()

    /// A ledger that begins with a state: version 0, or one that was kept before, with the version
    /// of the last entry that changed it.
    ///
    /// - Parameters:
    ///   - session: the session that its steps tell; `local` where there is none.
    ///   - epoch: the first part of the session's tokens, and so of ids; a new one where there is none.
    ///   - lastTime: the time of the last entry that was kept, before which no later one is decided.
    ///   - work: the work that a state wants to have going on; see ``Work``.
    ///   - records: the works that an earlier ledger of the session had going on, with the entries that
    ///     they began with.
    ///   - deliver: hands what effects and work report over to the store's isolation, which calls
    ///     `accept`; called from Swift's pool. Needed once effects or work run.
    @usableFromInline
    package init(
        initial state: State, version: UInt64 = 0, lastChange: UInt64? = nil,
        reducer: @escaping Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [],
        checks: ReductionChecks<State>? = nil, environment: Environment,
        limits: StoreLimits = StoreLimits(), session: SessionID? = nil, epoch: String? = nil,
        lastTime: Timestamp? = nil, work: WorkSource<State, Action>? = nil,
        remembering records: [WorkRecord] = [],
        deliver: (@Sendable (StoreDelivery<Action>) -> Void)? = nil
    ) {
        committed = state
        committedVersion = Atomic(version)
        changedVersion = Atomic(lastChange ?? version)
        let (session, epoch) = (session ?? .local, epoch ?? Step.randomEpoch())
        self.reducer = reducer
        step = Step(session: session, epoch: epoch, environment, after: lastTime)
        consequences = Consequences(
            limits, environment, step, work, remembering: records, deliver: deliver)
        decider = Decider(
            reducer, step, middleware, checks, environment, limits, consequences,
            canWait: deliver != nil)
        updateQuiet()
    }

    /// The committed state.
    @inlinable package var state: State { committed }

    /// The number of the last committed entry.
    @inlinable package var version: UInt64 {
        get { committedVersion.load(ordering: .relaxed) }
        set { committedVersion.store(newValue, ordering: .relaxed) }
    }

    /// The last committed entry that changed the state; of those decided together, the last of all.
    @inlinable package var lastChange: UInt64 {
        get { changedVersion.load(ordering: .relaxed) }
        set { changedVersion.store(newValue, ordering: .relaxed) }
    }

    /// The state with everything that is decided.
    package var head: State { pending.last?.state ?? state }

    /// The number of the last decided entry.
    @usableFromInline package var headVersion: UInt64 { version + UInt64(pending.count) }

    /// The time of the last decided entry, or of one that was decided and lost; nil before the first.
    package var lastTime: Timestamp? { step.lastTime }

    /// State, versions and time are all that there is of it: another ledger can go on from them.
    package var isAtRest: Bool {
        pending.count == 0 && observers.isEmpty && decider.isForgetful && consequences.isAtRest
    }

    private func updateQuiet() {
        consequences.isQuiet =
            !consequences.isBusy && decider.isBare && pending.count == 0 && consequences.isEmpty
    }

    // MARK: Actions

    /// Takes an action through everything: interceptors, reducer, journal, commit, observers,
    /// effects, and the actions that these cause.
    ///
    /// - Parameter keep: hands the entries of the action, and of each that it causes, to the journal.
    ///   Where it answers `later`, the owner calls `commit(through:)` once they are kept, or `revert()`.
    @inlinable @discardableResult
    package func submit(
        _ action: Action, origin: Origin = .client, by principal: Principal? = nil,
        at time: Timestamp? = nil, keeping keep: Keep
    ) -> Outcome {
        guard consequences.isQuiet, !consequences.isBusy else {
            return submitFully(action, origin, principal, time, keep)
        }
        consequences.isBusy = true
        let outcome = submitQuietly(action, origin, principal, time, keep)
        consequences.isBusy = false
        if !consequences.isQuiet { submitCausedActions(keeping: keep) }
        return outcome
    }

    /// The short way: nothing stands around the reducer, and nothing is under way.
    @inlinable @inline(__always)
    func submitQuietly(
        _ action: Action, _ origin: Origin, _ principal: Principal?, _ time: Timestamp?,
        _ keep: Keep
    ) -> Outcome {
        let next = version + 1
        step.begin(version: next, by: principal, at: time, cause: nil)
        // Nothing else changes the committed state meanwhile: one copy of it is enough.
        var new = committed
        do throws(Rejection) {
            try reducer(&new, action, step)
        } catch {
            return .rejected(error)
        }
        let changed = new != committed
        let staged = StagedEntries<State, Action>(
            version: next, changed: changed, state: new, .one(action, origin, step))
        switch keep(staged) {
        case .refused: return .refused
        case .later: makePending(action, origin, changed, new)
        case .kept:
            version = next
            if changed { publishQuietly(new, origin, principal) }
        }
        return .accepted(first: next, last: next, changed: changed)
    }

    /// Makes the state of the short way visible, and lets the work follow it.
    @inlinable @inline(__always)
    func publishQuietly(_ new: State, _ origin: Origin, _ principal: Principal?) {
        lastChange = version
        if observers.isEmpty {
            committed = new
        } else {
            let old = committed
            committed = new
            observers.tell(of: old, new)
        }
        if consequences.source != nil, !consequences.isFollowed(new) {
            consequences.want(in: new, at: version, origin, by: principal)
        }
    }

    /// Makes the action of the short way an entry that waits for its journal.
    @usableFromInline
    func makePending(_ action: Action, _ origin: Origin, _ changed: Bool, _ state: State) {
        let entry = Entry(
            action, step, version: version + 1, origin: origin, changed: changed)
        pending.append(PendingEntry(entry, state: state))
        consequences.isQuiet = false
    }

    @usableFromInline
    func submitFully(
        _ action: Action, _ origin: Origin, _ by: Principal?, _ time: Timestamp?, _ keep: Keep
    ) -> Outcome {
        let incoming = IncomingAction([action], origin: origin, by: by, at: time)
        return submit(incoming, keep).outcome
    }

    /// Submits several actions as one: all of them are kept, or none. Observers are told of them
    /// at once; no state between them is ever visible.
    @usableFromInline @discardableResult
    package func submit(
        batch actions: [Action], origin: Origin = .client, by principal: Principal? = nil,
        at time: Timestamp? = nil, keeping keep: Keep
    ) -> BatchOutcome {
        guard !actions.isEmpty || !consequences.isBusy else { return .accepted([]) }
        let incoming = IncomingAction(
            actions, isBatch: true, origin: origin, by: principal, at: time)
        return submit(incoming, keep).batchOutcome
    }

    /// Submits actions that code of the server dispatches, one or a batch, but not from inside.
    ///
    /// - Parameters:
    ///   - principal: the one on whose behalf they are dispatched; nil: the server itself.
    ///   - chain: the chain of causes in other sessions that has led to them.
    package func submit(
        _ actions: [Action], by principal: Principal?, at time: Timestamp, after chain: OuterChain?,
        keeping keep: Keep
    ) -> BatchOutcome {
        guard !consequences.isBusy else { return .rejected(index: 0, .tooManyActions) }
        let incoming = IncomingAction(
            actions, isBatch: actions.count > 1, origin: .server, by: principal, at: time,
            chain: chain)
        return submit(incoming, keep).batchOutcome
    }

    /// Sets the state by an entry without an action; no interceptor, reducer or reaction is asked. It
    /// counts as a change whatever it holds: nobody is to learn whether they have guessed a secret.
    package func replaceState(
        with new: State, by principal: Principal, at time: Timestamp, keeping keep: Keep
    ) -> Outcome {
        guard !consequences.isBusy else { return .rejected(.tooManyActions) }
        let incoming = IncomingAction<Action>(
            [], origin: .inspector, by: principal, at: time)
        return submit(incoming, replacing: new, keep).outcome
    }

    private func submit(
        _ incoming: IncomingAction<Action>, replacing new: State? = nil, _ keep: Keep
    ) -> Proposal<State, Action> {
        if consequences.isBusy {
            let proposal = Proposal(incoming, on: head, version: headVersion)
            if let rejection = consequences.enqueue(incoming, at: version) {
                proposal.refuse(.rejected(rejection))
            } else {
                proposal.outcomes = incoming.actions.map { _ in .queued }
            }
            return proposal
        }
        if hasCausedActions { submitCausedActions(keeping: keep) }
        let proposal = take(incoming, replacing: new, keep)
        submitCausedActions(keeping: keep)
        return proposal
    }

    package var hasCausedActions: Bool { consequences.hasActions }

    /// Submits every action that waits, and those that these cause; chains and their number are
    /// bounded.
    @usableFromInline package func submitCausedActions(keeping keep: Keep) {
        guard !consequences.isBusy else { return }
        repeat {
            while hasCausedActions,
                let next = consequences.next(on: state, at: version, head: pending.last)
            {
                _ = take(next, keep)
            }
            consequences.settle(on: state, at: version)
        } while hasCausedActions
        updateQuiet()
    }

    /// Decides about an action, hands its entries over, and commits them where they are kept.
    private func take(
        _ incoming: IncomingAction<Action>, replacing new: State? = nil, _ keep: Keep
    ) -> Proposal<State, Action> {
        let proposal = Proposal(incoming, on: head, version: headVersion)
        let cause = incoming.cause?.ofUndecided
        consequences.call(causedBy: cause) {
            if let new {
                step.begin(
                    version: proposal.version + 1, by: incoming.by, at: incoming.at, cause: nil)
                proposal.add(nil, step, new, changed: true)
            } else {
                decider.decide(proposal)
            }
            let answer = proposal.handOver(to: keep)
            // Where the entries that it stands on were reverted meanwhile, it falls with them.
            if answer == .refused || answer != nil && headVersion != proposal.baseVersion {
                proposal.refuse(.refused)
            }
            conclude(proposal, isKept: answer == .kept, cause)
        }
        consequences.tellSettled()
        return proposal
    }

    private func conclude(_ proposal: Proposal<State, Action>, isKept: Bool, _ cause: Cause?) {
        if decider.holdsBack { consequences.begin(decider.conclude(proposal)) }
        if isKept, pending.count == 0, proposal.entries.count == 1,
            let entry = proposal.entries.last
        {
            publish(entry)
        } else {
            while let entry = proposal.popEntry() {
                pending.append(entry)
                if let cause = entry.cause { consequences.causes.open(cause.root) }
            }
            if let cause { consequences.causes.close(cause) }
            if isKept { publish(through: headVersion) }
        }
        consequences.decided(
            proposal.incoming, proposal.outcome,
            at: proposal.isEmpty ? nil : proposal.version)
    }

    // MARK: Commits

    /// Makes decided entries up to a version visible, in their order: state, observers, reactions,
    /// effects. What they dispatch waits; see `submitCausedActions(keeping:)`.
    ///
    /// Entries that were decided together are committed together, or not yet.
    package func commit(through last: UInt64) {
        guard !consequences.isBusy, pending.count > 0 else { return }
        consequences.during { publish(through: last) }
        consequences.settle(on: state, at: version)
        updateQuiet()
    }

    /// Reactions see each step of a group. The states between are made once more for them, one at a
    /// time, rather than kept while the entries wait.
    private func publish(through last: UInt64) {
        while let end = endOfGroup, end <= last {
            let change = lastChange
            while let next = pending.first, next.version <= end, let entry = pending.popFirst() {
                publish(entry)
            }
            if lastChange > change { lastChange = end }
        }
    }

    /// The version of the last of the first entries that were decided together.
    private var endOfGroup: UInt64? {
        var entry = pending.first
        while let next = entry, !next.isLast { entry = next.next }
        return entry?.version
    }

    private func publish(_ pending: PendingEntry<State, Action>) {
        let (old, cause) = (state, pending.asCause)
        let (changed, isLast) = (pending.entry.changed, pending.isLast)
        let new = isLast ? pending.state : decider.state(behind: pending, on: old)
        committed = new
        version = pending.version
        if changed { lastChange = version }
        consequences.call(causedBy: cause) {
            observers.tell(of: old, new, changed: changed, isLast: isLast)
            if changed { consequences.noteChange(by: pending) }
            decider.react(to: pending, old, new, as: cause)
        }
        if decider.hasDecided { consequences.begin(decider.takeDelayed(by: version)) }
        if pending.isCaused { consequences.causes.close(cause) }
    }

    /// Forgets what is decided behind a version and could not be kept.
    package func revert(to version: UInt64 = 0) {
        decider.revert(to: version)
        let all = pending.list
        let lost = all.filter { $0.version > version }
        pending = PendingEntries()
        for entry in all {
            entry.next = nil
            if entry.version <= version { pending.append(entry) }
        }
        consequences.lose(lost, behind: version)
        consequences.tellSettled()
        updateQuiet()
    }

    /// Runs code of a caller. What it dispatches is submitted at its end, unless it is left to an
    /// owner that submits, or other things wait for one.
    @usableFromInline
    func perform(isStaged: Bool = false, _ body: () -> Void) {
        guard !consequences.isBusy else { return body() }
        let isLeft = isStaged || hasCausedActions || pending.count > 0
        consequences.during(body)
        guard isLeft else { return submitCausedActions { _ in .kept } }
        consequences.tellSettled()
        updateQuiet()
    }

    /// Begins the work that the first state wants; `staging` leaves what it reports at once to
    /// `submitCausedActions`.
    package func startWork(staging: Bool) {
        perform(isStaged: staging) {
            consequences.want(in: state, at: version, .server, by: nil)
        }
    }

    /// Takes a report of an effect or of work, and leaves the action in it to `submitCausedActions`.
    package func accept(_ delivery: StoreDelivery<Action>) {
        consequences.accept(delivery)
        updateQuiet()
    }

    /// Cancels everything that runs or waits, actions among it.
    package func cancelAllEffects() {
        consequences.cancelAll(keeping: pending.list)
        perform {}
    }
}
