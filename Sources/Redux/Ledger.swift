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
    @usableFromInline let committedVersion: Atomic<UInt64>
    @usableFromInline let changedVersion: Atomic<UInt64>
    @usableFromInline let reduction: Reduction<State, Action>
    @usableFromInline let observers = ObserverList<State>()
    /// The actions and effects that its entries have caused.
    @usableFromInline package let consequences: Consequences<State, Action>
    let decider: Decider<State, Action>
    let pending = PendingEntries<State, Action>()

    /// A ledger that begins with a state: version 0, or one that was kept before, with the version
    /// of the last entry that changed it.
    ///
    /// - Parameters:
    ///   - session: the session that its steps tell; `local` where there is none.
    ///   - epoch: the first part of the session's tokens, and so of ids; a new one where there is none.
    ///   - lastTime: the time of the last entry that was kept, before which no later one is decided.
    ///   - work: the work that a state wants to have going on; see ``Work``.
    ///   - deliver: hands what effects and work report over to the store's isolation, which calls
    ///     `accept`; called from Swift's pool. Needed once effects or work run.
    @inlinable
    package convenience init(
        initial state: State, version: UInt64 = 0, lastChange: UInt64? = nil,
        reducer: @escaping Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [],
        checks: ReductionChecks<State>? = nil, environment: Environment,
        limits: StoreLimits = StoreLimits(), session: SessionID? = nil, epoch: String? = nil,
        lastTime: Timestamp? = nil, work: (@Sendable (State) -> [Work<Action>])? = nil,
        deliver: (@Sendable (StoreDelivery<Action>) -> Void)? = nil
    ) {
        self.init(
            initial: state, version: version, lastChange: lastChange, reducer: reducer,
            middleware: middleware, checks: checks, environment: environment, limits: limits,
            session: session, epoch: epoch, lastTime: lastTime,
            work: work.map { WorkSource($0) }, remembering: [], deliver: deliver)
    }

    /// - Parameter records: the works that an earlier ledger of the session had going on, with the
    ///   entries that they began with.
    @usableFromInline
    package init(
        initial state: State, version: UInt64 = 0, lastChange: UInt64? = nil,
        reducer: @escaping Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [],
        checks: ReductionChecks<State>? = nil, environment: Environment,
        limits: StoreLimits = StoreLimits(), session: SessionID? = nil, epoch: String? = nil,
        lastTime: Timestamp? = nil, work: WorkSource<State, Action>?,
        remembering records: [WorkRecord],
        deliver: (@Sendable (StoreDelivery<Action>) -> Void)? = nil
    ) {
        committed = state
        committedVersion = Atomic(version)
        changedVersion = Atomic(lastChange ?? version)
        let (session, epoch) = (session ?? .local, epoch ?? Step.randomEpoch())
        let step = Step(session: session, epoch: epoch, environment, after: lastTime)
        reduction = Reduction(reducer, step)
        decider = Decider(
            reduction, middleware, checks, environment, limits, canWait: deliver != nil)
        consequences = Consequences(decider, work, remembering: records, deliver: deliver)
        updatePlainness()
    }

    /// The committed state.
    @inlinable package var state: State { committed }

    /// The number of the last committed entry.
    @inlinable package var version: UInt64 { committedVersion.load(ordering: .relaxed) }

    /// The last committed entry that changed the state; of those decided together, the last of all.
    @inlinable package var lastChange: UInt64 { changedVersion.load(ordering: .relaxed) }

    /// The state with everything that is decided.
    package var head: State {
        if let last = pending.last { last.state } else { committed }
    }

    /// The number of the last decided entry.
    @usableFromInline package var headVersion: UInt64 {
        // Where the short way is open, nothing is pending.
        consequences.busy.isPlain ? version : version + UInt64(pending.count)
    }

    /// The time of the last decided entry, or of one that was decided and lost; nil before the first.
    package var lastTime: Timestamp? { reduction.step.lastTime }

    /// State, versions and time are all that there is of it: another ledger can go on from them.
    package var isAtRest: Bool {
        pending.isEmpty && observers.isEmpty && decider.isForgetful && consequences.isAtRest
    }

    private func updatePlainness() {
        consequences.busy.settle(
            isQuiet: decider.isBare && pending.isEmpty && consequences.isEmpty)
    }

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
        submit(action, origin, principal, time, keep) { state, version, changed in
            keep(
                StagedEntries(
                    action, origin, reduction.step, version: version, changed: changed,
                    state: state))
        }
    }

    /// The same without a journal: every entry is kept at once.
    @inlinable @discardableResult
    package func submit(
        _ action: Action, origin: Origin = .client, by principal: Principal? = nil,
        at time: Timestamp? = nil
    ) -> Outcome {
        submit(action, origin, principal, time, { _ in .kept }, handingOver: { _, _, _ in .kept })
    }

    /// - Parameter handOver: hands the entry of the short way over: the state behind it, its
    ///   version, and whether it changes the state.
    @inlinable @inline(__always)
    func submit(
        _ action: Action, _ origin: Origin, _ principal: Principal?, _ time: Timestamp?,
        _ keep: Keep, handingOver handOver: (State, UInt64, Bool) -> Keeping
    ) -> Outcome {
        guard consequences.busy.isPlain else {
            return submitFully(action, origin, principal, time, keep)
        }
        consequences.busy.enterPlainly()
        let version = version + 1
        reduction.step.begin(version: version, by: principal, at: time, cause: nil)
        // Nothing else changes the committed state meanwhile: one copy of it is enough.
        var next = committed
        do throws(Rejection) {
            try reduction.reducer(&next, action, reduction.step)
        } catch {
            leavePlainly(keep)
            return .rejected(error)
        }
        let changed = next != committed
        switch handOver(next, version, changed) {
        case .kept: break
        case .later:
            makePending(action, origin, changed, next)
            leavePlainly(keep)
            return .accepted(first: version, last: version, changed: changed)
        case .refused:
            leavePlainly(keep)
            return .refused
        }
        committedVersion.store(version, ordering: .relaxed)
        if changed { publishPlainly(next, version, origin, principal) }
        leavePlainly(keep)
        return .accepted(first: version, last: version, changed: changed)
    }

    /// Makes the state of the short way visible, and lets the work follow it.
    @inlinable @inline(__always)
    func publishPlainly(
        _ next: State, _ version: UInt64, _ origin: Origin, _ by: Principal?
    ) {
        changedVersion.store(version, ordering: .relaxed)
        if observers.isUnused {
            committed = next
        } else {
            let old = committed
            committed = next
            observers.tell(of: old, next)
        }
        if consequences.source != nil, !consequences.isFollowed(next) {
            consequences.want(in: next, at: version, origin, by: by)
        }
    }

    /// Ends the short way of an action, and submits the actions that it has caused.
    @inlinable
    func leavePlainly(_ keep: Keep) {
        guard consequences.busy.isDisturbed else { return consequences.busy.leavePlainly() }
        consequences.busy.leaveDisturbed()
        submitCausedActions(keeping: keep)
    }

    /// Makes the action of the short way an entry that waits for its journal.
    @usableFromInline
    func makePending(_ action: Action, _ origin: Origin, _ changed: Bool, _ state: State) {
        pending.append(
            PendingEntry(
                Entry(
                    action, reduction.step, version: version + 1, origin: origin, cause: nil,
                    changed: changed),
                cause: nil, state: state))
        consequences.busy.disturb()
    }

    @usableFromInline
    func submitFully(
        _ action: Action, _ origin: Origin, _ by: Principal?, _ time: Timestamp?, _ keep: Keep
    ) -> Outcome {
        let incoming = IncomingAction(action, origin: origin, by: by, at: time)
        guard consequences.busy.isBusy else { return submit(incoming, keep).outcome }
        return consequences.enqueue(incoming, at: version).map { .rejected($0) } ?? .queued
    }

    /// Submits several actions as one: all of them are kept, or none. Observers are told of them
    /// at once; no state between them is ever visible.
    @usableFromInline @discardableResult
    package func submit(
        batch actions: [Action], origin: Origin = .client, by principal: Principal? = nil,
        at time: Timestamp? = nil, keeping keep: Keep
    ) -> BatchOutcome {
        guard let first = actions.first else {
            submitCausedActions(keeping: keep)
            return .accepted([])
        }
        let incoming = IncomingAction(
            first, batch: actions, origin: origin, by: principal, at: time)
        guard consequences.busy.isBusy else { return submit(incoming, keep).batchOutcome }
        return consequences.enqueue(incoming, at: version).map { .rejected(index: 0, $0) }
            ?? .accepted(actions.map { _ in .queued })
    }

    func submit(
        _ incoming: IncomingAction<Action>, _ keep: Keep
    ) -> Proposal<State, Action> {
        if hasCausedActions { submitCausedActions(keeping: keep) }
        let proposal = take(incoming, keep)
        submitCausedActions(keeping: keep)
        return proposal
    }

    package var hasCausedActions: Bool { consequences.hasActions }

    /// Submits every action that waits, and those that these cause; chains and their number are
    /// bounded.
    @usableFromInline package func submitCausedActions(keeping keep: Keep) {
        guard !consequences.busy.isBusy else { return }
        repeat {
            while hasCausedActions,
                let next = consequences.next(
                    on: committed, at: version, head: pending.last)
            {
                _ = take(next, keep)
            }
            consequences.settle(on: committed, at: version)
        } while hasCausedActions
        updatePlainness()
    }

    /// Decides about an action, hands its entries over, and commits them where they are kept.
    private func take(
        _ incoming: IncomingAction<Action>, _ keep: Keep
    ) -> Proposal<State, Action> {
        let proposal = Proposal(incoming, on: head, version: headVersion)
        let cause = incoming.cause?.ofUndecided
        consequences.call(causedBy: cause) {
            decider.decide(
                proposal, hasRoom: consequences.hasRoom, diagnose: { consequences.diagnose($0) })
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
        if let delayed = decider.conclude(proposal) { consequences.begin(delayed) }
        if isKept, pending.isEmpty, let entry = proposal.onlyEntry {
            publish(entry)
        } else {
            proposal.forEachEntry { entry in
                pending.append(entry)
                if let cause = entry.cause { consequences.open(cause.root) }
            }
            if let cause { consequences.close(cause) }
            if isKept { publish(through: headVersion) }
        }
        consequences.decided(
            proposal.incoming, proposal.outcome, at: proposal.isEmpty ? nil : proposal.version,
            committed: version)
        if let diagnostic = proposal.incoming.diagnostic(of: proposal.outcome) {
            consequences.diagnose(diagnostic)
        }
    }

    /// Takes an entry over that no proposal has made.
    func enter(_ entry: PendingEntry<State, Action>, isKept: Bool) {
        consequences.busy.during {
            if isKept, pending.isEmpty { return publish(entry) }
            pending.append(entry)
            if isKept { publish(through: headVersion) }
        }
    }

    /// Makes decided entries up to a version visible, in their order: state, observers, reactions,
    /// effects. What they dispatch waits; see `submitCausedActions(keeping:)`.
    ///
    /// Entries that were decided together are committed together, or not yet.
    package func commit(through last: UInt64) {
        guard !consequences.busy.isBusy, !pending.isEmpty else { return }
        consequences.busy.during { publish(through: last) }
        consequences.settle(on: committed, at: version)
        updatePlainness()
    }

    /// Reactions see each step of a group. The states between are made once more for them, one at a
    /// time, rather than kept while the entries wait.
    private func publish(through last: UInt64) {
        while let end = pending.endOfGroup(through: last) {
            let change = lastChange
            while let entry = pending.popFirst(through: end) { publish(entry) }
            if lastChange > change { changedVersion.store(end, ordering: .relaxed) }
        }
    }

    private func publish(_ entry: PendingEntry<State, Action>) {
        let (old, cause) = (committed, entry.asCause)
        let new = entry.isLast ? entry.state : decider.state(behind: entry, on: old)
        committed = new
        committedVersion.store(entry.version, ordering: .relaxed)
        if entry.changed { changedVersion.store(entry.version, ordering: .relaxed) }
        consequences.call(causedBy: cause) {
            if !observers.isUnused {
                observers.tell(of: old, new, changed: entry.changed, isLast: entry.isLast)
            }
            if entry.changed { consequences.noteChange(by: entry) }
            decider.react(to: entry, old, new) { consequences.start($0, causedBy: cause) }
        }
        if let delayed = decider.takeDelayed(by: entry.version) { consequences.begin(delayed) }
        if entry.isCaused { consequences.close(cause) }
    }

    /// Forgets what is decided behind a version and could not be kept.
    package func revert(to version: UInt64 = 0) {
        decider.revert(to: version)
        consequences.lose(pending.drop(behind: version), behind: version)
        consequences.tellSettled()
        updatePlainness()
    }

    /// Runs code of a caller. What it dispatches is submitted at its end, unless it is left to an
    /// owner that submits, or other things wait for one.
    @usableFromInline
    func perform(isStaged: Bool = false, _ body: () -> Void) {
        guard !consequences.busy.isBusy else { return body() }
        let isLeft = isStaged || hasCausedActions || !pending.isEmpty
        consequences.busy.during(body)
        guard isLeft else { return submitCausedActions { _ in .kept } }
        consequences.tellSettled()
        updatePlainness()
    }

    /// Begins the work that the first state wants; `staging` leaves what it reports at once to
    /// `submitCausedActions`.
    package func startWork(staging: Bool) {
        perform(isStaged: staging) {
            consequences.want(in: committed, at: version, .server, by: nil)
        }
    }

    /// Takes a report of an effect or of work, and leaves the action in it to `submitCausedActions`.
    package func accept(_ delivery: StoreDelivery<Action>) {
        consequences.accept(delivery)
        updatePlainness()
    }

    /// Cancels everything that runs or waits, actions among it.
    package func cancelAllEffects() {
        consequences.cancelAll(keeping: pending.list)
        perform {}
    }
}
