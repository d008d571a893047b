import Bytes
import Redux
import Sessions
import StateCoding

/// The store of a session that plays a recording.
protocol ReplayingStore: SessionStore {
    var tape: ReplayTape { get }

    /// Plays entries through a version, as many as one turn of a loop has time for.
    func play(through goal: UInt64) -> ReplayTape.Played
}

/// Shows what a recording has led to, through the views of its application. It reduces nothing, and
/// no work begins.
final class ReplayStore<App: Application>: ReplayingStore, ViewedStore {
    let incarnation: UInt64
    private let definition: ApplicationDefinition<App>
    private(set) var tape: ReplayTape
    /// The present state, where a view has asked for it.
    private var decoded: App.State?

    init(
        _ definition: ApplicationDefinition<App>, _ recording: Recording, incarnation: UInt64
    ) {
        self.definition = definition
        self.incarnation = incarnation
        tape = ReplayTape(recording)
    }

    func play(through goal: UInt64) -> ReplayTape.Played {
        let lastChange = tape.lastChange
        let played = tape.play(through: goal)
        if tape.lastChange != lastChange { decoded = nil }
        return played
    }

    var version: UInt64 { tape.version }
    var headVersion: UInt64 { tape.version }
    var lastChange: UInt64 { tape.lastChange }
    var knownTypes: [String] { definition.code.coder.knownTypes }

    // MARK: What the state shows

    func encodeState(
        into output: inout [UInt8], reusing memory: EncodingMemory?
    ) throws(EncodingFailure) {
        output.append(contentsOf: tape.state.bytes)
    }

    func encodeState(after form: EncodedForm?) throws(EncodingFailure) -> EncodedChange {
        EncodedForm(json: tape.state.bytes).change(from: form)
    }

    var views: Views<App.State> { definition.views }

    func readState() throws(EncodingFailure) -> App.State {
        if let decoded { return decoded }
        let state = try Self.state(of: tape.state.bytes)
        decoded = state
        return state
    }

    // MARK: What a replay does not do

    var isIdle: Bool { true }
    var runningEffects: [RunningEffect] { [] }
    var runningWork: [RunningWork] { [] }
    var wantsSessionFacts: Bool { false }

    func submit(
        _ body: Span<UInt8>, by principal: Principal, at time: Timestamp, batchLimit: Int,
        in memory: ActionMemory, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { throw .replayed }
    func replaceState(
        by body: Span<UInt8>, of principal: Principal, at time: Timestamp,
        _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { throw .replayed }
    func submit(
        _ fact: SessionFact, at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { throw .replayed }
    func submitCausedActions(_ append: StagedBatch.Append) {}
    func commit(through version: UInt64) {}
    func revert(to version: UInt64) {}
    func startWork() {}
    func watch(by count: Int) {}
    func cancelEffects() {}
    func isSettled(_ root: UInt64) -> Bool { true }
    func dropCaches() { decoded = nil }
}
