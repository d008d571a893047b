package import Accounting
package import Bytes
package import Journaling
package import Redux
import StateCoding

/// One authoritative state with its entries and projections, on one event loop: bytes and versions
/// come in, values go out.
///
/// An action is decided, appended to the journal, committed and published. The side that serves
/// clients asks for `nextStep` after each call that may have changed something, until there is none.
package final class Session {
    package let id: SessionID
    /// The hash of the id.
    package let hash: UInt64
    /// The place where its application is mounted.
    package let mountName: String
    package let created: Timestamp
    package let opened: Instant
    /// The client that has made it, as long as it counts into that client's share.
    package let maker: SessionMaker?
    package var lastUse: Instant
    /// The next one in its chain of the table.
    var next: Session?

    package private(set) var store: any SessionStore
    package private(set) var epoch: String
    package private(set) var past: SessionPast
    package private(set) var isEnded = false
    package private(set) var projections: Projections

    private let context: SessionContext
    private var answers: SessionAnswers
    private var intake: Intake
    private var settling = Settling()
    /// The last change that clients were told of.
    private var published: UInt64
    /// Committed entries may have caused actions that wait to be submitted.
    private var owesFollowUps = false
    private var memory = MemoryShare()

    package init(
        id: SessionID, mount: String, opened: OpenedSession, store: any SessionStore,
        maker: SessionMaker?, at now: Timestamp, _ instant: Instant, _ context: SessionContext
    ) {
        self.id = id
        hash = IDHash.of(id)
        mountName = mount
        created = opened.created
        past = SessionPast(changed: now)
        self.maker = maker
        self.opened = instant
        lastUse = instant
        self.store = store
        epoch = opened.epoch
        self.context = context
        answers = SessionAnswers(at: store.version)
        intake = Intake(opened)
        published = store.lastChange
        projections = Projections(lastChange: store.lastChange)
        answers.restore(opened.keys)
        countMemory()
    }

    // MARK: What it is

    /// The committed version as clients see it.
    package var token: Token { Token(epoch: epoch, version: store.version) }

    /// The id and ETag of a projection: the token, and the suffix that tells it from others.
    package func tag(_ projection: Projection) -> [UInt8] {
        projection.tag(epoch, store.version)
    }

    /// A client that has this tag has the projection as it is now.
    package func isPresent(_ tag: ProjectionTag, in projection: Projection) -> Bool {
        tag.token.epoch == epoch && projections.isPresent(tag, in: projection, store)
    }

    package var watcherCount: Int { projections.watcherCount }
    /// The number of answers that are held for a change, or for effects.
    package var waiterCount: Int { projections.waiterCount + settling.count }

    /// The session has no watchers, no waiting requests and no work.
    package var isUnused: Bool {
        watcherCount == 0 && waiterCount == 0 && answers.isIdle && store.isIdle
    }

    // MARK: Actions

    /// Decides about posted actions, and hands those that are accepted over to the journal.
    ///
    /// - Parameter ifMatch: asks for the version that would decide, and judges it.
    package func submit(
        _ body: Span<UInt8>, key: RequestKey?, ifMatch: (() -> Token) -> Bool,
        at now: Timestamp
    ) -> Submitted {
        if let known = answers.outcome(before: key, at: now, context) { return known }
        if let frozen = past.frozen { return .turnedAway(.frozen(frozen)) }
        let store = store
        guard ifMatch({ Token(epoch: epoch, version: store.headVersion) }) else {
            return outcome(of: .failure(.preconditionFailed), by: store, key, at: now)
        }
        do throws(ActionFailure) {
            let submission = try store.submit(
                body, batchLimit: context.limits.batchCount, in: context.memory
            ) { batch, content, state in
                append(
                    .init(staged: batch, key: key, byteCount: body.count, time: now), content, state
                )
            }
            context.countAction()
            past.wasPostedTo = true
            let head = store.headVersion
            let result = submission.result(at: head, submission.isRefused ? intake.refusal : nil)
            return outcome(of: result, by: store, key, at: now)
        } catch {
            return .turnedAway(.malformed(error))
        }
    }

    private func outcome(
        of result: Result<Decision, Refusal>, by store: any SessionStore, _ key: RequestKey?,
        at now: Timestamp
    ) -> Submitted {
        if case .failure = result { context.countRejection() }
        if answers.settle(store) != nil { owesFollowUps = true }
        return answers.outcome(of: result, head: store.headVersion, key: key, at: now, context)
    }

    /// Has `nextStep` submit the actions that effects have reported.
    package func submitCausedActions() { owesFollowUps = true }

    private func append(
        _ entries: Intake.Batch, _ content: StagedBatch.Content,
        _ state: StagedBatch.StateContent
    ) -> Keeping {
        guard answers.acceptsEntries else { return .refused }
        let ticket = context.makeBatchTicket()
        do throws(EncodingFailure) {
            let outcome = try intake.append(
                entries, behind: answers.handedOver, ticket,
                isShort: memory.isTooLarge(context), context, content, state)
            if outcome == nil { context.await(ticket, for: self) }
            if intake.unmeasuredByteCount == 0 { countMemory() }
            return answers.handedOver(through: entries.staged.version, ticket, outcome)
        } catch {
            if case .notEncodable = intake.refusal { context.report(id, .notEncodable(error)) }
            return .refused
        }
    }

    // MARK: The journal

    /// The journal has answered for a batch.
    func appended(_ outcome: TicketOutcome) {
        answers.appended(outcome.ticket, outcome.outcome)
    }

    /// The journal holds what memory holds as well: the session goes on from that.
    package func holds(_ opened: OpenedSession) -> Bool {
        opened.epoch == epoch && opened.document?.version == answers.committed
    }

    /// Goes on from what the journal holds, and from what memory held or, where that is another
    /// state, from a store that was restored.
    package func reopen(_ opened: OpenedSession, _ restored: (any SessionStore)?) {
        intake.reopened(opened, isReplaced: restored != nil)
        answers.reopened(
            at: restored?.version ?? store.version, restored == nil ? nil : opened.keys)
        guard let restored else { return }
        store.cancelEffects()
        store = restored
        epoch = opened.epoch
        past.frozen = nil
        published = restored.lastChange
        projections.begin(at: restored.lastChange)
    }

    /// Ends the session, its effects, and all that wait for its journal.
    package func end() {
        isEnded = true
        countMemory()
        store.cancelEffects()
        answers.end()
    }

    /// Nothing is accepted any more; what was committed can still be read.
    private func freeze(_ reason: String) {
        guard past.frozen == nil else { return }
        past.frozen = reason
        context.report(id, .frozen(reason))
        store.cancelEffects()
    }

    // MARK: Steps

    /// The next thing to do for the session's clients; nil where it is at rest.
    package func nextStep(at now: Timestamp) -> SessionStep? {
        while true {
            if let publication = publish(at: now) { return .publish(publication) }
            if answers.settle(store) != nil {
                owesFollowUps = true
                continue
            }
            if let step = answers.nextStep(at: now) { return step }
            guard owesFollowUps else { return nil }
            owesFollowUps = false
            guard past.frozen == nil, answers.acceptsEntries else { continue }
            store.submitCausedActions { batch, content, state in
                append(.init(staged: batch, key: nil, byteCount: 0, time: now), content, state)
            }
        }
    }

    private func publish(at now: Timestamp) -> Publication? {
        let lastChange = store.lastChange
        guard lastChange > published else { return nil }
        published = lastChange
        past.changed = now
        projections.whole.lastChange = lastChange
        guard projections.hasClients else { return nil }
        var publication = Publication()
        do throws(EncodingFailure) {
            try projections.publish(store, &publication)
        } catch {
            publication.refusal = unreadable(error)
        }
        if projections.whole.encodedAt == store.version { measureWhole() }
        return publication
    }

    // MARK: Reading

    /// The JSON of a projection; nil where it is out of scope. A state that cannot be written, or is
    /// larger than allowed, freezes the session.
    package func content(of projection: Projection) throws(Refusal) -> SharedBytes? {
        do throws(EncodingFailure) {
            let json = try projections.json(of: projection, from: store)
            if projection === projections.whole { measureWhole() }
            return json
        } catch {
            throw unreadable(error)
        }
    }

    private func unreadable(_ failure: EncodingFailure) -> Refusal {
        freeze("The state cannot be written as JSON: \(failure.detail)")
        return .frozen("The state cannot be written as JSON.")
    }

    private func measureWhole() {
        guard let json = projections.whole.json else { return }
        let limit = context.limits.stateByteCount
        if intake.isFarAbove(limit, json.count) { freeze("The state is larger than allowed.") }
        intake.measured(json.count)
    }

    // MARK: Clients

    package func watch(_ projection: Projection) { projections.addWatcher(of: projection) }
    package func unwatch(_ projection: Projection) { projections.removeWatcher(of: projection) }
    package func hold(_ projection: Projection) { projections.addWaiter(for: projection) }
    package func release(_ projection: Projection, count: Int = 1) {
        projections.removeWaiters(count, for: projection)
    }

    /// Nothing that these versions started is still under way.
    package func isSettled(_ roots: ClosedRange<UInt64>) -> Bool {
        store.isIdle || roots.allSatisfy { store.isSettled($0) }
    }

    /// A ticket that waits until the effects of these versions have ended.
    package func settle(_ roots: ClosedRange<UInt64>) -> Ticket {
        let ticket = context.makeTicket()
        settling.wait(ticket, for: roots)
        return ticket
    }

    package func withdraw(_ ticket: Ticket) { settling.remove(ticket) }
    package var hasSettling: Bool { !settling.isEmpty }
    /// The tickets whose effects have all ended: they wait no longer.
    package func takeSettled() -> [Ticket] { settling.takeSettled { isSettled($0) } }
    /// All tickets that wait for effects: they wait no longer.
    package func takeSettling() -> [Ticket] { settling.takeAll() }

    // MARK: Memory

    /// Counts the bytes that the session holds now into the memory budget, none once it has ended: a
    /// state takes about what its JSON does.
    package func countMemory() {
        let held = intake.byteCount + answers.byteCount + projections.byteCount
        memory.count(isEnded ? nil : held, context)
    }

    /// Lets go of what can be made again: after a while without requests, or at once where memory is
    /// short.
    package func dropCaches(isTight: Bool, at now: Instant) {
        let end = lastUse.advanced(by: MemoryShare.cacheDuration)
        projections.dropCaches(isTight: isTight, isOld: now >= end)
    }

    /// Measures the state where its size is only guessed by what was taken in.
    package func measureIfUnknown() { intake.measureIfUnknown(store) }
}
