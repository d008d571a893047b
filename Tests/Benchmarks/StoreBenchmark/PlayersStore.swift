import Redux
import Sessions
import StateCoding
import Statecast

/// The store of a session of the game, as a server has it, whose actions come from here and are kept
/// at once.
final class PlayersStore: ViewedStore {
    let incarnation: UInt64 = 1
    private let ledger: Ledger<PlayersState, PlayersAction>
    let views: Views<PlayersState>

    init(_ state: PlayersState, _ views: Views<PlayersState>) {
        self.views = views
        ledger = Ledger(
            initial: state, reducer: PlayersAction.reduce,
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
    }

    /// Commits what an action does.
    func dispatch(_ action: PlayersAction) {
        ledger.submit(action) { _ in .later }
        ledger.commit(through: ledger.headVersion)
    }

    var version: UInt64 { ledger.version }
    var headVersion: UInt64 { ledger.headVersion }
    var lastChange: UInt64 { ledger.lastChange }
    var isIdle: Bool { true }

    func encodeState(
        into output: inout [UInt8], reusing memory: EncodingMemory?
    ) throws(EncodingFailure) {
        try StateEncoder().encode(ledger.state, into: &output, reusing: memory)
    }

    func encodeState(after form: EncodedForm?) throws(EncodingFailure) -> EncodedChange {
        try StateEncoder().encode(ledger.state, after: form)
    }

    func readState() -> PlayersState { ledger.state }

    // MARK: What the measurement has no need of

    var runningEffects: [RunningEffect] { [] }
    var runningWork: [RunningWork] { [] }
    var knownTypes: [String] { [] }
    var wantsSessionFacts: Bool { false }
    func commit(through version: UInt64) {}
    func revert(to version: UInt64) {}
    func startWork() {}
    func watch(by count: Int) {}
    func cancelEffects() {}
    func isSettled(_ root: UInt64) -> Bool { true }
    func dropCaches() {}
    func submitCausedActions(_ append: StagedBatch.Append) {}

    func submit(
        _ body: Span<UInt8>, by principal: Principal, at time: Timestamp, batchLimit: Int,
        in memory: ActionMemory, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { try Decision(.dropped, at: version) }

    func submit(
        _ fact: SessionFact, at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { try Decision(.dropped, at: version) }

    func replaceState(
        by body: Span<UInt8>, of principal: Principal, at time: Timestamp,
        _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { try Decision(.dropped, at: version) }
}
