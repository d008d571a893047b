import Redux
import Sessions
import StateCoding
import Statecast

/// The store of a session of the game, as a server has it, whose actions come from here and are kept
/// at once.
final class PlayersStore: ViewedStore {
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
    var lastChange: UInt64 { ledger.lastChange }
    let schemaVersion = 1

    func encodeState(into output: inout [UInt8]) throws(EncodingFailure) {
        try StateEncoder().encode(ledger.state, into: &output)
    }

    func encodeState(
        after form: EncodedForm?, keepingSecrets keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedForm {
        try StateEncoder().form(of: ledger.state, after: form, keepingSecrets: keepsSecrets)
    }

    func readState() -> PlayersState { ledger.state }

    func dropCaches() {}
}
