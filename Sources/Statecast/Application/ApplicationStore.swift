import Bytes
import Redux
import Sessions
import StateCoding

/// An application's store and coders, for one session.
final class ApplicationStore<App: Application>: SessionStore {
    /// The state that a journal has kept, or that a session begins with.
    struct KeptState {
        var state: App.State
        var version: UInt64
        var lastChange: UInt64
        /// The time of the last entry; nil where there is none.
        var lastTime: Timestamp?
    }

    let incarnation: UInt64
    let definition: ApplicationDefinition<App>
    let ledger: Ledger<App.State, App.Action>
    let tally: ActionTally
    private let submission: ApplicationCode<App>.Submit
    private let encoding: ApplicationCode<App>.Encode

    /// A session's store, at its beginning or at a version that was kept.
    init(
        _ definition: ApplicationDefinition<App>, session: SessionID, epoch: String,
        incarnation: UInt64, at kept: KeptState, tally: ActionTally,
        checks: ReductionChecks<App.State>?,
        log: (@Sendable (String) -> Void)?,
        deliver: @escaping @Sendable (StoreDelivery<App.Action>) -> Void,
        diagnose: @escaping (StoreDiagnostic) -> Void
    ) {
        self.definition = definition
        self.incarnation = incarnation
        self.tally = tally
        submission = definition.code.submit
        encoding = definition.code.encode
        var middleware = definition.middleware
        if let log { middleware.append(.logger(write: log)) }
        ledger = Ledger(
            initial: kept.state, version: kept.version, lastChange: kept.lastChange,
            reducer: definition.code.reducer,
            middleware: middleware, checks: checks, environment: definition.environment,
            session: session, epoch: epoch, lastTime: kept.lastTime, work: definition.code.work,
            remembering: [], deliver: deliver)
        ledger.consequences.onDiagnostic = diagnose
        let coder = definition.code.coder
        ledger.consequences.onCausedOutcome = { caused in
            tally.count(
                coder.typeNumber(of: caused.action), by: caused.principal, caused.origin,
                .init(caused.outcome))
        }
    }

    var version: UInt64 { ledger.version }
    var headVersion: UInt64 { ledger.headVersion }
    var lastChange: UInt64 { ledger.lastChange }
    var isIdle: Bool {
        ledger.consequences.isIdle && !ledger.hasCausedActions
            && ledger.headVersion == ledger.version
    }
    var runningEffects: [RunningEffect] { ledger.consequences.runningEffects }
    var runningWork: [RunningWork] { ledger.consequences.runningWork }
    var knownTypes: [String] { definition.code.coder.knownTypes }

    func submit(
        _ body: Span<UInt8>, by principal: Principal, at time: Timestamp, batchLimit: Int,
        in memory: ActionMemory, _ append: StagedBatch.Append
    ) throws(ActionFailure) -> Submission {
        do throws(ActionFailure) {
            let submission = try submission(
                body, ledger, principal, time, batchLimit, memory, append)
            tally.count(
                submission, type: memory.typeNumber, types: memory.batchTypeNumbers,
                by: principal, .client)
            return submission
        } catch {
            tally.count(nil, by: principal, .client, .refused)
            throw error
        }
    }

    func replaceState(
        by body: Span<UInt8>, of principal: Principal, at time: Timestamp,
        _ append: StagedBatch.Append
    ) throws(DecodingFailure) -> Submission {
        submitCausedActions(append)
        let secrets = StateEncoder().secrets(of: ledger.head)
        let state = try StateDecoder().decode(
            App.State.self, from: [UInt8](copying: body), keeping: secrets)
        do throws(Rejection) {
            try definition.options.validate?(state)
        } catch {
            return .single(.rejected(error))
        }
        let coder = definition.code.coder
        let outcome = ledger.replaceState(with: state, by: principal, at: time) { staged in
            ApplicationCode<App>.hand(staged, coder, Span(), to: append)
        }
        return .single(outcome)
    }

    /// Hands a report of work or an effect to the store; the action in it waits for `submitCausedActions`.
    func accept(_ delivery: StoreDelivery<App.Action>) {
        ledger.accept(delivery)
    }

    func submitCausedActions(_ append: StagedBatch.Append) {
        let coder = definition.code.coder
        ledger.submitCausedActions { staged in
            ApplicationCode<App>.hand(staged, coder, Span(), to: append)
        }
    }

    func commit(through version: UInt64) { ledger.commit(through: version) }
    func revert(to version: UInt64) { ledger.revert(to: version) }
    func cancelEffects() { ledger.cancelAllEffects() }
    func watch(by count: Int) { ledger.consequences.watch(count > 0) }

    func startWork() { ledger.startWork(staging: true) }

    func isSettled(_ root: UInt64) -> Bool { ledger.consequences.isSettled(root) }
    func onSettled(_ notify: @escaping (UInt64) -> Void) { ledger.consequences.onSettled = notify }

    func encodeState(after form: EncodedForm?) throws(EncodingFailure) -> EncodedChange {
        try StateEncoder().encode(ledger.state, after: form)
    }

    func encodeState(
        into output: inout [UInt8], reusing memory: EncodingMemory?
    ) throws(EncodingFailure) {
        try encoding(ledger, &output, memory)
    }

    var showsState: Bool { definition.views.state.code == nil }
    func hasView(_ name: String) -> Bool { definition.views.has(name) }

    func viewerClass(of viewer: Viewer, for view: String?) -> ViewerClass? {
        definition.views.viewerClass(of: viewer, for: view, in: ledger.state)
    }

    func leavers(ofView name: String?, among groups: Span<ViewerGroup>) -> [ViewerGroup.Leavers] {
        definition.views.leavers(of: name, among: groups, in: ledger.state)
    }

    func changes(ofView name: String?, among inputs: Span<AnyObject?>) -> [Int]? {
        definition.views.changes(of: name, among: inputs, in: ledger.state)
    }

    func encodeView(
        _ view: ShownView, to output: inout ViewOutput
    ) throws(EncodingFailure) -> ViewContent {
        try definition.views.encode(view, of: ledger.state, to: &output)
    }

    func encodePast(
        _ json: [UInt8], view name: String?, for viewer: Viewer
    ) throws(EncodingFailure) -> PastView {
        let state: App.State
        do throws(DecodingFailure) {
            // The secrets of before are kept nowhere, and those of now may be another's.
            state = try StateDecoder().decode(App.State.self, from: json)
        } catch {
            throw EncodingFailure(
                reason: .refused, pointer: error.pointer,
                detail: "A state of before cannot be read: \(error.detail)")
        }
        return PastView(
            json: try definition.views.json(of: name, for: viewer, in: state),
            viewerClass: definition.views.viewerClass(of: viewer, for: name, in: state))
    }
}
