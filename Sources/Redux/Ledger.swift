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
    /// The first and the last of the decided entries that wait for their commits, each with those that
    /// were decided together with it.
    private var first: Proposal<State, Action>?
    private var last: Proposal<State, Action>?

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
    package var head: State { if let last { last.state } else { committed } }

    /// The number of the last decided entry.
    @usableFromInline package var headVersion: UInt64 {
        if let last { last.version } else { version }
    }

    /// What waits for its commit, in the order of the decisions.
    var pending: [Proposal<State, Action>] {
        Array(
            sequence(state: first) { next in
                defer { next = next?.next }
                return next
            })
    }

    /// The time of the last decided entry, or of one that was decided and lost; nil before the first.
    package var lastTime: Timestamp? { step.lastTime }

    /// The print of the client that sends what is submitted next, for interceptors that tell clients apart.
    package var sender: UInt16 {
        get { decider.sender }
        set { decider.sender = newValue }
    }

    /// State, versions and time are all that there is of it: another ledger can go on from them.
    package var isAtRest: Bool {
        first == nil && observers.hasNone.load(ordering: .relaxed) && consequences.isAtRest
            && !decider.isThrottling
    }

    private func updateQuiet() {
        consequences.isQuiet =
            !consequences.isBusy && decider.isBare && first == nil && consequences.isEmpty
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
        submit(action, origin, principal, time, keep) { new, changed in
            keep(
                StagedEntries(
                    version: version + 1, changed: changed, state: new,
                    .one(action, origin, step)))
        }
    }

    /// - Parameter handOver: hands the entry of the short way over, by the state behind it and whether
    ///   it changes the state.
    @inlinable @inline(__always)
    func submit(
        _ action: Action, _ origin: Origin, _ principal: Principal?, _ time: Timestamp?,
        _ keep: Keep, handingOver handOver: (State, Bool) -> Keeping
    ) -> Outcome {
        guard consequences.isQuiet, !consequences.isBusy else {
            return submitFully(action, origin, principal, time, keep)
        }
        consequences.isBusy = true
        let outcome = submitQuietly(action, origin, principal, time, handOver)
        consequences.isBusy = false
        if !consequences.isQuiet { submitCausedActions(keeping: keep) }
        return outcome
    }

    /// The short way: nothing stands around the reducer, and nothing is under way.
    @inlinable @inline(__always)
    func submitQuietly(
        _ action: Action, _ origin: Origin, _ principal: Principal?, _ time: Timestamp?,
        _ handOver: (State, Bool) -> Keeping
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
        switch handOver(new, changed) {
        case .refused: return .refused
        case .later: makePending([action], origin, changed, new)
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
        if observers.hasNone.load(ordering: .relaxed) {
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

    /// Makes the action of the short way an entry that waits for its journal. The list of it is made where
    /// its type is known.
    @usableFromInline
    func makePending(_ sent: [Action], _ origin: Origin, _ changed: Bool, _ state: State) {
        let proposal = Proposal<State, Action>(
            sent, Arrival(origin: origin), on: state, version: version)
        proposal.actions = sent
        proposal.add(step, state, changed: changed)
        append(proposal)
        consequences.isQuiet = false
    }

    private func append(_ proposal: Proposal<State, Action>) {
        if let last { last.next = proposal } else { first = proposal }
        last = proposal
    }

    @usableFromInline
    func submitFully(
        _ action: Action, _ origin: Origin, _ by: Principal?, _ time: Timestamp?, _ keep: Keep
    ) -> Outcome {
        submit([action], Arrival(origin: origin, by: by, at: time), keep, decider.decide).outcome
    }

    /// Submits several actions as one: all of them are kept, or none. Observers are told of them
    /// at once; no state between them is ever visible.
    ///
    /// - Parameter comparedCount: of so many actions each is told whether it has changed the state; of
    ///   more only whether all of them together have.
    @usableFromInline @discardableResult
    package func submit(
        batch actions: [Action], origin: Origin = .client, by principal: Principal? = nil,
        at time: Timestamp? = nil, comparing comparedCount: Int = .max, keeping keep: Keep
    ) -> BatchOutcome {
        guard !actions.isEmpty || !consequences.isBusy else { return .accepted([]) }
        let comparesEach = actions.count <= comparedCount
        let arrival = Arrival(
            origin: origin, by: principal, at: time, isBatch: true, comparesEach: comparesEach)
        return submit(
            actions, arrival, keep, comparesEach ? decider.decide : decider.decideAsWhole
        ).batchOutcome
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
        let arrival = Arrival(
            origin: .server, by: principal, at: time, isBatch: actions.count > 1, chain: chain)
        return submit(actions, arrival, keep, decider.decide).batchOutcome
    }

    /// Sets the state by an entry without an action; no interceptor, reducer or reaction is asked. It
    /// counts as a change whatever it holds: nobody is to learn whether they have guessed a secret.
    ///
    /// - Parameter principal: nil: the server sets it.
    package func replaceState(
        with new: State, by principal: Principal?, at time: Timestamp, keeping keep: Keep
    ) -> Outcome {
        guard !consequences.isBusy else { return .rejected(.tooManyActions) }
        let arrival = Arrival(
            origin: principal == nil ? .server : .inspector, by: principal, at: time)
        return submit([], arrival, keep) { proposal in
            step.begin(version: proposal.version + 1, by: principal, at: time, cause: nil)
            proposal.add(step, new, changed: true)
        }.outcome
    }

    private func submit(
        _ actions: [Action], _ arrival: Arrival, _ keep: Keep,
        _ decide: (Proposal<State, Action>) -> Void
    ) -> Proposal<State, Action> {
        guard !consequences.isBusy else {
            let proposal = Proposal(actions, arrival, on: head, version: headVersion)
            if let rejection = consequences.enqueue(actions, arrival, at: version) {
                proposal.refuse(.rejected(rejection))
            } else {
                proposal.outcomes = actions.map { _ in .queued }
            }
            return proposal
        }
        if consequences.hasActions { submitCausedActions(keeping: keep) }
        let proposal = take(actions, arrival, keep, decide)
        submitCausedActions(keeping: keep)
        return proposal
    }

    /// Submits every action that waits, and those that these cause; chains and their number are
    /// bounded.
    @usableFromInline package func submitCausedActions(keeping keep: Keep) {
        guard !consequences.isBusy else { return }
        repeat {
            while consequences.hasActions,
                let next = consequences.next(on: state, at: version, head: last)
            {
                _ = take(next.actions, next.arrival, keep, decider.decide)
            }
            consequences.settle(on: state, at: version)
        } while consequences.hasActions
        updateQuiet()
    }

    /// Decides about an action, hands its entries over, and commits them where they are kept.
    private func take(
        _ actions: [Action], _ arrival: Arrival, _ keep: Keep,
        _ decide: (Proposal<State, Action>) -> Void
    ) -> Proposal<State, Action> {
        let proposal = Proposal(actions, arrival, on: head, version: headVersion)
        consequences.call(causedBy: arrival.cause?.ofUndecided) {
            decide(proposal)
            var isKept = false
            if !proposal.isEmpty {
                let answer = keep(
                    StagedEntries(
                        version: proposal.version, changed: proposal.changed,
                        state: proposal.state, .decided(proposal)))
                isKept = answer == .kept
                // Where the entries that it stands on were reverted meanwhile, it falls with them.
                if answer == .refused || headVersion != proposal.baseVersion {
                    proposal.refuse(.refused)
                }
            }
            conclude(proposal, isKept: isKept)
        }
        consequences.tellSettled()
        return proposal
    }

    private func conclude(_ proposal: Proposal<State, Action>, isKept: Bool) {
        decider.throttles.conclude(isRefused: proposal.refusal != nil)
        if proposal.isEmpty {
            if let delayed = proposal.delayed { consequences.begin(delayed) }
            if let cause = proposal.arrival.cause { consequences.close(cause.ofUndecided) }
        } else {
            if let cause = proposal.arrival.cause { consequences.keepOpen(cause.root) }
            append(proposal)
            if isKept { publish(through: proposal.version) }
        }
        consequences.decided(proposal)
    }

    // MARK: Commits

    /// Makes decided entries up to a version visible, in their order: state, observers, reactions,
    /// effects. What they dispatch waits; see `submitCausedActions(keeping:)`.
    ///
    /// Entries that were decided together are committed together, or not yet.
    package func commit(through last: UInt64) {
        guard !consequences.isBusy, first != nil else { return }
        consequences.during { publish(through: last) }
        consequences.settle(on: committed, at: version)
        updateQuiet()
    }

    private func publish(through end: UInt64) {
        while let group = first, group.version <= end {
            first = group.next
            // One that goes must not take the others with it, one inside of the other.
            group.next = nil
            if first == nil { last = nil }
            publish(group)
        }
    }

    /// Reactions see each step of a group. The states between are made once more for them, one at a
    /// time, rather than kept while the entries wait. Observers are told of all of it at its end.
    private func publish(_ group: Proposal<State, Action>) {
        let start = committed
        var old = start
        for index in 0..<group.entries.count {
            let entry = group.entries[index]
            let cause = group.cause(of: entry)
            let isLast = entry.version == group.version
            let new = isLast ? group.state : decider.state(behind: index, of: group, on: old)
            committed = new
            version = entry.version
            if entry.changed || isLast && group.changed { lastChange = entry.version }
            consequences.call(causedBy: cause) {
                if isLast, group.changed { observers.tell(of: start, new) }
                if entry.changed {
                    consequences.noteChange(by: entry, as: cause)
                    if isLast { consequences.answer(in: new, at: entry.version) }
                }
                if decider.hasReactions {
                    decider.react(to: index, of: group, old, new, as: cause)
                }
            }
            if isLast, group.isCaused { consequences.close(cause) }
            old = new
        }
        if let delayed = group.delayed { consequences.begin(delayed) }
    }

    /// Forgets what is decided behind a version and could not be kept.
    package func revert(to version: UInt64 = 0) {
        decider.throttles.removeAll()
        let all = pending
        first = nil
        last = nil
        for group in all {
            group.next = nil
            if group.version <= version { append(group) }
        }
        consequences.lose(all.filter { $0.version > version }, behind: version)
        consequences.tellSettled()
        updateQuiet()
    }

    /// Runs code of a caller. What it dispatches is submitted at its end, unless it is left to an
    /// owner that submits, or other things wait for one.
    @usableFromInline
    func perform(isStaged: Bool = false, _ body: () -> Void) {
        guard !consequences.isBusy else { return body() }
        let isLeft = isStaged || consequences.hasActions || first != nil
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
        consequences.cancelAll(keeping: pending.compactMap { $0.arrival.cause?.root })
        perform {}
    }
}
