import Bytes
import Journaling
public import Redux
public import Sessions
public import StateCoding

/// An application's store and coders, for one session.
///
/// The ledger is made with the first call that needs one: a session that rests is its state, its
/// versions and its time.
final class ApplicationStore<App: Application>: ViewedStore, TakesActions {
    let context: ApplicationContext<App>
    private let session: SessionID
    private let epoch: String
    /// Another one for each ledger.
    private(set) var incarnation: UInt64 = 0
    private var isWatched = false
    private var awake: Ledger<App.State, App.Action>?
    // The state stands apart: code that does not know its type looks that up for each copy.
    private var rest: RestingPoint
    /// Nil where the ledger has it.
    private var resting: App.State?

    /// A session's store, at its beginning or at a version that was kept.
    init(
        _ context: ApplicationContext<App>, session: SessionID, epoch: String, _ state: App.State,
        at rest: RestingPoint
    ) {
        self.context = context
        self.session = session
        self.epoch = epoch
        self.rest = rest
        resting = state
    }

    var time: Timestamp? { context.now?() }

    var ledger: Ledger<App.State, App.Action> { awake ?? wake() }

    private func wake() -> Ledger<App.State, App.Action> {
        incarnation = context.sessions.makeIncarnation()
        let ledger = context.makeLedger(
            session, epoch: epoch, incarnation: incarnation, restingState, at: rest)
        if isWatched { ledger.consequences.watch(true) }
        awake = ledger
        resting = nil
        return ledger
    }

    func dropCaches() {
        guard let ledger = awake, ledger.isAtRest else { return }
        rest = RestingPoint(
            version: ledger.version, lastChange: ledger.lastChange, lastTime: ledger.lastTime)
        resting = ledger.state
        awake = nil
        context.sessions.restedCount += 1
    }

    /// The committed state.
    var state: App.State {
        guard let awake else { return restingState }
        return awake.state
    }

    // Not inlined: the type is looked up here alone (a tenth of a post that is watched).
    @inline(never)
    private var restingState: App.State {
        guard let resting else { preconditionFailure("A store has a ledger, or it rests.") }
        return resting
    }

    var version: UInt64 { awake?.version ?? rest.version }
    var headVersion: UInt64 { awake?.headVersion ?? rest.version }
    var lastChange: UInt64 { awake?.lastChange ?? rest.lastChange }
    var isIdle: Bool { allowsSleep && awake?.consequences.isIdle ?? true }
    var allowsSleep: Bool {
        guard let ledger = awake else { return true }
        return ledger.consequences.allowsSleep && !ledger.consequences.hasActions
            && ledger.headVersion == ledger.version
    }
    var keptWork: KeptWork? {
        let records = awake?.consequences.workRecords ?? rest.work
        return records.isEmpty ? nil : KeptWork(records, at: version)
    }
    var hasEffects: Bool { awake?.consequences.hasEffects ?? false }
    var runningEffects: [RunningEffect] { awake?.consequences.runningEffects ?? [] }
    var runningWork: [RunningWork] { awake?.consequences.runningWork ?? [] }
    var knownTypes: [String] { context.definition.code.coder.knownTypes }
    var schemaVersion: Int { context.definition.schemaVersion }

