import Bytes
import Sessions
import StateCoding

/// Shows what a recording has led to, through the views of its application. It reduces nothing, and
/// no work begins.
final class ReplayStore<App: Application>: ViewedStore {
    let views: Views<App.State>
    let schemaVersion: Int
    private let recording: EntryLog
    /// The state of a version, where a view has asked for it.
    private var decoded: (version: UInt64, state: App.State)?

    init(_ views: Views<App.State>, schema: Int, _ recording: EntryLog) {
        self.views = views
        schemaVersion = schema
        self.recording = recording
    }

    var version: UInt64 { recording.lastVersion }
    var lastChange: UInt64 { recording.lastChange }

    func encodeState(into output: inout [UInt8]) throws(EncodingFailure) {
        output.append(contentsOf: recording.json.bytes)
    }

    func encodeState(
        after form: EncodedForm?, keepingSecrets keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedForm {
        EncodedForm(json: recording.json.bytes)
    }

    func readState() throws(EncodingFailure) -> App.State {
        if let decoded, decoded.version == lastChange { return decoded.state }
        let state = try Self.state(of: recording.json.bytes)
        decoded = (lastChange, state)
        return state
    }

    func dropCaches() { decoded = nil }
}
