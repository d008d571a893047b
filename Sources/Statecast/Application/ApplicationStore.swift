import Bytes
import Redux
import Sessions
import StateCoding

/// An application's store and coders, for one session.
///
/// The ledger is made with the first call that needs one: a session that rests is its state, its
/// versions and its time.
final class ApplicationStore<App: Application>: ViewedStore, TakesActions {
    /// The state that a journal has kept, or that a session begins or goes on with.
    struct KeptState {
        var state: App.State
        var version: UInt64
        var lastChange: UInt64
        /// The time of the last entry; nil where there is none.
        var lastTime: Timestamp?
    }

    let context: ApplicationContext<App>
    private let session: SessionID
    private let epoch: String
    /// Another one for each ledger.
    private(set) var incarnation: UInt64 = 0
    private var isWatched = false
    private var awake: Ledger<App.State, App.Action>?
    /// Nil where the ledger has all of it.
    private var resting: KeptState?

    /// A session's store, at its beginning or at a version that was kept.
    init(
        _ context: ApplicationContext<App>, session: SessionID, epoch: String, at kept: KeptState
    ) {
        self.context = context
        self.session = session
        self.epoch = epoch
        resting = kept
    }

    var ledger: Ledger<App.State, App.Action> { awake ?? wake() }

    private func wake() -> Ledger<App.State, App.Action> {
        let kept = rest
        incarnation = context.sessions.makeIncarnation()
        let ledger = context.makeLedger(session, epoch: epoch, incarnation: incarnation, at: kept)
        if isWatched { ledger.consequences.watch(true) }
        awake = ledger
        resting = nil
        return ledger
    }

    /// What is kept of a store that rests.
    private var rest: KeptState {
        guard let resting else { preconditionFailure("A store has a ledger, or it rests.") }
        return resting
    }

    func dropCaches() {
        guard let ledger = awake, ledger.isAtRest else { return }
        resting = KeptState(
            state: ledger.state, version: ledger.version, lastChange: ledger.lastChange,
            lastTime: ledger.lastTime)
        awake = nil
        context.sessions.restedCount += 1
    }

    /// The committed state.
    var state: App.State { awake?.state ?? rest.state }

    var version: UInt64 { awake?.version ?? rest.version }
    var headVersion: UInt64 { awake?.headVersion ?? rest.version }
    var lastChange: UInt64 { awake?.lastChange ?? rest.lastChange }
    var isIdle: Bool {
        guard let ledger = awake else { return true }
        return ledger.consequences.isIdle && !ledger.hasCausedActions
            && ledger.headVersion == ledger.version
    }
    var runningEffects: [RunningEffect] { awake?.consequences.runningEffects ?? [] }
    var runningWork: [RunningWork] { awake?.consequences.runningWork ?? [] }
    var knownTypes: [String] { context.definition.code.coder.knownTypes }

    func submit(
        _ body: Span<UInt8>, by principal: Principal, at time: Timestamp, batchLimit: Int,
        in memory: ActionMemory, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision {
        let result = Result { () throws(Refusal) in
            try context.definition.code.submit(
                body, ledger, principal, time, batchLimit, memory, append)
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
        let secrets = StateEncoder().secrets(of: ledger.head)
        let state: App.State
        do throws(DecodingFailure) {
            state = try StateDecoder().decode(
                App.State.self, from: [UInt8](copying: body), keeping: secrets)
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
        ApplicationCode<App>.hand(staged, context.definition.code.coder, Span(), to: append)
    }

    func commit(through version: UInt64) { awake?.commit(through: version) }
    func revert(to version: UInt64) { awake?.revert(to: version) }
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

    func encodeState(after form: EncodedForm?) throws(EncodingFailure) -> EncodedForm {
        try StateEncoder().form(of: state, after: form)
    }

    func encodeState(into output: inout [UInt8]) throws(EncodingFailure) {
        try context.definition.code.encode(ledger, &output)
    }
}
