import Bytes
import Sessions
import StateCoding

/// What a store shows that does not reduce: a recording as far as it is played, or what another server shows.
protocol ShownStates: AnyObject {
    var lastVersion: UInt64 { get }
    /// The last version that changed the state, as far as is known.
    var lastChange: UInt64 { get }
    /// The state as compact JSON.
    var json: SharedBytes { get }
}

extension EntryLog: ShownStates {}

/// Shows what a recording, or another server, has led to, through the views of its application. It reduces
/// nothing, and no work begins.
final class ReplayStore<App: Application>: ViewedStore {
    let views: Views<App.State>
    let schemaVersion: Int
    private let shown: any ShownStates
    /// The state of a version, where a view has asked for it.
    private var decoded: (version: UInt64, state: App.State)?

    init(_ views: Views<App.State>, schema: Int, _ shown: any ShownStates) {
        self.views = views
        schemaVersion = schema
        self.shown = shown
    }

    var version: UInt64 { shown.lastVersion }
    var lastChange: UInt64 { shown.lastChange }
    var isFollowing: Bool { shown is FollowedState }

    func encodeState(into output: inout [UInt8]) throws(EncodingFailure) {
        output.append(contentsOf: shown.json.bytes)
    }

    func encodeState(
        after form: EncodedForm?, keepingSecrets keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedForm {
        EncodedForm(json: shown.json.bytes)
    }

    func readState() throws(EncodingFailure) -> App.State {
        if let decoded, decoded.version == lastChange { return decoded.state }
        let state = try Self.state(of: shown.json.bytes)
        decoded = (lastChange, state)
        return state
    }

    func dropCaches() { decoded = nil }
}
