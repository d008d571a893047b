package import Bytes
import DequeModule
package import Journaling
package import Redux
package import StateCoding

/// One authoritative state with its entries and projections, on one event loop: bytes and versions
/// come in, values go out.
///
/// An action is decided, appended to the journal, committed and published. The side that serves
/// clients asks for `nextStep` after each call that may have changed something, until there is none.
/// What every action needs stands together: of many sessions few are in a processor's cache.
package final class Session {
    package let id: SessionID
    /// The hash of the id.
    package let hash: UInt64
    /// The next one in its chain of the table.
    var next: Session?
    /// The instant at which it is looked at next, and the timer for that: see `SessionDeadlines`.
    package var deadline: Instant {
        get { due }
        set { due = newValue }
    }
    package var timer = Timer.none

    package var store: any ShowsState { present }
    /// The store, where it takes actions; nil where the session plays a recording.
    package var actions: (any TakesActions)? { actor }
    /// The version of the last entry that is decided, durable or not, or of a recording.
    var headVersion: UInt64 { actor?.headVersion ?? logging.log?.headVersion ?? version }
    package var version: UInt64 { present.version }
    package var epoch: String { presentEpoch }
    /// The instant of the last request about it.
    package var lastUse: Instant { used }
    /// The time of the last change, or of its making.
    package var changed: Timestamp { changeTime }
    /// The reason why nothing is accepted any more.
    package var frozen: String? { freezeReason }
    package var isEnded: Bool { hasEnded }
    /// A client has posted to it since it came into memory.
    package var wasPostedTo: Bool { isPosted }

    // Stored for this module alone, so that the compiler need not check each access at run time.
    private var due = Instant.never
    private var present: any ShowsState
    private var actor: (any TakesActions)?
    private var presentEpoch: String
    private var used: Instant
    private var changeTime: Timestamp
    private var freezeReason: String?
    private var hasEnded = false
    private var isPosted = false
    /// Nil before the first client that is shown something, and once nothing of it is kept.
    private(set) var shown: Projections?
    package let context: SessionContext
    /// The last change that clients were told of.
    private var published: UInt64
    /// The bytes that it has counted into the memory budget.
    private var countedByteCount = 0
    /// What of the entries is kept, and the answers that wait for that.
    var durability: Durability<HeldAnswer>
    private var steps: Deque<SessionStep> = []
    /// Committed entries, or effects, may have caused actions that wait to be submitted.
    var owesActions = false
    /// Nil before the first key.
    var keys: RequestKeys?
    /// Those that the opening has told of, as long as the journal has still to tell of earlier ones.
    var laterKeys: [KeptKey]?
    private var lease: Lease
    private(set) var meter = StateMeter()
    /// What the journal has said while a change is being published.
    private var unheard: [TicketOutcome] = []
    /// The reason why the last entries were not appended, if they were not.
    private var refusal: Refusal?
    var logging: EntryLogging
    package let created: Timestamp
    /// The print of the client into whose share it counts; 0: nobody's.
    package let maker: UInt16
    /// The place of its application among those that are mounted.
    package var mount: Int { Int(place) }
    private let place: Int32
    /// The bytes that `SessionContext.stateSizes` has of its state.
    private var sizedByteCount: UInt32 = 0
    /// The number of answers that are held for effects.
    package var settlingCount: Int32 = 0
    /// The second since which it stands in `UnpostedSessions`.
    var unpostedSince: UInt32 = 0

    /// - Parameters:
    ///   - keepsEntries: they are kept in memory whether anybody asks for them or not.
    ///   - isFaithful: the journal has the state as it is written today.
    package init(
        id: SessionID, mount: Int, opened: OpenedSession, store: any ShowsState,
        maker: UInt16 = 0, keepsEntries: Bool = false, isFaithful: Bool = true,
        playing recording: EntryLog? = nil, at instant: Instant, _ context: SessionContext
    ) {
        self.id = id
        hash = id.hash
        place = Int32(mount)
        created = opened.created
        self.maker = maker
        present = store
        actor = store as? any TakesActions
        (used, changeTime) = (instant, opened.document?.lastTime ?? opened.created)
        presentEpoch = opened.epoch
        self.context = context
        durability = Durability(at: store.version)
        lease = opened.lease
        logging = EntryLogging(
            keepsEntries: keepsEntries && !context.keepsEntries, playing: recording)
        published = store.lastChange
        begin(with: opened, isFaithful)
        countMemory()
    }

    private func begin(with opened: OpenedSession, _ isFaithful: Bool) {
        let isComplete = opened.keysBegin == 0
        keys = isComplete && !opened.keys.isEmpty ? RequestKeys(opened.keys) : nil
        laterKeys = isComplete ? nil : opened.keys
        if opened.isFrozen {
            freeze(
                "The server has ended twice while it reduced the session's next action. "
                    + "POST …/revert goes on from a version.")
        }
        guard let document = opened.document else { return }
        meter.measured(document.json.count)
        logging.restored(document, isFaithful, stated: opened.keysBegin)
    }

    /// The right to append to it.
    package var appendRight: Lease { lease }

    package var projections: Projections {
        if let shown { return shown }
        let made = Projections(of: present, id, context)
        shown = made
        return made
    }

    /// A request is about the session.
    package func noteUse(at now: Instant) { used = now }

    /// Has the store decide about actions, and hands those that are accepted over to the journal.
    /// Throws where the actions are not judged.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes of the actions as JSON; nil where the server itself says them.
    ///   - ifMatch: the versions that may decide; nil: any.
    package func submit(
        _ byteCount: Int?, key: RequestKey?, ifMatch: [Token]? = nil, at now: Timestamp,
        _ decide: (any TakesActions, StagedBatch.Append, ActionMemory) throws(Refusal) -> Decision
    ) throws(Refusal) -> Reply {
        if let key, let known = try requestKeys.find(key, at: now, context) {
            return reply(known.result, restingOn: known.version, at: now)
        }
        guard durability.acceptsEntries else {
            throw durability.phase == .ended ? .moved : .unknown
        }
        guard let store = actor else { throw .replayed }
        if let freezeReason { throw .frozen(freezeReason) }
        if let ifMatch, !ifMatch.contains(Token(epoch: epoch, version: store.headVersion)) {
            context.rejectionCount += 1
            if durability.hasSteps { settle(store, at: now) }
            return reply(
                .failure(.preconditionFailed), restingOn: store.headVersion, key, at: now)
        }
        var last: UInt64?
        let result: Result<Decision, Refusal>
        if context.keepsEntries, context.journal.isBusy { throw .notKept(.busy) }
        if context.keepsEntries { noteReduction(to: store.headVersion + 1) }
        defer { if context.keepsEntries { noteReduction(to: nil) } }
        do throws(Refusal) {
            let decision = try decide(
                store, { append($0, key, byteCount ?? 0, $1) }, context.memory)
            if case .accepted(_, let end, _) = decision.outcome { last = end }
            result = .success(decision)
        } catch {
            switch error {
            case .malformed, .unreadable, .tooOften: throw error
            case .unknown: result = .failure(refusal ?? error)
            default: result = .failure(error)
            }
            context.rejectionCount += 1
        }
        if byteCount != nil {
            context.actionCount += 1
            isPosted = true
        }
        if durability.hasSteps { settle(store, at: now) }
        // Actions that the request has caused meanwhile may be lost without it.
        return reply(result, restingOn: last ?? store.headVersion, key, at: now)
    }

    /// The size of the state, which is measured where nobody has.
    package func stateByteCount() -> Int { meter.byteCount(of: present) }
    func measuredByteCount() -> Int { meter.exactByteCount(of: present) }

    /// Hands entries over to the journal, and to the log where there is one.
    ///
    /// - Parameter byteCount: the bytes of the request that they come from.
    private func append(
        _ batch: StagedBatch, _ key: RequestKey?, _ byteCount: Int, _ encode: StagedBatch.Encode
    ) -> Keeping {
        guard durability.acceptsEntries else { return .refused }
        let place = durability.handedOver
        let encoded: (entries: [EncodedEntry], alarm: AlarmChange, state: [UInt8]?)
        do throws(Refusal) {
            guard countedByteCount <= Self.smallByteCount || context.budget.scarcity != .farExceeded
            else { throw .shortOfMemory }
            encoded = try self.encoded(batch, key, byteCount, behind: place, encode)
        } catch {
            if case .notEncodable(let failure) = error {
                context.report(
                    id, "An action or its state cannot be written as JSON", failure)
            }
            refusal = error
            return .refused
        }
        context.lastTicket += 1
        let ticket = context.lastTicket
        var outcome = context.journal.append(
            AppendBatch(
                lease: lease, expected: place, count: batch.count,
                schema: logging.newSchema(of: actor, at: version), alarm: encoded.alarm,
                state: encoded.state, receiver: context.receiver, ticket: ticket),
            encoded.entries)
        refusal = nil
        switch outcome {
        case nil: context.await(ticket, for: self)
        case .kept:
            guard let shown, shown.isBehind else { break }
            unheard.append((ticket, .kept))
            outcome = nil
        case .refused(let failure): refusal = .notKept(failure)
        case .stale: refusal = .moved
        case .unknown: refusal = .unknown
        }
        // By itself, unlike other changes: nothing else is asked of it meanwhile.
        return durability.handedOver(through: batch.version, ticket, outcome)
    }

    /// The bytes of entries, made once for the journal and the log; none where neither wants any. Where
    /// the state is measured and too large, these alone are refused, and count for nothing.
    private func encoded(
        _ batch: StagedBatch, _ key: RequestKey?, _ byteCount: Int, behind place: UInt64,
        _ encode: StagedBatch.Encode
    ) throws(Refusal) -> ([EncodedEntry], AlarmChange, state: [UInt8]?) {
        let (isKept, limit) = (context.keepsEntries, context.limits.stateByteCount)
        let isWanted = isKept ? true : logging.isOn
        if !isWanted { logging.passOver() }
        // Copied, so that no access to it is checked at run time.
        var (meter, next) = (self.meter, self.meter)
        defer { self.meter = meter }
        next.add(byteCount, ofEntries: batch.count, isReported: batch.isCaused)
        let isDue = next.isDue(limit: limit)
        if !isWanted, !isDue {
            meter = next
            return ([], .unchanged, nil)
        }
        let start = context.readClock()
        try meter.checkPause(at: start)
        var former: EncodedForm?
        let encoded: EncodedBatch
        var stateByteCount: Int?
        do throws(EncodingFailure) {
            if isWanted { former = try logging.former(at: place, of: store, shown?.whole, isKept) }
            encoded = try encode(former, isKept)
            stateByteCount = encoded.change?.form.byteCount
            if isDue, stateByteCount == nil { stateByteCount = try store.stateByteCount() }
        } catch {
            throw .notEncodable(error)
        }
        if let stateByteCount {
            try meter.judge(stateByteCount, limit: limit, since: start, at: context.readClock)
        } else {
            meter = next
        }
        guard isWanted else { return ([], .unchanged, nil) }
        let entries = batch.encoded(
            encoded, batch.isCaused ? nil : key,
            isKnown: former != nil && logging.isFaithful(at: version), epoch: epoch)
        // A log begins with a state that everybody may see.
        logging.stage(
            entries, encoded.change?.form, behind: place, version == place ? former : nil,
            since: changed, context.limits)
        guard let form = encoded.change?.form else { return (entries, .unchanged, nil) }
        let alarm = encoded.work.map { $0.wakingTime.map { AlarmChange.at($0) } ?? .none }
        let state = isKept ? logging.state(form, at: batch.version, behind: entries) : nil
        return (entries, alarm ?? .unchanged, state)
    }

    /// The journal has answered for a batch.
    func appended(_ outcome: TicketOutcome) {
        guard !isPublishing else { return unheard.append(outcome) }
        changeDurability { $0.appended(outcome.ticket, outcome.outcome) }
    }

    func hearJournal() {
        guard !isPublishing else { return }
        for outcome in exchange(&unheard, with: []) { appended(outcome) }
    }

    /// Goes on from what the journal holds, and from what memory held or, where that is another
    /// state, from a store that was restored.
    ///
    /// - Parameter entry: leads there from what memory held; its keys and its log stay.
    package func reopen(
        _ opened: OpenedSession, _ restored: (any TakesActions)?, isFaithful: Bool = true,
        by entry: EncodedEntry? = nil
    ) {
        lease = opened.lease
        changeDurability { $0.reopened(at: restored?.version ?? store.version) }
        defer { countMemory() }
        guard let restored else { return }
        actor?.cancelEffects()
        present = restored
        actor = restored
        freezeReason = nil
        let known = entry == nil ? nil : keys
        begin(with: opened, isFaithful)
        if let entry {
            keys = known
            logging.take(entry)
        } else {
            logging.end()
        }
        presentEpoch = opened.epoch
        published = restored.lastChange
        shown?.begin(with: restored)
    }

    /// Ends the session, its effects, and all that wait for its journal, which are told this.
    package func end(_ loss: Refusal = .ended) {
        hasEnded = true
        logging.end()
        countMemory()
        actor?.cancelEffects()
        changeDurability { $0.end(loss) }
    }

    /// Nothing is accepted any more; what was committed can be read. Operators get the detail, too.
    private func freeze(_ reason: String, _ detail: String = "") {
        guard freezeReason == nil else { return }
        freezeReason = reason
        context.report(id, "A session is frozen: \(reason) \(detail)", nil)
        actor?.cancelEffects()
    }

    /// The next thing to do for the session's clients; nil where it is at rest.
    package func nextStep(at now: Timestamp) -> SessionStep? {
        while true {
            if !unheard.isEmpty { hearJournal() }
            if let actor, durability.hasSteps { settle(actor, at: now) }
            if let step = publish(at: now) { return step }
            if let step = steps.popFirst() { return step }
            guard owesActions else { break }
            submitOwed()
        }
        countMemory()
        return nil
    }

    func add(_ step: SessionStep) {
        var all = exchange(&steps, with: [])
        all.append(step)
        steps = all
    }

    private func submitOwed() {
        owesActions = false
        guard durability.acceptsEntries, frozen == nil, let actor else { return }
        if context.keepsEntries { noteReduction(to: actor.headVersion + 1) }
        actor.submitCausedActions { append($0, nil, 0, $1) }
        if context.keepsEntries { noteReduction(to: nil) }
    }

    private func publish(at now: Timestamp) -> SessionStep? {
        let lastChange = present.lastChange
        guard lastChange > published else { return nil }
        if let step = shown?.regroup() { return step }
        published = lastChange
        changeTime = now
        guard let shown else { return nil }
        shown.whole.noteChange(at: lastChange)
        guard shown.hasClients else { return nil }
        do throws(EncodingFailure) {
            let (whole, others) = try shown.publish(logging.form(at: version, head: headVersion))
            measure(shown.whole)
            return .publish(whole, others)
        } catch {
            return .unreadable(unreadable(error))
        }
    }

    func unreadable(_ failure: EncodingFailure) -> Refusal {
        let reason = "The state cannot be written as JSON."
        freeze(reason, failure.detail)
        return .frozen(reason)
    }

    /// A state that has grown far beyond its limit although entries are measured as they come is one
    /// that its application does not bound.
    func measure(_ whole: Projection) {
        guard case .whole = whole.kind, whole.encodedAt == version,
            let byteCount = whole.byteCount
        else { return }
        if byteCount != meter.byteCount { meter.measured(byteCount) }
        let limit = context.limits.stateByteCount
        if byteCount > limit + limit / 8 { freeze("The state is larger than allowed.") }
    }

    /// Counts the bytes that the session holds now into the memory budget, none once it has ended;
    /// called wherever these may have changed. A state takes about what its JSON does.
    func countMemory() {
        let size = hasEnded ? 0 : meter.byteCount
        if size != sizedByteCount { context.resize(&sizedByteCount, to: size, ofMount: place) }
        var held = 0
        if !hasEnded {
            held = Self.leastByteCount + meter.byteCount + meter.takenByteCount + logging.byteCount
            if let keys { held += keys.byteCount }
            if let shown { held += shown.byteCount }
        }
        guard held != countedByteCount else { return }
        context.budget.add(.sessions, of: context.loopIndex, held - countedByteCount)
        countedByteCount = held
    }

    /// Lets go of what can be made again: after a while without requests, or at once where memory is
    /// short.
    ///
    /// - Parameter measures: before, the state is measured where its size is only guessed by what was
    ///   taken in.
    /// - Returns: the instant at which there is more to let go of; nil where nothing is left.
    @discardableResult
    package func dropCaches(isTight: Bool, measures: Bool = false, at now: Instant) -> Instant? {
        let end = lastUse.advanced(byNanoseconds: context.cacheNanoseconds)
        let isFollowed = shown?.keepsPatches ?? false
        let nextPatches = shown?.age(isTight: isTight, isOld: now >= end, at: now)
        if shown?.isEmpty ?? false { shown = nil }
        if isTight || now >= end {
            if measures { meter = meter.measuredIfUnknown(store) }
            store.dropCaches()
            logging.dropForms(committed: version, head: headVersion)
        }
        let nextLog = logging.age(
            isFollowed: isFollowed && !isPastKept, isTight: isTight, at: now)
        countMemory()
        return [now < end && !isTight ? end : nil, nextPatches, nextLog].compactMap { $0 }.min()
    }
}