    func submit(
        _ body: Span<UInt8>, by principal: Principal, at time: Timestamp, _ limit: BatchLimit,
        in memory: ActionMemory, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision {
        if let sender = limit.sender {
            do throws(Refusal) {
                try sender.check()
            } catch {
                context.counts.count(nil, by: principal, .client, .limited)
                throw error
            }
            ledger.sender = sender.client
        }
        let result = Result { () throws(Refusal) in
            try context.submit(body, ledger, principal, time, limit, memory, append)
        }
        if case .failure(.malformed) = result {
            context.counts.count(nil, by: principal, .client, .refused)
        } else if ActionCoder<App.Action>.isBatch(body) {
            context.counts.count(result, batch: memory.batchTypeNumbers, by: principal, .client)
        } else {
            context.counts.count(memory.typeNumber, by: principal, .client, .init(result))
        }
        return try result.get()
    }

    func replaceState(
        by body: Span<UInt8>, of principal: Principal, at time: Timestamp,
        _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision {
        submitCausedActions(append)
        let state: App.State
        do throws(DecodingFailure) {
            state = try StateDecoder().decode(
                App.State.self, from: [UInt8](copying: body),
                keeping: { [self] in StateEncoder().secrets(of: ledger.head) })
        } catch {
            throw .unreadable(error)
        }
        do throws(Rejection) {
            try context.definition.options.validate?(state)
        } catch {
            throw .rejected(error, index: nil)
        }
        let outcome = ledger.replaceState(with: state, by: principal, at: time) {
            hand($0, to: append)
        }
        return try Decision(outcome, at: headVersion)
    }

    func migrate(at time: Timestamp, _ append: StagedBatch.Append) throws(Refusal) -> Decision {
        let outcome = ledger.replaceState(with: ledger.state, by: nil, at: time) {
            hand($0, to: append)
        }
        return try Decision(outcome, at: headVersion)
    }

    /// Hands a report of work or an effect to the store; the action in it waits for `submitCausedActions`.
    func accept(_ delivery: StoreDelivery<App.Action>) {
        ledger.accept(delivery)
    }

    func submitCausedActions(_ append: StagedBatch.Append) {
        awake?.submitCausedActions { hand($0, to: append) }
    }

    /// Hands entries over that no request has posted as they are.
    func hand(
        _ staged: StagedEntries<App.State, App.Action>, to append: StagedBatch.Append
    ) -> Keeping {
        ApplicationCode<App>.hand(
            staged, of: ledger, context.definition.code.coder, Span(), to: append)
    }

    func commit(through version: UInt64) { awake?.commit(through: version) }
    func revert(to version: UInt64) { awake?.revert(to: version) }
    func endDelays() -> Bool { awake?.consequences.endDelays() ?? false }
    func cancelEffects() { awake?.cancelAllEffects() }
    func watch(by count: Int) {
        isWatched = count > 0
        awake?.consequences.watch(isWatched)
    }

    func startWork() {
        if awake == nil, context.definition.code.work.isEmpty(in: state) { return }
        ledger.startWork(staging: true)
    }

    var views: Views<App.State> { context.definition.views }
    func readState() -> App.State { state }

    func isSettled(_ root: UInt64) -> Bool { awake?.consequences.isSettled(root) ?? true }

    func encodeState(
        after form: EncodedForm?, keepingSecrets keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedForm {
        try StateEncoder().form(
            of: state, after: form ?? context.initialForm, keepingSecrets: keepsSecrets)
    }

    func encodeState(into output: inout [UInt8]) throws(EncodingFailure) {
        try StateEncoder().encode(state, into: &output)
    }
}

/// The versions and the time of a state that a journal has kept, or that a session begins or goes on
/// with.
struct RestingPoint {
    var version: UInt64 = 0
    var lastChange: UInt64 = 0
    /// The time of the last entry; nil where there is none.
    var lastTime: Timestamp?
    /// What was kept of the work when the session went to sleep.
    var work: [WorkRecord] = []
}

/// The ways in for the server's own code: handles, and facts about the session.
extension ApplicationStore {
    /// Decides about actions that a handle dispatches, as `submit` does about those that are posted.
    func submit(
        _ actions: HandledActions<App.Action>, at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision {
        let outcome = ledger.submit(
            actions.list, by: actions.principal, at: time, after: actions.chain
        ) { hand($0, to: append) }
        let isOne = actions.list.count == 1
        let result = Result { () throws(Refusal) in
            // One action is no batch.
            switch outcome {
            case .accepted(let outcomes) where isOne:
                return try Decision(outcomes.first ?? .dropped, at: headVersion)
            case .rejected(_, let rejection) where isOne: throw .rejected(rejection, index: nil)
            default: return try Decision(outcome, at: headVersion)
            }
        }
        context.counts.count(result, batch: actions.types, by: actions.principal, .server)
        return try result.get()
    }

    /// Tells of a part of the committed state whenever it differs, until the subscription ends.
    func observe<Value: Equatable>(
        _ select: @escaping (App.State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        ledger.observers.observe(select, onChange)
    }

    func observe(_ onChange: @escaping () -> Void) -> Subscription {
        ledger.observers.subscribe { _, _ in onChange() }
    }

    var wantsSessionFacts: Bool { context.definition.facts != nil }

    func submit(
        _ fact: SessionFact, at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision {
        guard let action = context.definition.facts?.action(of: fact) else {
            return try Decision(.dropped, at: headVersion)
        }
        var isVoid = false
        let outcome = ledger.submit(action, origin: .server, at: time) { staged in
            // What changes nothing is no entry. Actions that it has caused are another matter.
            guard staged.changed || staged.told.isCaused else {
                isVoid = true
                return .refused
            }
            return hand(staged, to: append)
        }
        let fate = outcome == .refused && isVoid ? .dropped : outcome
        context.counts.count(
            context.definition.code.coder.typeNumber(of: action), by: nil, .server, .init(fate))
        return try Decision(fate, at: headVersion)
    }
}

/// The code of an application that every POST runs, compiled for its types.
///
/// `Served.init` is inlined where the types are known, and so are these closures: generic code that
/// is reached through a protocol has to look every type up again, each time.
@usableFromInline
struct ApplicationCode<App: Application>: Sendable {
    /// Decides about the actions in a body, and hands what is accepted to the journal.
    @usableFromInline
    typealias Submit =
        @Sendable (
            _ body: Span<UInt8>, _ ledger: Ledger<App.State, App.Action>, _ by: Principal,
            _ time: Timestamp, _ limit: BatchLimit, _ memory: ActionMemory,
            _ append: StagedBatch.Append
        ) throws(Refusal) -> Decision

    @usableFromInline let coder: ActionCoder<App.Action>
    @usableFromInline let reducer: Reducer<App.State, App.Action>
    @usableFromInline let work: WorkSource<App.State, App.Action>
    @usableFromInline let submit: Submit

    /// Throws where the actions' types cannot be told apart on the wire.
    @inlinable
    init(_ application: App) throws(ActionCoderError) {
        let coder = try ActionCoder<App.Action>()
        self.coder = coder
        reducer = { (state, action, step) throws(Rejection) in
            try application.reduce(&state, action, step)
        }
        work = WorkSource { application.work(in: $0) }
        submit = {
            (body, ledger, principal, time, limit, memory, append) throws(Refusal) in
            if ActionCoder<App.Action>.isBatch(body) {
                let actions: [App.Action]
                do throws(ActionFailure) {
                    actions = try coder.decodeBatch(body, maximumCount: limit.count, in: memory)
                        .map(\.action)
                } catch {
                    throw .malformed(error)
                }
                if let sender = limit.sender { try sender.admit(memory, isBatch: true) }
                let outcome = ledger.submit(
                    batch: actions, by: principal, at: time, comparing: limit.comparedCount
                ) { Self.hand($0, of: ledger, coder, body, to: append) }
                return try Decision(outcome, at: ledger.headVersion)
            }
            let action: App.Action
            do throws(ActionFailure) {
                action = try coder.decodeAction(body, in: memory)
            } catch {
                throw .malformed(error)
            }
            if let sender = limit.sender { try sender.admit(memory, isBatch: false) }
            let outcome = ledger.submit(action, by: principal, at: time) { staged in
                Self.hand(staged, of: ledger, coder, body, to: append)
            }
            return try Decision(outcome, at: ledger.headVersion)
        }
    }

    /// Hands staged entries over; their bytes are made only where the journal wants them.
    ///
    /// - Parameter body: the posted actions, whose `meta` goes into their entries.
    @inlinable @inline(__always)
    static func hand(
        _ staged: StagedEntries<App.State, App.Action>, of ledger: Ledger<App.State, App.Action>,
        _ coder: ActionCoder<App.Action>, _ body: Span<UInt8>, to append: StagedBatch.Append
    ) -> Keeping {
        let (count, isCaused, outcomes) = staged.told
        let batch = StagedBatch(
            version: staged.version, count: count, isCaused: isCaused, outcomes: outcomes)
        return append(batch) { (former, keepsSecrets) throws(EncodingFailure) in
            let first = staged.version - UInt64(count) + 1
            return try Self.encode(
                staged, of: ledger, coder,
                metas: isCaused
                    ? [:] : ActionCoder<App.Action>.metas(in: body, outcomes, from: first),
                after: former, keepsSecrets)
        }
    }

    @inlinable
    static func encode(
        _ staged: StagedEntries<App.State, App.Action>, of ledger: Ledger<App.State, App.Action>,
        _ coder: ActionCoder<App.Action>, metas: [UInt64: [UInt8]], after former: EncodedForm?,
        _ keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedBatch {
        let entries = staged.entries
        var encoded: [(entry: Entry, action: [UInt8]?)] = []
        encoded.reserveCapacity(entries.count)
        for (entry, action) in entries {
            var bytes: [UInt8]?
            if let action {
                var written: [UInt8] = []
                written.reserveCapacity(128)
                try coder.encode(action, meta: metas[entry.version], into: &written)
                bytes = written
            }
            encoded.append((entry, bytes))
        }
        var news: WorkNews?
        if keepsSecrets, let now = encoded.last?.entry.at {
            news = ledger.workNews(of: staged, at: now)
        }
        guard staged.changed else { return EncodedBatch(encoded, nil, news) }
        let change = try StateEncoder().encode(
            staged.state, after: former, keepingSecrets: keepsSecrets)
        return EncodedBatch(encoded, change, news)
    }
}
